"""Gradient descent with relative errors (De Klerk, Glineur, Taylor 2020, SIOPT 30(3), Theorem 5.3).

Read in the docstring of PEPit 0.5,
examples/unconstrained_convex_minimization/inexact_gradient_descent,
https://arxiv.org/pdf/1709.05191.pdf: with |d - grad f| <= e |grad f|, A = (1 + e) L, B = (1 - e) mu
and a step 2/(A + B), f(x_n) - f* is at most ((A - B)/(A + B))^(2n) (f(x_0) - f*). Here d is (1 - e)
grad f. The rival forgets e.
"""

from dataclasses import dataclass

import theorylab.statements as st
from theorylab.algorithms import Algorithm
from theorylab.symbols import L, T, f0, f_star, mu, n, sigma_l, symbol

e = symbol("e", r"\varepsilon", "relative error of a gradient")


@dataclass(frozen=True)
class Inexact(Algorithm, name="gallery-inexact"):
    e: float

    def step(self, state, net):
        known = net.problem.constants()
        step = 2 / ((1 + self.e) * known["L"].value + (1 - self.e) * known["mu"].value)
        wrong = (1 - self.e) * net.gradient(state.x)
        return net.next(state, x=state.x - step * wrong)


RUN = {"problem": {"name": "quadratic", "H": [[[0.25, 0], [0, 1]]], "c": [[0, 0]]}, "clients": 1}
RUN |= {"rounds": 8, "algorithm": {"e": 0.25}, "x0": [[1.0, 0.1]]}
A, B = (1 + e) * L, (1 - e) * mu
RATE, FAST = (A - B) / (A + B), (L - mu) / (L + mu)
FACTS = (mu > 0, n <= 1, sigma_l <= 0, e >= 0, e < 1)
STATEMENT = st.Statement(
    "gallery.inexact",
    st.Source("De Klerk et al. 2020", "Theorem 5.3", "gradients with relative errors"),
    st.Quantity("suboptimality", "last"),
    st.versions(
        {"claim": RATE ** (2 * T) * (f0 - f_star), "rival": FAST ** (2 * T) * (f0 - f_star)},
        RUN,
        *FACTS,
    ),
    "gallery-inexact",
)
