"""The subgradient method (Nesterov 2003, Introductory Lectures, Section 3.2.3).

Read in the docstring of PEPit 0.5, examples/unconstrained_convex_minimization/subgradient_method,
https://web.stanford.edu/class/ee392o/subgrad_method.pdf: for a convex f whose subgradients are at
most M, with the step R/(M sqrt(n + 1)), R >= |x_0 - x*|, min over t <= n of f(x_t) - f* is at most
M R/sqrt(n + 1). "best" looks at T models, so that n = T - 1; M is B here. The rival divides by T.
"""

import sympy as sp

import theorylab.statements as st
from theorylab.symbols import R2, B, T, eta, mu, n, sigma_l

RUN = {"problem": {"name": "absolute", "centers": 0.0}, "clients": 1, "x0": 2.0}
RUN |= {"rounds": 6, "algorithm": {"eta": 2 / 6**0.5}}
FACTS = (sp.Eq(eta * B * sp.sqrt(T), sp.sqrt(R2)), mu >= 0, n <= 1, sigma_l <= 0)
BOUNDS = {"claim": B * sp.sqrt(R2 / T), "rival": B * sp.sqrt(R2) / T}
STATEMENT = st.Statement(
    "gallery.subgradient",
    st.Source("Nesterov 2003", "Section 3.2.3", "the subgradient method"),
    st.Quantity("suboptimality", "best"),
    st.versions(BOUNDS, RUN, *FACTS),
    "sgp",
)
