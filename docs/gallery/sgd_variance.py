"""One step of SGD with noise at the minimiser (Taylor, Hendrickx, Glineur 2017, code of PESTO).

Read in the docstring of PEPit 0.5, examples/stochastic_and_randomized_convex_minimization/sgd,
https://github.com/AdrienTaylor/Performance-Estimation-Toolbox: with v^2 the mean of |grad
f_i(x*)|^2 over L-smooth and mu-strongly convex f_i, E|x_1 - x*|^2 is at most, for g = 1/L alone
there, (g (L - mu) R/2 + sqrt((1 - g (L + mu)/2)^2 R^2 + g^2 v^2))^2. For any g it is Minkowski's
inequality: grad f_i(x) - grad f_i(x*) is (L + mu)/2 (x - x*) up to (L - mu) R/2, and the mean of
grad f_i(x*) is 0. The f_i are the clients' here. The rival leaves out v.
"""

from dataclasses import dataclass

import numpy as np
import sympy as sp

import theorylab.statements as st
from theorylab.algorithms import Algorithm
from theorylab.symbols import R2, L, T, eta, sigma_l, symbol

least = symbol("least", r"\mu_{\min}", "least curvature of an f_i", units=(1, -2))
v2 = symbol("v2", "v^2", "mean of |grad f_i(x*)|^2", units=(2, -2))


@dataclass(frozen=True)
class OneLoss(Algorithm, name="gallery-noisy-loss"):
    eta: float

    def step(self, state, net):
        mask = net.coins(state.x.shape[1], "subset", k=1, shared=True)  # (R, 1, n)
        chosen = (mask[:, 0, :, None] * net.gradient(state.x)).sum(axis=1, keepdims=True)
        return net.next(state, x=state.x - self.eta * chosen)


def noise(at):
    best = np.broadcast_to(at.problem.optimum, (1, *at.start.shape))
    return float((at.problem.gradient(best) ** 2).sum(axis=2).mean())


def one_start(at):
    return not np.any(at.start - at.start[0])


H, C = [[[1, 0], [0, 0.5]], [[0.5, 0], [0, 1]]], [[1, 0], [0, -1]]
RUN = {"problem": {"name": "quadratic", "H": H, "c": C}, "clients": 2, "rounds": 1, "x0": 0.5}
RUN |= {"topology": {"name": "complete"}, "algorithm": {"eta": 1.0}}
NEAR, FAR = eta * (L - least) / 2 * sp.sqrt(R2), (1 - eta * (L + least) / 2) ** 2 * R2
BOUNDS = {"claim": (NEAR + sp.sqrt(FAR + eta**2 * v2)) ** 2, "rival": (NEAR + sp.sqrt(FAR)) ** 2}
OWN = {least: lambda at: float(np.linalg.eigvalsh(at.problem.hessians).min()), v2: noise}
STATEMENT = st.Statement(
    "gallery.sgd",
    st.Source("Taylor et al. 2017", "code of PESTO", "one step of SGD"),
    st.Quantity("squared_distance", "last"),
    st.versions(BOUNDS, RUN, one_start, sigma_l <= 0, T <= 1, constants=OWN),
    "gallery-noisy-loss",
)
