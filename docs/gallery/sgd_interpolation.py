"""SGD where all losses share a minimiser (Taylor, Hendrickx, Glineur 2017, code of PESTO).

Read in the docstring of PEPit 0.5,
examples/stochastic_and_randomized_convex_minimization/sgd_overparametrized,
https://github.com/AdrienTaylor/Performance-Estimation-Toolbox: a random f_i of L-smooth and
mu-strongly convex ones, whose gradients all vanish at x*, has E|x_1 - x*|^2 <= (1 - mu/L)^2 |x_0 -
x*|^2 with g = 1/L, as the code beside the docstring has it, which prints half of that. Here g is
any: a step on each f_i contracts by max(1 - g mu, L g - 1). The f_i are the clients' here, and i is
a shared coin. The rival has the rate twice.
"""

from dataclasses import dataclass

import numpy as np
import sympy as sp

import theorylab.statements as st
from theorylab.algorithms import Algorithm
from theorylab.symbols import R2, L, T, eta, sigma_l, symbol

least = symbol("least", r"\mu_{\min}", "least curvature of an f_i", units=(1, -2))


@dataclass(frozen=True)
class OneLoss(Algorithm, name="gallery-one-loss"):
    eta: float

    def step(self, state, net):
        mask = net.coins(state.x.shape[1], "subset", k=1, shared=True)  # (R, 1, n)
        chosen = (mask[:, 0, :, None] * net.gradient(state.x)).sum(axis=1, keepdims=True)
        return net.next(state, x=state.x - self.eta * chosen)


def one_minimiser_and_start(at):
    best = np.broadcast_to(at.problem.optimum, (1, *at.start.shape))
    same = not np.any(at.start - at.start[0])
    return bool(same and not np.any(at.problem.gradient(best)))


H = [[[0.25, 0], [0, 0.5]], [[0.5, 0], [0, 0.25]], [[0.25, 0], [0, 0.25]]]
RUN = {"problem": {"name": "quadratic", "H": H, "c": [[0, 0]] * 3}, "clients": 3, "rounds": 6}
RUN |= {"topology": {"name": "complete"}, "algorithm": {"eta": 1.0}, "x0": 1.0}
RATE = sp.Max(1 - eta * least, L * eta - 1) ** (2 * T)
FACTS = (one_minimiser_and_start, sigma_l <= 0)
STATEMENT = st.Statement(
    "gallery.interpolation",
    st.Source("Taylor et al. 2017", "code of PESTO", "SGD under interpolation"),
    st.Quantity("squared_distance", "last"),
    st.versions(
        {"claim": RATE * R2, "rival": RATE**2 * R2},
        RUN,
        *FACTS,
        constants={least: lambda at: float(np.linalg.eigvalsh(at.problem.hessians).min())},
    ),
    "gallery-one-loss",
)
