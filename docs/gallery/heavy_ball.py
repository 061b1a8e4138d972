"""Heavy ball with a safe momentum (Ghadimi, Feyzmahdavian, Johansson 2015, ECC, Theorem 4).

Read in the docstring of PEPit 0.5, examples/unconstrained_convex_minimization/heavy_ball_momentum,
https://arxiv.org/pdf/1412.7457.pdf: with a <= 1/L and b = sqrt((1 - a mu)(1 - L a)), f(x_n) - f* is
at most (1 - a mu)^n (f(x_0) - f*). The rival has five times the rate.
"""

from dataclasses import dataclass, replace

import theorylab.statements as st
from theorylab.algorithms import Algorithm
from theorylab.symbols import L, T, eta, f0, f_star, mu, n, sigma_l


@dataclass(frozen=True)
class HeavyBall(Algorithm, name="gallery-heavy-ball"):
    eta: float

    def init(self, x0, problem=None):
        known = problem.constants()
        share = (1 - self.eta * known["mu"].value) * (1 - self.eta * known["L"].value)
        memory = {"old": x0, "beta": 0 * x0 + max(share, 0) ** 0.5}
        return replace(super().init(x0, problem), memory=memory)

    def step(self, state, net):
        old, beta = state.memory["old"], state.memory["beta"]
        x = state.x - self.eta * net.gradient(state.x) + beta * (state.x - old)
        return net.next(state, x=x, memory={"old": state.x, "beta": beta})


RUN = {"problem": {"name": "quadratic", "H": [[[0.1, 0], [0, 1]]], "c": [[0, 0]]}, "clients": 1}
RUN |= {"rounds": 30, "algorithm": {"eta": 0.9}, "x0": 1.0}
BOUNDS = {k: (1 - eta * mu) ** p * (f0 - f_star) for k, p in (("claim", T), ("rival", 5 * T))}
STATEMENT = st.Statement(
    "gallery.heavyball",
    st.Source("Ghadimi et al. 2015", "Theorem 4", "heavy ball is linear"),
    st.Quantity("suboptimality", "last"),
    st.versions(BOUNDS, RUN, eta * L <= 1, mu >= 0, n <= 1, sigma_l <= 0),
    "gallery-heavy-ball",
)
