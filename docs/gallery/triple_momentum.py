"""Triple momentum (Van Scoy, Freeman, Lynch 2018, IEEE L-CSS 2(1), Theorem 1).

Read in the docstring of PEPit 0.5, examples/unconstrained_convex_minimization/triple_momentum,
http://www.optimization-online.org/DB_FILE/2017/03/5908.pdf: with k = L/mu and r = 1 - 1/sqrt(k),
f(x_n) - f* is at most r^(2n) L k/2 |x_0 - x*|^2 after n gradients, as the code beside the docstring
has it. The model here is x_t, whose xi_t are in memory. The rival is the docstring's own
r^(2(n+1)), which counts one gradient less.
"""

import sympy as sp

import theorylab.statements as st
from theorylab.algorithms import Algorithm
from theorylab.symbols import R2, L, T, mu, n, sigma_l


class Triple(Algorithm, name="gallery-triple"):
    first_memory = {"now": 1, "old": 1}

    def step(self, state, net):
        known, now, old = net.problem.constants(), state.memory["now"], state.memory["old"]
        r = 1 - (known["mu"].value / known["L"].value) ** 0.5
        y = now + r**2 / ((1 + r) * (2 - r)) * (now - old)
        new = now + r**2 / (2 - r) * (now - old)
        new = new - (1 + r) / known["L"].value * net.gradient(y)
        x = new + r**2 / (1 - r**2) * (new - now)
        return net.next(state, x=x, memory={"now": new, "old": now})


RUN = {"problem": {"name": "quadratic", "H": [[[0.5, 0], [0, 1]]], "c": [[0, 0]]}, "clients": 1}
RUN |= {"rounds": 3, "x0": [[0.125, 1.0]]}
START, r = L**2 / mu / 2 * R2, 1 - sp.sqrt(mu / L)
BOUNDS = {"claim": r ** (2 * T) * START, "rival": r ** (2 * T + 2) * START}
STATEMENT = st.Statement(
    "gallery.triple",
    st.Source("Van Scoy et al. 2018", "Theorem 1", "triple momentum"),
    st.Quantity("suboptimality", "last"),
    st.versions(BOUNDS, RUN, mu > 0, n <= 1, sigma_l <= 0),
    "gallery-triple",
)
