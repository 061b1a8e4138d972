"""h01. CLAIM: gradient descent with eta = 1/L exactly on f(x) = (mu (x1-a)^2 + L x2^2)/2, x^0 = 0:
|x^T - x*|^2 <= (1 - mu eta)^(2T) |x^0 - x*|^2; assumed are eta <= 1/L AND eta >= 1/L.
TRUTH: TRUE, with equality, on all five instances. PROOF: x2 stays 0; x1^t - a = (1 - mu eta)^t (-a).
In decimals eta L = 1 exactly: .1*10, .001*1000, (1/49)*49, (10/11)*1.1, (10/3)*.3 - though in
floats 49*(1/49) = .9999999999999999 < 1 and others round either way.
RIGHT: HOLDS (best), INCONCLUSIVE (rounding at equality) acceptable. WRONG: VIOLATED,
ASSUMPTION_FAILS, VACUOUS."""

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.symbols import L, T, eta, mu, symbol

R2 = symbol("R2", "R^2", "|x^0 - x*|^2", units=(0, 2))


def run(low, high, step, a=4.0, rounds=7):
    return {
        "problem": {"name": "quadratic", "H": [[[low, 0.0], [0.0, high]]], "c": [[a, 0.0]]},
        "topology": {"name": "complete"},
        "clients": 1,
        "rounds": rounds,
        "algorithm": {"eta": step},
        "constants": {"R2": a**2},
    }


CHECKS = (
    Check("ten", run(1, 10, 0.1), "HOLDS"),
    Check("thousand", run(300, 1000, 0.001), "HOLDS"),
    Check("forty-nine", run(0.7, 49, "1/49"), "HOLDS"),
    Check("eleven-tenths", run(0.3, 1.1, "10/11"), "HOLDS"),
    Check("three-tenths", run(0.1, 0.3, "10/3"), "HOLDS"),
)
EDGE = (
    Assumption("eta <= 1/L", rule=eta * L <= 1, finite=(L,)),
    Assumption("eta >= 1/L", rule=eta * L >= 1, finite=(L,)),
)
STATEMENT = Statement(
    id="hostile.h01",
    source=Source("hostile", "Theorem 1", "exact edges in decimals"),
    algorithm="sgp",
    quantity=Quantity("squared_distance", "last"),
    versions={"claim": Version({"bound": (1 - mu * eta) ** (2 * T) * R2}, EDGE, CHECKS)},
)
