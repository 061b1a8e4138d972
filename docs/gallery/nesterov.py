"""Nesterov's accelerated gradient, strongly convex (d'Aspremont, Scieur, Taylor 2021, Cor. 4.15).

Read in the docstring of PEPit 0.5, examples/unconstrained_convex_minimization/
accelerated_gradient_strongly_convex, https://arxiv.org/pdf/2101.09545.pdf: f(x_n) - f* is at most
(1 - sqrt(mu/L))^n (f(x_0) - f* + mu/2 |x_0 - x*|^2). The rival cubes the rate.
"""

import sympy as sp

import theorylab.statements as st
from theorylab.algorithms import Algorithm
from theorylab.symbols import R2, L, T, f0, f_star, mu, n, sigma_l


class Nesterov(Algorithm, name="gallery-nesterov"):
    first_memory = {"old": 1}

    def step(self, state, net):
        known = net.problem.constants()
        top, low = known["L"].value, known["mu"].value
        beta = (top**0.5 - low**0.5) / (top**0.5 + low**0.5)
        y = state.x + beta * (state.x - state.memory["old"])
        return net.next(state, x=y - net.gradient(y) / top, memory={"old": state.x})


RUN = {"problem": {"name": "quadratic", "H": [[[0.01, 0], [0, 1]]], "c": [[0, 0]]}, "clients": 1}
RUN |= {"rounds": 30, "x0": 1.0}
START, RATE = f0 - f_star + mu / 2 * R2, (1 - sp.sqrt(mu / L)) ** T
STATEMENT = st.Statement(
    "gallery.nesterov",
    st.Source("d'Aspremont et al. 2021", "Corollary 4.15", "acceleration"),
    st.Quantity("suboptimality", "last"),
    st.versions(
        {"claim": RATE * START, "rival": RATE**3 * START}, RUN, mu > 0, n <= 1, sigma_l <= 0
    ),
    "gallery-nesterov",
)
