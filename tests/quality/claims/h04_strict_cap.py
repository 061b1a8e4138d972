"""h04. CLAIM (false wherever it says something): for eta < 1/L, STRICTLY, gradient descent on
f(x) = L x^2/2, x^0 = 1, has f(x^T) - f* <= (1/2) (1 - L eta)^(2T) (f0 - f*).
TRUTH: the left side is (1 - L eta)^(2T) (f0 - f*), so the claim is FALSE whenever eta < 1/L; at
eta = 1/L exactly (49 * 1/49, .3 * 10/3, .1 * 10, 1.1 * 10/11) it is outside its assumption.
edge-*: ASSUMPTION_FAILS best, INCONCLUSIVE acceptable; HOLDS, VIOLATED wrong.
beside-*: eta L = 1 - 10^-3 and 1 - 10^-9: assumption met, claim false by a factor of 2. Left side
(1 - L eta)^(2T) L/2: beside-a (T = 2) 5e-12; beside-b (T = 1) 5e-20. VIOLATED best, INCONCLUSIVE acceptable;
HOLDS, ASSUMPTION_FAILS wrong."""

from fractions import Fraction

from theorylab.statements import Assumption, Check, Source, Statement, Version
from theorylab.symbols import L, T, eta, f0, f_star


def run(high, step, rounds=2):
    return {
        "problem": {"name": "quadratic", "H": [[[high]]], "c": [[0.0]]},
        "topology": {"name": "complete"},
        "clients": 1,
        "rounds": rounds,
        "algorithm": {"eta": step},
        "x0": 1.0,
    }


CHECKS = (
    Check("edge-49", run(49, "1/49"), "ASSUMPTION_FAILS"),
    Check("edge-.3", run(0.3, Fraction(10, 3)), "ASSUMPTION_FAILS"),
    Check("edge-.1", run(10, 0.1), "ASSUMPTION_FAILS"),
    Check("edge-1.1", run(1.1, "10/11"), "ASSUMPTION_FAILS"),
    Check("beside-a", run(10, 0.0999), "VIOLATED"),
    Check("beside-b", run(0.1, 9.99999999, rounds=1), "VIOLATED"),
)
CAP = Assumption("eta < 1/L", rule=eta * L < 1, finite=(L,))
BOUND = (1 - L * eta) ** (2 * T) * (f0 - f_star) / 2
STATEMENT = Statement(
    id="hostile.h04",
    source=Source("hostile", "Lemma 4", "a strict cap met at equality"),
    algorithm="sgp",
    quantity="last_suboptimality",
    versions={"claim": Version({"bound": BOUND}, (CAP,), CHECKS)},
)
