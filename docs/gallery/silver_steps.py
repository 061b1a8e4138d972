"""Silver steps (Altschuler, Parrilo 2023, arXiv 2309.16530, Theorem 1.1).

Read in the docstring of PEPit 0.5, examples/unconstrained_convex_minimization/
gradient_descent_silver_stepsize_convex, https://arxiv.org/abs/2309.16530: with steps (1 + (1 + sqrt
2)^(v(t) - 1))/L, v(t) the power of 2 in t = 1 .. n, and n = 2^k - 1, f(x_n) - f* is at most L |x_0
- x*|^2 / (1 + sqrt(4 (1 + sqrt 2)^(2k) - 3)). The rival is L |x_0 - x*|^2 / (2 n^2).
"""

import sympy as sp

import theorylab.statements as st
from theorylab.algorithms import Algorithm
from theorylab.symbols import R2, L, T, mu, n, sigma_l

SILVER = 1 + sp.sqrt(2)


class Silver(Algorithm, name="gallery-silver"):
    def step(self, state, net):
        t = state.t + 1
        power = (t & -t).bit_length() - 2
        size = (1 + (1 + 2**0.5) ** power) / net.problem.constants()["L"].value
        return net.next(state, x=state.x - size * net.gradient(state.x))


RUN = {"problem": {"name": "huber", "centers": 0.0}, "clients": 1, "x0": 27.0, "rounds": 7}
RATE = L * R2 / (1 + sp.sqrt(4 * SILVER ** (2 * sp.log(T + 1, 2)) - 3))
POWER = st.Assumption("n = 2^k - 1", rule=sp.Eq(sp.Mod(sp.log(T + 1, 2), 1), 0))
STATEMENT = st.Statement(
    "gallery.silver",
    st.Source("Altschuler and Parrilo 2023", "Theorem 1.1", "silver steps"),
    st.Quantity("suboptimality", "last"),
    st.versions(
        {"claim": RATE, "rival": L * R2 / 2 / T**2}, RUN, POWER, mu >= 0, n <= 1, sigma_l <= 0
    ),
    "gallery-silver",
)
