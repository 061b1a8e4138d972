"""h02. CLAIM (Nesterov 2.1.15 on its cap): gradient descent with h <= 2/(mu + L) has
|x^T - x*|^2 <= (1 - 2 h mu L/(mu + L))^T |x^0 - x*|^2. Versions: "claim" (<=), "strict" (the cap
h < 2/(mu+L)), "rival" (the bound times 1 - 10^-6).
TRUTH at h = 2/(mu+L) exactly: equality for EVERY start on a quadratic with spectrum {mu, L}, as
1 - h mu = (L-mu)/(L+mu) = -(1 - h L) and 1 - 2 h mu L/(mu+L) = ((L-mu)/(L+mu))^2.
claim TRUE (HOLDS best; INCONCLUSIVE acceptable; VIOLATED, ASSUMPTION_FAILS wrong).
strict: the instance is outside (ASSUMPTION_FAILS best; INCONCLUSIVE acceptable; HOLDS, VIOLATED wrong).
rival FALSE by 10^-6 relative (VIOLATED best; INCONCLUSIVE acceptable; HOLDS wrong)."""

import sympy as sp

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.symbols import L, T, eta, mu, symbol

R2 = symbol("R2", "R^2", "|x^0 - x*|^2", units=(0, 2))


def run(low, high, step):
    return {
        "problem": {"name": "quadratic", "H": [[[low, 0.0], [0.0, high]]], "c": [[3.0, -1.0]]},
        "topology": {"name": "complete"},
        "clients": 1,
        "rounds": 9,
        "algorithm": {"eta": step},
        "constants": {"R2": 10},
    }


PLACES = {"a": run(0.3, 1.1, "10/7"), "b": run(0.1, 0.3, 5), "c": run(0.001, 49, "2000/49001")}
BOUND = (1 - 2 * eta * mu * L / (mu + L)) ** T * R2
CAP = Assumption("h <= 2/(mu+L)", rule=eta * (mu + L) <= 2, finite=(L,))
STRICT = Assumption("h < 2/(mu+L)", rule=eta * (mu + L) < 2, finite=(L,))


def version(name, bound, cap, verdict):
    checks = tuple(Check(f"{name}-{key}", place, verdict) for key, place in PLACES.items())
    return Version({"bound": bound}, (cap,), checks)


STATEMENT = Statement(
    id="hostile.h02",
    source=Source("hostile", "Theorem 2", "Nesterov's contraction on its cap"),
    algorithm="sgp",
    quantity=Quantity("squared_distance", "last"),
    versions={
        "claim": version("claim", BOUND, CAP, "HOLDS"),
        "strict": version("strict", BOUND / 2, STRICT, "ASSUMPTION_FAILS"),
        "rival": version("rival", BOUND * (1 - sp.Rational(1, 10**6)), CAP, "VIOLATED"),
    },
)
