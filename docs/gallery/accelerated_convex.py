"""Accelerated gradient on a convex f (Taylor, Hendrickx, Glineur 2017, SIOPT 27(3), Table 1).

Read in the docstring of PEPit 0.5, examples/unconstrained_convex_minimization/
accelerated_gradient_convex_simplified, https://arxiv.org/pdf/1512.07516.pdf: with momentum (t -
1)/(t + 2), t = 1, 2, .., f(x_n) - f* is at most 2 L |x_0 - x*|^2 / (n^2 + 5 n + 6), tight on some
Huber loss. The rival has a rate of 1/n^3.
"""

import theorylab.statements as st
from theorylab.algorithms import Algorithm
from theorylab.symbols import R2, L, T, mu, n, sigma_l


class Fast(Algorithm, name="gallery-fast"):
    first_memory = {"y": 1}

    def step(self, state, net):
        y, t = state.memory["y"], state.t + 1
        x = y - net.gradient(y) / net.problem.constants()["L"].value
        return net.next(state, x=x, memory={"y": x + (t - 1) / (t + 2) * (x - state.x)})


RUN = {"problem": {"name": "huber", "centers": 0.0}, "clients": 1, "x0": 12.0, "rounds": 5}
BOUNDS = {"claim": 2 * L * R2 / (T**2 + 5 * T + 6), "rival": L * R2 / T**3}
STATEMENT = st.Statement(
    "gallery.accelerated",
    st.Source("Taylor et al. 2017", "Table 1", "acceleration, convex"),
    st.Quantity("suboptimality", "last"),
    st.versions(BOUNDS, RUN, mu >= 0, n <= 1, sigma_l <= 0),
    "gallery-fast",
)
