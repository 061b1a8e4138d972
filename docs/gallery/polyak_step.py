"""Gradient descent with a Polyak step (Barre, Taylor, d'Aspremont 2020, COLT, Proposition 1).

Read in the docstring of PEPit 0.5, examples/adaptive_methods/polyak_steps_in_distance_to_optimum,
https://arxiv.org/pdf/2002.00915.pdf: with g |grad f|^2 = 2 (f - f*), |x - x*|^2 shrinks by (g L -
1) (1 - g mu) / (g (L + mu) - 1) a round. The claim takes the largest such factor over steps g from
1/L to 1/mu, ((L - mu)/(L + mu))^2 at g = 2/(L + mu). "tight" is the equality, up to 1e-6: from (1,
sqrt(mu/L)) of a diagonal quadratic all steps are that. The rival has the rate of an accelerated
method.
"""

import sympy as sp

import theorylab.statements as st
from theorylab.algorithms import Algorithm
from theorylab.symbols import R2, L, T, mu, n, sigma_l


class Polyak(Algorithm, name="gallery-polyak"):
    def step(self, state, net):
        best = net.problem.constants()["f_star"].value
        slope = net.gradient(state.x)
        gap = net.problem.mean_loss(state.x[:, 0]) - best  # one client
        square = (slope**2).sum(axis=(1, 2))
        step = 2 * gap / (square + (square == 0))
        return net.next(state, x=state.x - step[:, None, None] * slope)


RUN = {"problem": {"name": "quadratic", "H": [[[0.0625, 0], [0, 1]]], "c": [[0, 0]]}, "clients": 1}
RUN |= {"rounds": 12, "x0": [[9.0, 2.0]]}
WORST, FACTS = {**RUN, "x0": [[4.0, 1.0]]}, (mu > 0, n <= 1, sigma_l <= 0)
RATE = ((L - mu) / (L + mu)) ** (2 * T) * R2
BOUNDS = {"claim": RATE, "rival": (1 - sp.sqrt(mu / L)) ** (2 * T) * R2}
TIGHT = st.versions({"tight": RATE}, WORST, *FACTS, relation="==", tight=1e-6)
STATEMENT = st.Statement(
    "gallery.polyak",
    st.Source("Barre et al. 2020", "Proposition 1", "Polyak's step contracts"),
    st.Quantity("squared_distance", "last"),
    st.versions(BOUNDS, RUN, *FACTS) | TIGHT,
    "gallery-polyak",
)
