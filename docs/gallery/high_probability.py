"""SGD on a quadratic is near the minimum with high probability (Gaussian concentration).

Source: Boucheron, Lugosi, Massart 2013, Theorem 5.6, applied to SGD. The derivation: with noise xi
~ N(0, s^2 I / d) and A = I - eta H, x^T - x* = A^T (x^0 - x*) - eta sum_k A^k xi_k is Gaussian; 0
<= A <= 1 - eta mu where eta L <= 1. Hence E|x^T - x*|^2 <= (1 - eta mu)^(2T) R^2 + s^2 V with V =
eta / (mu (2 - eta mu)), and every direction has variance at most s^2 V / d. A norm is 1-Lipschitz,
so it exceeds sqrt(E|.|^2) by sqrt(2 log(1/eps) s^2 V / d) with chance at most eps. The claim says
this with eps = .05. The rival reads the bound on the mean as one with chance .95.
"""

import sympy as sp

import theorylab.statements as st
from theorylab.symbols import R2, L, T, d, eta, mu, n, sigma_l

EPS = sp.Rational(1, 20)
NOISE = eta * sigma_l**2 / (mu * (2 - eta * mu))
MEAN = (1 - eta * mu) ** (2 * T) * R2 + NOISE
LIKELY = (sp.sqrt(MEAN) + sp.sqrt(2 * sp.log(1 / EPS) * NOISE / d)) ** 2
RUN = {"problem": {"name": "quadratic", "dim": 4, "mu": 0.8, "L": 1.0, "sigma": 1.0, "seed": 2}}
RUN |= {"clients": 1, "rounds": 12, "algorithm": {"eta": 0.5}, "x0": 1.0}
STATEMENT = st.Statement(
    "gallery.chance",
    st.Source("Boucheron et al. 2013", "Theorem 5.6", "SGD with chance 1 - eps"),
    st.Quantity("squared_distance", "last", chance=EPS),
    st.versions({"claim": LIKELY, "rival": MEAN}, RUN, n <= 1, eta * L <= 1),
    "sgp",
)
