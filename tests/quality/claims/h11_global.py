"""h11. A GLOBAL GENERATOR: a random walk x^{t+1} = x^t + J s, s = +-1, T = 4, with s from a
generator of the module (its state goes on from call to call, seeds and run numbers are ignored).
E|x^4|^2 = 4 J^2, and |x^4|^2 <= 16 J^2 always.
"shared" (one draw for all runs of a call): low: <= 2 J^2 FALSE; high: <= 6 J^2 TRUE.
"each" (one draw a run: independent, but not repeatable): low FALSE, high TRUE.
All with the true ceiling 16 J^2. Best: ERROR (named); INCONCLUSIVE acceptable; for "each" the true
verdict (low VIOLATED, high HOLDS) is as good. WRONG: low HOLDS, high VIOLATED."""

import numpy as np

from theorylab.algorithms import Algorithm
from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.symbols import symbol

J = symbol("J", "J", "length of a step", units=(0, 1))
GENERATOR = np.random.default_rng(7)


class Walk(Algorithm, name="h11-walk"):
    draws = True

    def __init__(self, length, each=False):
        self.length, self.each = length, each

    def step(self, state, net):
        count = len(state.x) if self.each else 1
        coin = 2 * GENERATOR.integers(2, size=(count, 1, 1)) - 1
        return net.next(state, x=state.x + self.length * coin)


def run(each):
    return {
        "problem": {"name": "quadratic", "H": [[[1.0]]], "c": [[0.0]]},
        "topology": {"name": "complete"},
        "clients": 1,
        "rounds": 4,
        "algorithm": {"length": 3.0, "each": each},
        "constants": {"J": 3.0},
    }


def version(name, each, factor, verdict):
    return Version({"bound": factor * J**2}, (), (Check(name, run(each), verdict),))


STATEMENT = Statement(
    id="hostile.h11",
    source=Source("hostile", "Lemma 11", "a generator of the module"),
    algorithm="h11-walk",
    quantity=Quantity("squared_distance", "last", ceiling=16 * J**2),
    versions={
        "a": version("shared-low", False, 2, "INCONCLUSIVE"),
        "b": version("shared-high", False, 6, "INCONCLUSIVE"),
        "c": version("each-low", True, 2, "INCONCLUSIVE"),
        "d": version("each-high", True, 6, "INCONCLUSIVE"),
    },
)
