"""h16. NEGATIVE LEFT SIDES: the descent lemma f(x^{t+1}) - f(x^t) <= -(eta - L eta^2/2) |g(x^t)|^2
on f(x) = L x^2/2, |g(x^t)|^2 = L^2 (1 - eta L)^(2t) R^2. Both sides are negative.
TRUTH: equality at every t (Taylor is exact): "claim" TRUE. "rival": (1 + 10^-6) times as much
descent: FALSE. "sign": f(x^{t+1}) - f(x^t) >= -(eta - L eta^2/2) |g|^2: TRUE (equality).
"less": >= -(1 - 10^-6) (...): FALSE. L = .3, eta = 1.1, R = 2, T = 5.
claim, sign: HOLDS best, INCONCLUSIVE acceptable, VIOLATED wrong. rival, less: VIOLATED best,
INCONCLUSIVE acceptable, HOLDS wrong. VACUOUS, UNSATISFIABLE and ASSUMPTION_FAILS are wrong."""

import sympy as sp

from theorylab.metrics import Metric
from theorylab.runs import Row
from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.symbols import L, eta, symbol, t

R2 = symbol("R2", "R^2", "|x^0 - x*|^2", units=(0, 2))


class Step(Metric, name="h16.step"):
    """f(x^{t+1}) - f(x^t) = L (x^{t+1}^2 - x^t^2)/2 of the one client."""

    axis = "t"

    def rows(self, before, after):
        change = 0.3 * (after.x[:, 0, 0] ** 2 - before.x[:, 0, 0] ** 2) / 2
        yield Row(change, {"t": before.t}, f"t={before.t}")


RUN = {
    "problem": {"name": "quadratic", "H": [[[0.3]]], "c": [[0.0]]},
    "topology": {"name": "complete"},
    "clients": 1,
    "rounds": 5,
    "algorithm": {"eta": 1.1},
    "x0": 2.0,
    "constants": {"R2": 4},
}
DESCENT = -(eta - L * eta**2 / 2) * L**2 * (1 - eta * L) ** (2 * t) * R2
TINY = sp.Rational(1, 10**6)


def version(name, bound, verdict, relation="<="):
    return Version({"descent": bound}, (), (Check(name, RUN, verdict),), relation=relation)


STATEMENT = Statement(
    id="hostile.h16",
    source=Source("hostile", "Lemma 16", "the descent lemma"),
    algorithm="sgp",
    quantity=Quantity("h16.step", "rows", (1, 0), r"f(x^{t+1}) - f(x^t)"),
    versions={
        "a": version("claim", DESCENT, "HOLDS"),
        "b": version("rival", DESCENT * (1 + TINY), "VIOLATED"),
        "c": version("sign", DESCENT, "HOLDS", ">="),
        "d": version("less", DESCENT * (1 - TINY), "VIOLATED", ">="),
    },
)
