"""Stochastic gradient push (Assran, Loizou, Ballas, Rabbat 2019, ICML, Theorems 1 and 2).

With eta = sqrt(n / T), push-sum constants (C, q) and T large enough (below), Theorem 1 claims that
the mean over t of E|grad f(xbar^t)|^2 is at most 12 (f0 - f* + L s^2 / 2) / sqrt(n T), and Theorem
2 that the mean of E|z_i^t - xbar^t|^2 over t and i is O(1 / T). I quote from memory the 12 and the
first two conditions, T >= n and T >= 60^2 n L^4 C^4 / (1 - q)^4. The third, on the heterogeneity
and the start, I could not quote; here heterogeneity is small and the clients start together. The
rivals divide by n T, not by its root, and say O(1 / T^2). As printed, eta has no units.
"""

import sympy as sp

import theorylab.statements as st
from theorylab.symbols import C, L, T, eta, f0, f_star, n, q, sigma_l

STEP = st.Assumption("eta = sqrt(n/T)", rule=abs(eta / sp.sqrt(n / T) - 1) <= 1e-9)
LONG = st.Assumption("T", rule=3600 * n * (L * C / (1 - q)) ** 4 <= T)
RUN = {"problem": {"name": "quadratic", "mu": 0.04, "L": 0.04, "sigma": 0.1, "dim": 2}}
RUN["problem"] |= {"heterogeneity": 0.1, "seed": 1}
RUN |= {"topology": {"name": "directed-exponential"}, "clients": 4, "rounds": 400}
RUN |= {"algorithm": {"eta": 0.1}, "x0": 8.0}
SWEEP = {"parameter": "rounds", "values": [400, 1200, 3600]}
SWEEP["set"] = {"algorithm.eta": "2/sqrt(rounds)"}
TOP, KEPT = 12 * (f0 - f_star + L * sigma_l**2 / 2), {"fixed": (L, n), "slack": 0.1}
ONE = {"claim": TOP / sp.sqrt(n * T), "rival": TOP / (n * T)}
TWO = {"claim": st.Order(1 / T, **KEPT), "rival": st.Order(T**-2, window=True, **KEPT)}
BOTH = st.versions(ONE, RUN, STEP, LONG), st.versions(TWO, {**RUN, "sweep": SWEEP}, STEP)
SOURCES = [st.Source("Assran et al. 2019", f"Theorem {i}", "SGP") for i in (1, 2)]
STATEMENTS = [
    st.Statement("gallery.sgp1", SOURCES[0], "mean_squared_gradient", BOTH[0], "sgp"),
    st.Statement("gallery.sgp2", SOURCES[1], "mean_consensus", BOTH[1], "sgp"),
]
