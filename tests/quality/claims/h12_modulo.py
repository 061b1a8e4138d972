"""h12. COINS SHARED BY EVERY EIGHTH RUN: x^1 = J s, s = 0 or 2 with chance 1/2 (seen as a draw of
the salt), but s is a function of run % 8 alone, and the salts are chosen so that the eight coins are
all 0 (94) or all 2 (282). With independent fair coins E|x^1|^2 = 2 J^2.
low (salt 94): <= J^2: FALSE of the algorithm with fair coins, while every run shows 0.
high (salt 282): <= 3 J^2: TRUE of it, while every run shows 4 J^2.
pairs-*: s from a fair draw of (seed, run // 2): each two runs share, low and high as above.
True ceiling 4 J^2. Best: ERROR (named: runs share coins). INCONCLUSIVE acceptable. The true verdict
is acceptable. WRONG: low HOLDS, high VIOLATED, pairs-low HOLDS, pairs-high VIOLATED."""

import numpy as np

from theorylab.algorithms import Algorithm
from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.symbols import symbol

J = symbol("J", "J", "length of a jump", units=(0, 1))


class Eight(Algorithm, name="h12-eight"):
    draws = True

    def __init__(self, length, salt=94, pairs=False):
        self.length, self.salt, self.pairs = length, salt, pairs

    def key(self, net, run, t):
        return [self.salt, int(net.seed) % 2**32, run // 2, t] if self.pairs else [self.salt, run % 8]

    def step(self, state, net):
        keys = [self.key(net, int(run), state.t) for run in net.runs]
        coins = np.array([np.random.default_rng(key).random() >= 0.5 for key in keys])
        return net.next(state, x=state.x + self.length * 2 * coins[:, None, None])


def run(salt, pairs):
    return {
        "problem": {"name": "quadratic", "H": [[[1.0]]], "c": [[0.0]]},
        "topology": {"name": "complete"},
        "clients": 1,
        "rounds": 1,
        "algorithm": {"length": 3.0, "salt": salt, "pairs": pairs},
        "constants": {"J": 3.0},
    }


def version(name, salt, factor, pairs=False):
    checks = (Check(name, run(salt, pairs), "INCONCLUSIVE"),)
    return Version({"bound": factor * J**2}, (), checks)


STATEMENT = Statement(
    id="hostile.h12",
    source=Source("hostile", "Lemma 12", "eight coins for all runs"),
    algorithm="h12-eight",
    quantity=Quantity("squared_distance", "last", ceiling=4 * J**2),
    versions={
        "a": version("low", 94, 1),
        "b": version("high", 282, 3),
        "c": version("pairs-low", 94, 1, True),
        "d": version("pairs-high", 94, 3, True),
    },
)
