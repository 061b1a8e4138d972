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
RUN |= {"topology": {"name": "complete"}, "rounds": 6, "algorithm": {"eta": 0.75}, "x0": 1.0}
RULES = {"g <= 1/L": eta * L <= 1, "convex": mu >= 0, "one client": n <= 1, "exact": sigma_l <= 0}


def version(share, verdict):
    rules = tuple(st.Assumption(name, rule=rule) for name, rule in RULES.items())
    most = sp.Max((eta * mu - 1) ** 2, (eta * L - 1) ** 2)
    bound = {"rate": ((most + share - 1) / share) ** T * R2}
    return st.Version(bound, rules, (st.Check("bowl", RUN, verdict),))


SOURCE = st.Source("Taylor and Bach 2019", "Theorem 17", "one coordinate a round")
BOTH = {"claim": version(d, "HOLDS"), "rival": version(1, "VIOLATED")}
AWAY = st.Quantity("squared_distance", "last")
STATEMENT = st.Statement("gallery.coordinates", SOURCE, AWAY, BOTH, "gallery-coordinates")
