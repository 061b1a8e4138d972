"""CHOCO-Gossip, the averaging in CHOCO-SGD (Koloskova, Stich, Jaggi 2019, ICML, Theorem 2).

With E|Q(x) - x|^2 <= (1 - w) |x|^2, a = 1 - |lambda_2|, b = |I - W|_2 and the step gamma = a^2 w /
(16 a + a^2 + 4 b^2 + 2 a b^2 - 8 a w), the claim says e_t <= (1 - a^2 w / 82)^t e_0, where e_t
sums |x_i^t - xbar|^2 + |x_i^t - xhat_i^{t+1}|^2. Here Q keeps the largest of d entries, so w =
1/d, and the gradient step is 0. The rival says that compression costs nothing: (1 - a)^(2t), as
exact gossip has it. On the ring of four clients a = 2/3 and b = 4/3.
"""

import numpy as np

import theorylab.statements as st
from theorylab.algorithms import Algorithm
from theorylab.metrics import Metric
from theorylab.runs import Row
from theorylab.symbols import d, symbol, t

a, b = symbol("a", "a", "1 - |lambda_2|"), symbol("b", "b", "|I - W|_2")
g = symbol("gamma", r"\gamma_c", "consensus step size")
E0 = symbol("e0", "e_0", "at least e_0, as xhat^0 = 0", units=(0, 2))


class Choco(Algorithm, name="gallery-choco"):
    first_memory = {"hat": 0}

    def __init__(self, gamma):
        self.gamma = gamma

    def step(self, state, net):
        off = state.x - state.memory["hat"]
        largest = np.argmax(np.abs(off), axis=2)[..., None]
        hat = state.memory["hat"] + off * (np.arange(off.shape[2]) == largest)
        return net.next(state, x=state.x + self.gamma * (net.mix(hat) - hat), memory={"hat": hat})


class Error(Metric, name="gallery.choco-error"):
    def rows(self, before, after):
        yield Row(error(before.x, after.memory["hat"]), {"t": before.t}, f"t={before.t}")


def error(x, hat, w=0):
    return ((x - x.mean(axis=-2, keepdims=True)) ** 2 + (1 - w) * (x - hat) ** 2).sum(axis=(-2, -1))


X0 = np.array([[1, 2], [0, -3], [4, 1], [-2, 2]])
FACTS = {"a": 2 / 3, "b": 4 / 3, "e0": float(error(X0, 0, 1 / 2))}
CAP = a**2 / (d * (16 * a + a**2 + 4 * b**2 + 2 * a * b**2 - 8 * a / d))
STEP = (st.Assumption("gamma", rule=abs(g / CAP - 1) <= 1e-9),)
RUN = {"problem": {"name": "quadratic", "dim": 2}, "topology": {"name": "ring"}, "clients": 4}
RUN |= {"rounds": 100, "algorithm": {"gamma": 3 / 242}, "constants": FACTS, "x0": X0.tolist()}
BOUNDS = {"HOLDS": (1 - a**2 / (82 * d)) ** t, "VIOLATED": (1 - a) ** (2 * t)}
BOTH = [st.Version({"e": b * E0}, STEP, (st.Check("ring", RUN, v),)) for v, b in BOUNDS.items()]
PAPER = st.Source("Koloskova et al. 2019", "Theorem 2", "compressed gossip is linear")
ERROR = st.Quantity("gallery.choco-error", "rows", (0, 2), "e_t")
NAMED = dict(zip(("claim", "rival"), BOTH, strict=True))
STATEMENT = st.Statement("gallery.choco", PAPER, ERROR, NAMED, "gallery-choco")
