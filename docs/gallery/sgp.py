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
RUN |= {"topology": {"name": "directed-exponential"}, "clients": 4, "rounds": 400}
RUN["problem"] |= {"heterogeneity": 0.1, "seed": 1}
RUN |= {"algorithm": {"eta": 0.1}, "x0": 8.0}
SWEEP = {
    "parameter": "rounds",
    "values": [400, 1200, 3600],
    "set": {"algorithm.eta": "2/sqrt(rounds)"},
}


def first(bound, verdict):
    return st.Version({"bound": bound}, (STEP, LONG), (st.Check("directed", RUN, verdict),))


def second(power, verdict, **options):
    order = st.Order(T**-power, fixed=(L, n), slack=0.1, **options)
    check = st.Check("directed", {**RUN, "sweep": SWEEP}, verdict)
    return st.Version({}, (STEP,), (check,), order=order)


NUMERATOR = 12 * (f0 - f_star + L * sigma_l**2 / 2)
ONE = {"claim": first(NUMERATOR / sp.sqrt(n * T), "HOLDS")}
ONE |= {"rival": first(NUMERATOR / (n * T), "VIOLATED")}
TWO = {"claim": second(1, "HOLDS"), "rival": second(2, "VIOLATED", window=True)}
SOURCES = [st.Source("Assran et al. 2019", f"Theorem {i}", "SGP") for i in (1, 2)]
STATEMENTS = [
    st.Statement("gallery.sgp1", SOURCES[0], "mean_squared_gradient", ONE, "sgp"),
    st.Statement("gallery.sgp2", SOURCES[1], "mean_consensus", TWO, "sgp"),
]
