"""h05. CLAIM (Drori, Teboulle 2014): gradient descent with eta = 1/L on a convex f has
f(x^T) - f* <= L |x^0 - x*|^2 / (4 T + 2); "rival": the same times 1 - 10^-6; "digit": times
1 - 10^-13. TRUTH on Huber's function with clip b = R/(2T+1), L = 1, R = 1, T = 4 (b = 1/9), 
and L = .3, R = 1, T = 2 (psi = clip(y, -1/5, 1/5), scale .3, eta = 10/3): every step is b, so
x^T = R - T b = (T+1) b and f(x^T) = L (b x^T - b^2/2) = L R^2/(4T+2): EQUALITY.
claim TRUE: HOLDS best; INCONCLUSIVE acceptable; VIOLATED, ASSUMPTION_FAILS wrong.
rival FALSE: VIOLATED best; INCONCLUSIVE acceptable; HOLDS wrong. digit FALSE: the same.
(T = 1: b = 1/3, eta = .1, L = 10 is the third place.)"""

import sympy as sp

from theorylab.statements import Assumption, Check, Source, Statement, Version
from theorylab.symbols import L, T, eta, symbol

R2 = symbol("R2", "R^2", "|x^0 - x*|^2", units=(0, 2))


def run(scale, clip, step, rounds):
    return {
        "problem": {"name": "clipped-linear", "scale": scale, "clip": clip, "dim": 1},
        "topology": {"name": "complete"},
        "clients": 1,
        "rounds": rounds,
        "algorithm": {"eta": step},
        "x0": 1.0,
        "constants": {"R2": 1},
    }


PLACES = {"one": run(1, "1/9", 1, 4), "tenths": run(0.3, 0.2, "10/3", 2)}
PLACES |= {"ten": run(10, "1/3", 0.1, 1)}
EDGE = (
    Assumption("eta <= 1/L", rule=eta * L <= 1, finite=(L,)),
    Assumption("eta >= 1/L", rule=eta * L >= 1, finite=(L,)),
)
BOUND = L * R2 / (4 * T + 2)


def version(name, short, verdict):
    checks = tuple(Check(f"{name}-{key}", place, verdict) for key, place in PLACES.items())
    return Version({"bound": BOUND * (1 - short)}, EDGE, checks)


STATEMENT = Statement(
    id="hostile.h05",
    source=Source("hostile", "Theorem 5", "the tight bound at its worst function"),
    algorithm="sgp",
    quantity="last_suboptimality",
    versions={
        "claim": version("claim", sp.Integer(0), "HOLDS"),
        "rival": version("rival", sp.Rational(1, 10**6), "VIOLATED"),
        "digit": version("digit", sp.Rational(1, 10**13), "VIOLATED"),
    },
)
