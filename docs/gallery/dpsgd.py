"""D-PSGD with the step of Corollary 2 (Lian et al. 2017, NeurIPS).

The claim says: with eta = 1 / (2L + s sqrt(T/n)) and T at least two numbers, (8) and (9), the mean
of E|grad f(xbar^t)|^2 is at most 8 (f0 - f*) L / T + (8 (f0 - f*) + 4L) s / sqrt(T n). Here s
bounds the noise, and lambda2, the second largest |eigenvalue| of W, is the paper's sqrt(rho). The
rival leaves out the noise term: it claims the rate 1/T.
"""

import sympy as sp

import theorylab.statements as st
from theorylab.symbols import L, T, eta, f0, f_star, lambda2, n, sigma_g, sigma_l

SPREAD = sigma_l**2 / (1 - lambda2**2) + 9 * sigma_g**2 / (1 - lambda2) ** 2
RISE = sigma_l**3 * (f0 - f_star + L)
FACTS = (
    sp.Eq(eta * (2 * L + sigma_l * sp.sqrt(T / n)), 1),
    st.Assumption("(8)", rule=4 * L**4 * n**5 * SPREAD**2 <= T * RISE**2),
    st.Assumption("(9)", rule=72 * (L * n / (sigma_l * (1 - lambda2))) ** 2 <= T),
    st.doubly_stochastic(),
    st.symmetric(),
)
LOSS = {"name": "quadratic", "mu": 1.0, "L": 1.0, "sigma": 7.5, "heterogeneity": 0.5}
RUN = {"problem": LOSS, "topology": {"name": "ring"}, "clients": 4, "rounds": 64, "x0": 4.0}
RUN |= {"algorithm": {"eta": 1 / 32, "order": "mix-then-step"}}
FAST = 8 * (f0 - f_star) * L / T
NOISE = (8 * (f0 - f_star) + 4 * L) * sigma_l / sp.sqrt(T * n)
STATEMENT = st.Statement(
    "gallery.dpsgd",
    st.Source("Lian et al. 2017", "Corollary 2", "D-PSGD has linear speedup"),
    "mean_squared_gradient",
    st.versions({"claim": {"fast": FAST, "noise": NOISE}, "rival": FAST}, RUN, *FACTS),
    "dpsgd",
)
