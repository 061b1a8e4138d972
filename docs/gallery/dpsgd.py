"""D-PSGD with the step of Corollary 2 (Lian et al. 2017, NeurIPS).

The claim says: with eta = 1 / (2L + s sqrt(T/n)) and T at least two numbers, (8) and (9), the mean
of E|grad f(xbar^t)|^2 is at most 8 (f0 - f*) L / T + (8 (f0 - f*) + 4L) s / sqrt(T n). Here s
bounds the noise, and r = max(|lambda_2|, |lambda_n|) is the paper's sqrt(rho). The rival leaves
out the noise term: it claims the rate 1/T.
"""

import sympy as sp

import theorylab.statements as st
from theorylab.symbols import L, T, eta, f0, f_star, n, sigma_g, sigma_l, symbol

r = symbol("r", r"\sqrt{\rho}", "largest modulus of the other eigenvalues of W", nonnegative=True)
SPREAD = sigma_l**2 / (1 - r**2) + 9 * sigma_g**2 / (1 - r) ** 2
ASSUMES = (
    st.Assumption("step", rule=sp.Eq(eta * (2 * L + sigma_l * sp.sqrt(T / n)), 1)),
    st.Assumption(
        "(8)", rule=T * (sigma_l**3 * (f0 - f_star + L)) ** 2 >= 4 * L**4 * n**5 * SPREAD**2
    ),
    st.Assumption("(9)", rule=72 * (L * n / (sigma_l * (1 - r))) ** 2 <= T),
    st.doubly_stochastic(),
    st.symmetric(),
)
RUN = {
    "problem": {"name": "quadratic", "mu": 1.0, "L": 1.0, "sigma": 7.5, "heterogeneity": 0.5},
    "topology": {"name": "ring"},  # the eigenvalues of four clients are 1, 1/3, 1/3, -1/3
    "clients": 4,
    "rounds": 64,
    "algorithm": {"eta": 1 / 32, "order": "mix-then-step"},
    "x0": 4.0,
}


def modulus(setting):
    return 1 / 3 + 1e-15 if setting.topology.clients == 4 else float("nan")


def version(verdict, **terms):
    return st.Version(
        terms, ASSUMES, (st.Check("ring-of-four", RUN, verdict),), constants={r: modulus}
    )


FAST = 8 * (f0 - f_star) * L / T
STATEMENT = st.Statement(
    id="gallery.dpsgd",
    source=st.Source("Lian et al. 2017", "Corollary 2", "D-PSGD has linear speedup"),
    algorithm="dpsgd",
    quantity="mean_squared_gradient",
    versions={
        "claim": version(
            "HOLDS", fast=FAST, noise=(8 * (f0 - f_star) + 4 * L) * sigma_l / sp.sqrt(T * n)
        ),
        "rival": version("VIOLATED", fast=FAST),
    },
)
