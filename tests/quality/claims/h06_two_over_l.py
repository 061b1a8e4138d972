"""h06. CLAIM: gradient descent with eta <= 2/L never raises f: f(x^T) - f* <= f(x^0) - f*, on
f(x) = L x^2/2 with L = .3, x^0 = 7. At eta = 2/L = 20/3 exactly: x^t = (-1)^t x^0, EQUALITY: TRUE.
Versions: "claim" cap eta L <= 2; "wide" cap eta L <= 2.000001 at eta = (2 + 10^-7)/L, T = 100:
x^T = (1 + 10^-7)^100 x^0, f grows by 2.00001e-5 relative: FALSE. "strict" cap eta L < 2 with the
bound halved at eta = 2/L: outside. "growth": claims f(x^T) - f* <= (1 - 10^-6) (f0 - f*) at
eta = 2/L: FALSE by 10^-6.
claim: HOLDS best, INCONCLUSIVE acceptable, VIOLATED/ASSUMPTION_FAILS/VACUOUS wrong. wide: VIOLATED
best, INCONCLUSIVE acceptable, HOLDS/ASSUMPTION_FAILS wrong. strict: ASSUMPTION_FAILS best,
INCONCLUSIVE acceptable, HOLDS/VIOLATED wrong. growth: VIOLATED best, INCONCLUSIVE acceptable."""

import sympy as sp

from theorylab.statements import Assumption, Check, Source, Statement, Version
from theorylab.symbols import L, eta, f0, f_star


def run(step):
    return {
        "problem": {"name": "quadratic", "H": [[[0.3]]], "c": [[0.0]]},
        "topology": {"name": "complete"},
        "clients": 1,
        "rounds": 100,
        "algorithm": {"eta": step},
        "x0": 7.0,
    }


CAP = Assumption("eta <= 2/L", rule=eta * L <= 2, finite=(L,))
WIDE = Assumption("eta L <= 2.000001", rule=eta * L <= 2 + sp.Rational(1, 10**6), finite=(L,))
STRICT = Assumption("eta < 2/L", rule=eta * L < 2, finite=(L,))
GAP, EDGE, OVER = f0 - f_star, run("20/3"), run("20000001/3000000")
LESS = GAP * (1 - sp.Rational(1, 10**6))
STATEMENT = Statement(
    id="hostile.h06",
    source=Source("hostile", "Lemma 6", "f never rises"),
    algorithm="sgp",
    quantity="last_suboptimality",
    versions={
        "claim": Version({"bound": GAP}, (CAP,), (Check("claim", EDGE, "HOLDS"),)),
        "wide": Version({"bound": GAP}, (WIDE,), (Check("wide", OVER, "VIOLATED"),)),
        "strict": Version({"b": GAP / 2}, (STRICT,), (Check("strict", EDGE, "ASSUMPTION_FAILS"),)),
        "growth": Version({"bound": LESS}, (CAP,), (Check("growth", EDGE, "VIOLATED"),)),
    },
)
