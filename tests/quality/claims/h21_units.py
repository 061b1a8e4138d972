"""h21. LARGE AND SMALL UNITS: gradient descent with eta = 1/L, f(x) = (mu x1^2 + L x2^2)/2 started
along x1: |x^T - x*|^2 = (1 - mu eta)^(2T) R^2, mu = L/10, T = 5, EQUALITY.
x-large: R = 10^80. x-small: R = 10^-80. f-small: L = 10^-80, eta = 10^80. f-large: L = 10^80, eta =
10^-80. both: R = 10^-60, L = 10^80. (eta L = 1 exactly, as decimals.) R^2 up to 10^160.
claim-*: TRUE. rival-* (bound times 1 - 10^-6): FALSE. gap-*: f(x^T) - f* <= (1-mu eta)^(2T) (f0 - f*):
TRUE, equality. gap-rival-*: half of it: FALSE.
true: HOLDS best, INCONCLUSIVE acceptable (squares leave float64), VIOLATED/ASSUMPTION_FAILS/VACUOUS
wrong. false: VIOLATED best, INCONCLUSIVE acceptable, HOLDS/ASSUMPTION_FAILS wrong."""

import sympy as sp

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.symbols import L, T, eta, f0, f_star, mu, symbol

R2 = symbol("R2", "R^2", "|x^0 - x*|^2", units=(0, 2))
EDGE = (
    Assumption("eta <= 1/L", rule=eta * L <= 1, finite=(L,)),
    Assumption("eta >= 1/L", rule=eta * L >= 1, finite=(L,)),
)


def run(start, low, high, step):
    return {
        "problem": {"name": "quadratic", "H": [[[low, 0.0], [0.0, high]]], "c": [[0.0, 0.0]]},
        "topology": {"name": "complete"},
        "clients": 1,
        "rounds": 5,
        "algorithm": {"eta": step},
        "x0": [start, 0.0],
        "constants": {"R2": float(sp.Rational(str(start)) ** 2)},
    }


PLACES = {
    "x-large": run(1e80, 0.1, 1, 1.0),
    "x-small": run(1e-80, 0.1, 1, 1.0),
    "f-small": run(1.0, 1e-81, 1e-80, 1e80),
    "f-large": run(1.0, 1e79, 1e80, 1e-80),
    "both": run(1e-60, 1e79, 1e80, 1e-80),
}
RATE = (1 - mu * eta) ** (2 * T)
DISTANCE, GAP = Quantity("squared_distance", "last"), Quantity("suboptimality", "last")


def version(name, quantity, bound, verdict):
    checks = tuple(Check(f"{name}-{key}", place, verdict) for key, place in PLACES.items())
    return Version({"bound": bound}, EDGE, checks, quantity=quantity)


STATEMENT = Statement(
    id="hostile.h21",
    source=Source("hostile", "Theorem 21", "other units"),
    algorithm="sgp",
    quantity=DISTANCE,
    versions={
        "a": version("claim", DISTANCE, RATE * R2, "HOLDS"),
        "b": version("rival", DISTANCE, RATE * R2 * (1 - sp.Rational(1, 10**6)), "VIOLATED"),
        "c": version("gap", GAP, RATE * (f0 - f_star), "HOLDS"),
        "d": version("gap-rival", GAP, RATE * (f0 - f_star) / 2, "VIOLATED"),
    },
)
