"""Proximal gradient contracts (Taylor, Hendrickx, Glineur 2018, JOTA 178(2), Theorem 3.1).

Read in the docstring of PEPit 0.5, examples/composite_convex_minimization/proximal_gradient,
https://arxiv.org/pdf/1705.04398.pdf: x_(t+1) is the prox at x_t - g grad f(x_t), and |x_n - x*|^2
is at most max((1 - L g)^2, (1 - mu g)^2)^n |x_0 - x*|^2. Here the second term is an l1 norm. The
rival has the rate twice.
"""

from dataclasses import dataclass

import sympy as sp

import theorylab.statements as st
from theorylab.algorithms import Algorithm
from theorylab.symbols import R2, L, T, eta, mu, n, sigma_l


@dataclass(frozen=True)
class ProximalGradient(Algorithm, name="gallery-proximal-gradient"):
    eta: float

    def step(self, state, net):
        half = state.x - self.eta * net.gradient(state.x)
        return net.next(state, x=net.prox(half, self.eta))


LASSO = {"name": "quadratic", "H": [[[0.25, 0], [0, 1]]], "c": [[8, 1]]}
LASSO |= {"prox": {"kind": "l1", "weight": 0.5}}
RUN = {"problem": LASSO, "clients": 1, "rounds": 10, "algorithm": {"eta": 1.0}, "x0": [[0, 0]]}
RATE = sp.Max((1 - L * eta) ** 2, (1 - mu * eta) ** 2) ** T
STATEMENT = st.Statement(
    "gallery.proximal",
    st.Source("Taylor et al. 2018", "Theorem 3.1", "proximal gradient contracts"),
    st.Quantity("squared_distance", "last"),
    st.versions({"claim": RATE * R2, "rival": RATE**2 * R2}, RUN, mu > 0, n <= 1, sigma_l <= 0),
    "gallery-proximal-gradient",
)
