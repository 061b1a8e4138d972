"""EF21, error feedback (Richtarik, Sokolov, Fatkhullin 2021, NeurIPS, Theorem 1).

x' = x - g mean_i g_i, g_i' = g_i + C(grad f_i(x') - g_i), where C keeps the largest of d entries:
|C(v) - v|^2 <= (1 - a) |v|^2 with a = 1/d. With h = 1 - sqrt(1 - a), b = (1 - a)/h, g (L + L
sqrt(b/h)) <= 1 and g_i^0 = grad f_i(x^0), the mean of |grad f(x^t)|^2 over t < T is at most 2
(f(x^0) - f*)/(g T). Quoted from memory; the paper's second L is the root of the mean of L_i^2, and
at most L. The rival has 1/T^2.
"""

from dataclasses import dataclass, replace

import numpy as np
import sympy as sp

import theorylab.statements as st
from theorylab.algorithms import Algorithm
from theorylab.symbols import L, T, d, eta, f0, f_star, sigma_l


@dataclass(frozen=True)
class Ef21(Algorithm, name="gallery-ef21"):
    eta: float

    def init(self, x0, problem=None):
        return replace(super().init(x0, problem), memory={"g": problem.gradient(x0)})

    def step(self, state, net):
        x = state.x - self.eta * net.mix(state.memory["g"])
        off = net.gradient(x) - state.memory["g"]
        largest = np.argmax(np.abs(off), axis=2)[..., None]
        kept = off * (np.arange(off.shape[2]) == largest)
        return net.next(state, x=x, memory={"g": state.memory["g"] + kept})


def complete(at):
    return bool((abs(at.topology.matrix(0).toarray() - 1 / at.topology.clients) < 1e-12).all())


def one_start(at):
    return not np.any(at.start - at.start[0])


H, C = [[[1, 0], [0, 0.5]], [[0.5, 0], [0, 1]]], [[3, 0], [0, -3]]
RUN = {"problem": {"name": "quadratic", "H": H, "c": C}, "topology": {"name": "complete"}}
RUN |= {"clients": 2, "rounds": 12, "algorithm": {"eta": 0.25}, "x0": 4.0}
h = 1 - sp.sqrt(1 - 1 / d)
CAP = st.Assumption("step", rule=eta * L * (1 + sp.sqrt(1 - 1 / d) / h) <= 1)
RATE = 2 * (f0 - f_star) / (eta * T)
STATEMENT = st.Statement(
    "gallery.ef21",
    st.Source("Richtarik et al. 2021", "Theorem 1", "error feedback"),
    st.Quantity("squared_gradient", "average"),
    st.versions({"claim": RATE, "rival": RATE / T}, RUN, CAP, complete, one_start, sigma_l <= 0),
    "gallery-ef21",
)
