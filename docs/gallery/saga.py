"""SAGA, variance reduction by a table of gradients (Defazio, Bach, Lacoste-Julien 2014, Theorem 1).

Read in the docstring of PEPit 0.5, examples/stochastic_and_randomized_convex_minimization/saga,
http://papers.nips.cc/paper/2014/file/ede7e2b6d13a41ddf9f4bdef84fdc737-Paper.pdf: the mean of V_t
shrinks by 1 - g m a step, V = mean_i [f_i(p_i) - f_i(x*) - f_i'(x*)(p_i - x*)] + c |x - x*|^2, g =
1/(2 (m n + L)), c = 1/(2 g (1 - g m) n). With all p_i = x_0 at first, E|x_T - x*|^2 is at most (1 -
g m)^T (R^2 + (f(x_0) - f*)/c). Each f_i is a client's, and m-strongly convex. The
rival leaves out f(x_0) - f*, and has eight times the rate.
"""

from dataclasses import dataclass, replace

import numpy as np
import sympy as sp

import theorylab.statements as st
from theorylab.algorithms import Algorithm
from theorylab.symbols import R2, L, T, eta, f0, f_star, n, sigma_l, symbol

m = symbol("least", r"\mu_{\min}", "least curvature of an f_i", units=(1, -2))


@dataclass(frozen=True)
class Saga(Algorithm, name="gallery-saga"):
    eta: float

    def init(self, x0, problem=None):
        return replace(super().init(x0, problem), memory={"table": problem.gradient(x0)})

    def step(self, state, net):
        mask = net.coins(state.x.shape[1], "subset", k=1, shared=True)[:, 0, :, None]  # (R, n, 1)
        table, new = state.memory["table"], net.gradient(state.x)
        change = (mask * (new - table)).sum(axis=1, keepdims=True)
        x = state.x - self.eta * (change + table.mean(axis=1, keepdims=True))
        return net.next(state, x=x, memory={"table": table + mask * (new - table)})


def one_start(at):
    return not np.any(at.start - at.start[0])


H, C = [[[1, 0], [0, 0.5]], [[0.5, 0], [0, 1]]], [[1, 0], [0, -1]]
RUN = {"problem": {"name": "quadratic", "H": H, "c": C}, "clients": 2, "rounds": 6, "x0": 1.0}
RUN |= {"topology": {"name": "complete"}, "algorithm": {"eta": 0.25}}
RATE = (1 - eta * m) ** T
START = R2 + 2 * eta * (1 - eta * m) * n * (f0 - f_star)
OWN = {m: lambda at: float(np.linalg.eigvalsh(at.problem.hessians).min())}
FACTS = (sp.Eq(2 * eta * (m * n + L), 1), m > 0, one_start, sigma_l <= 0)
STATEMENT = st.Statement(
    "gallery.saga",
    st.Source("Defazio et al. 2014", "Theorem 1", "SAGA is linear"),
    st.Quantity("squared_distance", "last"),
    st.versions({"claim": RATE * START, "rival": RATE**8 * R2}, RUN, *FACTS, constants=OWN),
    "gallery-saga",
)
