"""Gradient descent on a convex f (Drori, Teboulle 2014, Math. Program. 145, Theorem 3.1).

Read in the docstring of PEPit 0.5, examples/unconstrained_convex_minimization/gradient_descent,
https://arxiv.org/pdf/1206.3209.pdf: with g <= 1/L, f(x_n) - f* is at most L |x_0 - x*|^2 / (4 n L g
+ 2), tight on some Huber loss. "tight" is the equality, up to 1e-6, on that one, of which the
linear part ends at R / (2 n L g + 1): here n = 4, g = 1/L, R = 9. The rival has 4 n L g + 3.
"""

import theorylab.statements as st
from theorylab.symbols import R2, L, T, eta, mu, n, sigma_l


def one_step_size(at):
    return at.algorithm.decay == 1


FACTS = (eta * L <= 1, mu >= 0, n <= 1, sigma_l <= 0, one_step_size)
RUN = {"problem": {"name": "huber", "centers": 0.0}, "clients": 1, "x0": 8.0}
RUN |= {"rounds": 4, "algorithm": {"eta": 1.0}}
WORST, TIGHT = {**RUN, "x0": 9.0}, {"tight": R2 / eta / (4 * T + 2)}  # at g = 1/L
BOUNDS = {name: L * R2 / (4 * T * L * eta + k) for name, k in (("claim", 2), ("rival", 3))}
STATEMENT = st.Statement(
    "gallery.convex",
    st.Source("Drori and Teboulle 2014", "Theorem 3.1", "gradient descent, convex"),
    st.Quantity("suboptimality", "last"),
    st.versions(BOUNDS, RUN, *FACTS) | st.versions(TIGHT, WORST, *FACTS, relation="==", tight=1e-6),
    "sgp",
)
