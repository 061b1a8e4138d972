"""Gradient descent with exact line search (De Klerk, Glineur, Taylor 2017, Theorem 1.2).

Read in the docstring of PEPit 0.5, examples/unconstrained_convex_minimization/
gradient_exact_line_search, https://link.springer.com/content/pdf/10.1007/s11590-016-1087-4.pdf:
f(x_n) - f* is at most ((L - mu)/(L + mu))^(2n) (f(x_0) - f*), and that is tight. "tight" is the
equality, at the start (1/mu, 1/L) of a diagonal quadratic. The rival is the rate of acceleration.
"""

import sympy as sp

import theorylab.statements as st
from theorylab.algorithms import Algorithm
from theorylab.symbols import L, T, f0, f_star, mu, n, sigma_l


class LineSearch(Algorithm, name="gallery-line-search"):
    """On quadratics, where H g is a difference of two gradients."""

    def step(self, state, net):
        g = net.gradient(state.x)
        curved = net.gradient(state.x + g) - g
        square, below = ((g * each).sum(axis=(1, 2)) for each in (g, curved))
        step = square / (below + (below == 0))
        return net.next(state, x=state.x - step[:, None, None] * g)


def quadratic(at):
    return at.problem.name == "quadratic"


FACTS = (mu > 0, n <= 1, sigma_l <= 0, quadratic)
RUN = {"problem": {"name": "quadratic", "H": [[[0.125, 0], [0, 1]]], "c": [[0, 0]]}, "clients": 1}
RUN |= {"rounds": 4, "x0": [[8.0, 1.0]]}
RATE = ((L - mu) / (L + mu)) ** (2 * T) * (f0 - f_star)
BOUNDS = {"claim": RATE, "rival": (1 - sp.sqrt(mu / L)) ** (2 * T) * (f0 - f_star)}
STATEMENT = st.Statement(
    "gallery.linesearch",
    st.Source("De Klerk et al. 2017", "Theorem 1.2", "exact line search"),
    st.Quantity("suboptimality", "last"),
    st.versions(BOUNDS, RUN, *FACTS) | st.versions({"tight": RATE}, RUN, *FACTS, relation="=="),
    "gallery-line-search",
)
