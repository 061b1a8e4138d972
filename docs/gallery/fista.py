"""Accelerated proximal gradient (Taylor, Hendrickx, Glineur 2017, SIOPT 27(3), Table 1, FPGM1).

Read in the docstring of PEPit 0.5, examples/composite_convex_minimization/
accelerated_proximal_gradient_simplified, https://arxiv.org/pdf/1512.07516.pdf: with momentum t/(t +
3), t = 0, 1, .., F(x_n) - F* is at most 2 L |x_0 - x*|^2/(n^2 + 5 n + 2), where F = f + h, f is
convex and L-smooth, and h is convex. Here h is the set x >= 0, and f is nearly linear on it. The
rival has 1/n^3.
"""

import theorylab.statements as st
from theorylab.algorithms import Algorithm
from theorylab.symbols import R2, L, T, mu, n, sigma_l


class Fista(Algorithm, name="gallery-fista"):
    first_memory = {"y": 1}

    def step(self, state, net):
        y, t, g = state.memory["y"], state.t, 1 / net.problem.constants()["L"].value
        x = net.prox(y - g * net.gradient(y), g)
        return net.next(state, x=x, memory={"y": x + t / (t + 3) * (x - state.x)})


LOSS = {"name": "quadratic", "H": [[[1, 0], [0, 0.001]]], "c": [[0, -1000]]}
LOSS |= {"set": {"kind": "box", "low": 0}}
RUN = {"problem": LOSS, "clients": 1, "rounds": 5, "x0": [[0, 20]]}
BOUNDS = {"claim": 2 * L * R2 / (T**2 + 5 * T + 2), "rival": L * R2 / T**3}
STATEMENT = st.Statement(
    "gallery.fista",
    st.Source("Taylor et al. 2017", "Table 1", "acceleration beside a second term"),
    st.Quantity("suboptimality", "last"),
    st.versions(BOUNDS, RUN, mu >= 0, n <= 1, sigma_l <= 0),
    "gallery-fista",
)
