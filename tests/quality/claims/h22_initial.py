"""h22. STARTS ELSEWHERE: f(x) = x^2/2, eta = 1/2, T = 3, and no x0 in the instance, so that runs start
where the problem says (Problem.initial): f(x^3) - f* = (f0 - f*)/64.
fixed start 3: f0 = 4.5. "at-least": f(x^3)-f* >= .07 TRUE (.0703125; it is 0 from a start at 0).
"at-most": <= (f0 - f*)/64 TRUE, equality. "low": <= .07 FALSE (true only from 0). "R": |x^3|^2 <=
x0_sq/64 (x0_sq = (1/n) sum |x_i^0|^2 = 9) TRUE, equality.
lottery: a run starts at 1 with chance .999, at 1000 with chance .001 (a function of (seed, run)):
E f(x^3) = .5 (.999 + 1000)/64 = 7.820. "rare-low": <= .01 FALSE (a usual run has .0078).
"rare-high": <= 7.83 TRUE. "rare-f0": <= (f0 - f*)/64, f0 being the start's own: TRUE, equality.
TRUE ones: HOLDS best, INCONCLUSIVE and ERROR (a random f0 refused) acceptable, VIOLATED wrong. FALSE ones: VIOLATED
best, INCONCLUSIVE acceptable (ERROR, too, for rare-low), HOLDS wrong."""

import numpy as np

from theorylab.known import How, Known
from theorylab.problems import Problem
from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.symbols import f0, f_star, symbol, x0_sq

G = symbol("g", "g", "a claimed value of f - f*", units=(1, 0))


class Away(Problem, name="h22-away"):
    def __init__(self, clients, *, lottery=False):
        super().__init__(clients, 1)
        self.lottery, self.optimum = lottery, np.zeros(1)

    def initial(self, seed, runs):
        start = np.full((len(runs), self.clients, 1), 3.0)
        if self.lottery:
            for place, run in enumerate(runs):
                won = np.random.default_rng([int(seed) % 2**32, int(run)]).random() < 0.001
                start[place] = 1000.0 if won else 1.0
        return start

    def loss(self, x):
        return (x**2).sum(axis=2) / 2

    def gradient(self, x):
        return 1 * x

    def constants(self):
        exact = {"L": 1.0, "mu": 1.0, "f_star": 0.0}
        return {key: Known(value, How.EXACT, "f = x^2/2") for key, value in exact.items()}


def run(lottery, value):
    return {
        "problem": {"name": "h22-away", "lottery": lottery},
        "topology": {"name": "complete"},
        "clients": 1,
        "rounds": 3,
        "algorithm": {"eta": 0.5},
        "constants": {"g": value},
    }


GAP, DISTANCE = Quantity("suboptimality", "last"), Quantity("squared_distance", "last")
OWN = (f0 - f_star) / 64


def version(name, bound, verdict, lottery=False, value=0.07, relation="<=", left=GAP):
    check = (Check(name, run(lottery, value), verdict),)
    return Version({"b": bound}, (), check, quantity=left, relation=relation)


VERSIONS = {
    "a": version("at-least", G, "HOLDS", relation=">="),
    "b": version("at-most", OWN, "HOLDS"),
    "c": version("low", G, "VIOLATED"),
    "d": version("R", x0_sq / 64, "HOLDS", left=DISTANCE),
    "e": version("rare-low", G, "VIOLATED", True, 0.01),
    "f": version("rare-high", G, "HOLDS", True, 7.83),
    "g": version("rare-f0", OWN, "HOLDS", True),
}
SOURCE = Source("hostile", "Lemma 22", "a start of the problem's own")
STATEMENT = Statement("hostile.h22", SOURCE, GAP, VERSIONS, "sgp")
