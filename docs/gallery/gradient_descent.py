"""Gradient descent contracts (Nesterov 2004, Introductory Lectures, Theorem 2.1.15).

The claim says |x^T - x*|^2 <= (1 - 2 h mu L / (mu + L))^T |x^0 - x*|^2 for steps h <= 2 / (mu +
L). The rival says that it has the rate of the accelerated method, (1 - sqrt(mu / L))^T (1 + L /
mu); on this quadratic gradient descent shrinks one coordinate by 1 - h mu a step, which is slower.
"""

import sympy as sp

import theorylab.statements as st
from theorylab.symbols import R2, L, T, eta, mu, n, sigma_l

RUN = {"problem": {"name": "quadratic", "dim": 3, "mu": 0.1, "L": 2.0, "seed": 1}, "clients": 1}
RUN |= {"rounds": 100, "algorithm": {"eta": 0.9}, "x0": 4.0}
RATE, FAST = 1 - 2 * eta * mu * L / (mu + L), 1 - sp.sqrt(mu / L)
FACTS = (n <= 1, sigma_l <= 0, eta * (mu + L) <= 2)
STATEMENT = st.Statement(
    "gallery.gd",
    st.Source("Nesterov 2004", "Theorem 2.1.15", "gradient descent contracts"),
    st.Quantity("squared_distance", "last"),
    st.versions(
        {"claim": RATE**T * R2, "rival": FAST**T * (1 + L / mu) * R2},
        RUN,
        *FACTS,
    ),
    "sgp",
)
