"""Frank-Wolfe needs no projection (Jaggi 2013, ICML, Theorem 1).

Read in the docstring of PEPit 0.5, examples/composite_convex_minimization/frank_wolfe,
http://proceedings.mlr.press/v28/jaggi13.pdf: with y_t the point of a set of diameter D that has the
least inner product with grad f(x_t), and x_(t+1) = (t x_t + 2 y_t)/(t + 2), f(x_n) - f* is at most
2 L D^2/(n + 2) for convex f. The set is a box here. The rival has (n + 2)^3.
"""

import theorylab.statements as st
from theorylab.algorithms import Algorithm
from theorylab.symbols import L, T, mu, n, set_diameter, sigma_l


class FrankWolfe(Algorithm, name="gallery-frank-wolfe"):
    def step(self, state, net):
        corner = net.project(-1e9 * net.gradient(state.x))  # of a box
        return net.next(state, x=(state.t * state.x + 2 * corner) / (state.t + 2))


def box(at):
    return at.problem.describe()["set"]["kind"] == "box"


LOSS = {"name": "quadratic", "H": [[[1, 0], [0, 1]]], "c": [[0.3, 2]]}
LOSS |= {"set": {"kind": "box", "low": -1, "high": 1}}
RUN = {"problem": LOSS, "clients": 1, "rounds": 20, "x0": [[1, 1]]}
RATE = 2 * L * set_diameter**2
BOUNDS = {"claim": RATE / (T + 2), "rival": RATE / (T + 2) ** 3}
STATEMENT = st.Statement(
    "gallery.frankwolfe",
    st.Source("Jaggi 2013", "Theorem 1", "Frank-Wolfe"),
    st.Quantity("suboptimality", "last"),
    st.versions(BOUNDS, RUN, mu >= 0, n <= 1, sigma_l <= 0, box),
    "gallery-frank-wolfe",
)
