"""Random coordinate descent (Taylor, Bach 2019, COLT, Appendix I, Theorem 17).

Read in the docstring of PEPit 0.5, examples/stochastic_and_randomized_convex_minimization/
randomized_coordinate_descent_smooth_strongly_convex, https://arxiv.org/pdf/1902.00947.pdf: with g
<= 1/L, E|x - x*|^2 shrinks by max((g mu - 1)^2 + d - 1, (g L - 1)^2 + d - 1)/d a round. The rival
forgets d: it has the rate of the whole gradient.
"""

from dataclasses import dataclass

import sympy as sp

import theorylab.statements as st
from theorylab.algorithms import Algorithm
from theorylab.symbols import R2, L, T, d, eta, mu, n, sigma_l


@dataclass(frozen=True)
class Coordinates(Algorithm, name="gallery-coordinates"):
    eta: float

    def step(self, state, net):
        mask = net.coins(state.x.shape[2], "subset", k=1)
        return net.next(state, x=state.x - self.eta * mask * net.gradient(state.x))


RUN = {"problem": {"name": "quadratic", "H": [[[0.5, 0], [0, 1]]], "c": [[0, 0]]}, "clients": 1}
RUN |= {"rounds": 6, "algorithm": {"eta": 0.75}, "x0": 1.0}
MOST = sp.Max((eta * mu - 1) ** 2, (eta * L - 1) ** 2)
FACTS = (eta * L <= 1, mu >= 0, n <= 1, sigma_l <= 0)
STATEMENT = st.Statement(
    "gallery.coordinates",
    st.Source("Taylor and Bach 2019", "Theorem 17", "one coordinate a round"),
    st.Quantity("squared_distance", "last"),
    st.versions(
        {"claim": ((MOST + d - 1) / d) ** T * R2, "rival": MOST**T * R2},
        RUN,
        *FACTS,
    ),
    "gallery-coordinates",
)
