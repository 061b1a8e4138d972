"""Gradient descent on a convex f (Drori, Teboulle 2014, Math. Program. 145, Theorem 3.1).

Read in the docstring of PEPit 0.5, examples/unconstrained_convex_minimization/gradient_descent,
https://arxiv.org/pdf/1206.3209.pdf: with g <= 1/L, f(x_n) - f* is at most L |x_0 - x*|^2 / (4 n L g
+ 2), tight on some Huber loss. "tight" is the equality, up to 1e-6, on that one, of which the
linear part ends at R / (2 n L g + 1): here n = 4, g = 1/L, R = 9. The rival has 4 n L g + 3.
"""

import theorylab.statements as st
from theorylab.symbols import R2, L, T, eta, mu, n, sigma_l

RUN = {"problem": {"name": "huber", "centers": 0.0}, "clients": 1, "x0": 8.0}
RUN |= {"topology": {"name": "complete"}, "rounds": 4, "algorithm": {"eta": 1.0}}
RULES = {"g <= 1/L": eta * L <= 1, "convex": mu >= 0, "one client": n <= 1, "exact": sigma_l <= 0}


def version(bound, verdict, run=RUN, **options):
    rules = tuple(st.Assumption(name, rule=rule) for name, rule in RULES.items())
    rules += (st.Assumption("one step size", holds=lambda at: at.algorithm.decay == 1),)
    return st.Version({"rate": bound}, rules, (st.Check("huber", run, verdict),), **options)


RATE, RIVAL = L * R2 / (4 * T * L * eta + 2), L * R2 / (4 * T * L * eta + 3)
VERSIONS = {"claim": version(RATE, "HOLDS"), "rival": version(RIVAL, "VIOLATED")}
WORST, TIGHT = {**RUN, "x0": 9.0}, R2 / eta / (4 * T + 2)  # at g = 1/L
VERSIONS["tight"] = version(TIGHT, "HOLDS", WORST, relation="==", tight=1e-6)
SOURCE = st.Source("Drori and Teboulle 2014", "Theorem 3.1", "gradient descent, convex")
GAP = st.Quantity("suboptimality", "last")
STATEMENT = st.Statement("gallery.convex", SOURCE, GAP, VERSIONS, "sgp")
