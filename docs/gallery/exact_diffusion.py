"""Exact diffusion on losses of one curvature h (Yuan, Ying, Zhao, Sayed 2019, IEEE TSP 67(3)).

The method is psi^{k+1} = x^k - eta g^k, x^{k+1} = V (psi^{k+1} + x^k - psi^k), V = (I + W)/2. The
paper proves a linear rate, and the claim is my exact one: an eigenvalue v < 1 of V gives the
factors r with r^2 - v (2 - eta h) r + v (1 - eta h) = 0, as psi^k = (1 - eta h) x^{k-1} + const.
With lambda the largest modulus, the squared distance of the clients from their mean is
O(lambda^(2T)). The rival says O((1 - eta h)^(2T)), the rate of gradient descent on every network.
"""

import numpy as np

import theorylab.statements as st
from theorylab.algorithms import Algorithm
from theorylab.symbols import L, T, eta, mu, symbol

lam = symbol("lam", r"\lambda", "largest modulus of a factor", positive=True)


class ExactDiffusion(Algorithm, name="gallery-exact-diffusion"):
    first_memory = {"psi": 1}

    def __init__(self, eta):
        self.eta = eta

    def step(self, state, net):
        psi = state.x - self.eta * net.gradient(state.x)
        half = psi + state.x - state.memory["psi"]
        return net.next(state, x=(half + net.mix(half)) / 2, memory={"psi": psi})


def factor(at):
    step = at.algorithm.eta * at.problem.constants()["L"].value
    others = np.linalg.eigvalsh(at.topology.matrix(0).toarray())[:-1]
    roots = [np.roots([1, (w + 1) * (step / 2 - 1), (w + 1) * (1 - step) / 2]) for w in others]
    return float(np.abs(roots).max())


def order(rate, **options):
    return st.Order(rate ** (2 * T), rate=rate**2, fixed=(L, mu), slack=0.01, **options)


RUN = {"problem": {"name": "quadratic", "mu": 1.0, "L": 1.0, "dim": 2, "seed": 3}, "clients": 8}
RUN |= {"topology": {"name": "path"}, "rounds": 40, "algorithm": {"eta": 0.5}, "x0": 1.0}
RUN |= {"sweep": {"parameter": "rounds", "values": [40, 80, 120]}}
BOUNDS = {"claim": order(lam), "rival": order(1 - eta * mu, window=True)}
STATEMENT = st.Statement(
    "gallery.exactdiffusion",
    st.Source("Yuan et al. 2019", "Part II", "exact diffusion is linear"),
    st.Quantity("consensus", "last"),
    st.versions(BOUNDS, RUN, mu >= L, constants={lam: factor}),
    "gallery-exact-diffusion",
)
