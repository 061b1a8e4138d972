"""h03. CLAIM (Polyak's heavy ball at its optimal parameters): with eta (sqrt L + sqrt mu)^2 = 4 and
momentum m (sqrt L + sqrt mu)^2 = (sqrt L - sqrt mu)^2, each asked for as <= AND >=, and r = sqrt m,
|x^T - x*|^2 <= (1 + (1 - r) T)^2 r^(2T) |x^0 - x*|^2 on H = diag(mu, L) started off x* along mu only.
TRUTH: TRUE with equality. mu = .01, L = .49: eta = 4/.64 = 6.25, m = .36/.64 = .5625, r = .75; along
mu the recursion y+ = (1+m-eta mu) y - m y- has the double root r: y_t = (1 + (1-r) t) r^t y_0.
The ties hold exactly since sqrt .49 = .7 and sqrt .01 = .1 (in floats nothing of this is exact).
"rival" drops the polynomial factor: FALSE ((1 + T/4)^2 = 12.25 times too small at T = 10).
RIGHT: claim HOLDS (INCONCLUSIVE acceptable; VIOLATED, ASSUMPTION_FAILS wrong);
rival VIOLATED (INCONCLUSIVE acceptable; HOLDS, ASSUMPTION_FAILS wrong)."""

from dataclasses import dataclass, replace

import sympy as sp

from theorylab.algorithms import Algorithm
from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.symbols import L, T, eta, mu, symbol

R2 = symbol("R2", "R^2", "|x^0 - x*|^2", units=(0, 2))
m = symbol("m", "m", "momentum", positive=True)


@dataclass(frozen=True)
class Ball(Algorithm, name="h03-ball"):
    eta: float
    momentum: float

    def init(self, x0, problem=None):
        return replace(super().init(x0, problem), memory={"old": 1 * x0})

    def step(self, state, net):
        x, old = state.x, state.memory["old"]
        new = x - self.eta * net.gradient(x) + self.momentum * (x - old)
        return net.next(state, x=new, memory={"old": x})


RUN = {
    "problem": {"name": "quadratic", "H": [[[0.01, 0.0], [0.0, 0.49]]], "c": [[-8.0, 0.0]]},
    "topology": {"name": "complete"},
    "clients": 1,
    "rounds": 10,
    "algorithm": {"eta": 6.25, "momentum": 0.5625},
    "constants": {"R2": 64, "m": 0.5625},
}
PLUS, MINUS = (sp.sqrt(L) + sp.sqrt(mu)) ** 2, (sp.sqrt(L) - sp.sqrt(mu)) ** 2
TIES = (
    Assumption("eta at most", rule=eta * PLUS <= 4, finite=(L,)),
    Assumption("eta at least", rule=eta * PLUS >= 4, finite=(L,)),
    Assumption("m at most", rule=m * PLUS <= MINUS, finite=(L,)),
    Assumption("m at least", rule=m * PLUS >= MINUS, finite=(L,)),
)
r = sp.sqrt(m)
BOUND = (1 + (1 - r) * T) ** 2 * r ** (2 * T) * R2
STATEMENT = Statement(
    id="hostile.h03",
    source=Source("hostile", "Theorem 3", "heavy ball tied by square roots"),
    algorithm="h03-ball",
    quantity=Quantity("squared_distance", "last"),
    versions={
        "claim": Version({"bound": BOUND}, TIES, (Check("tied", RUN, "HOLDS"),)),
        "rival": Version({"bound": r ** (2 * T) * R2}, TIES, (Check("bare-rate", RUN, "VIOLATED"),)),
    },
)
