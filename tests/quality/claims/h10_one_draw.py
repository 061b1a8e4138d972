"""h10. ONE DRAW FOR ALL RUNS: x^{t+1} = x^t - eta g + J s, s = 0 or 2 with chance 1/2, but the code
draws s from (seed, t) alone, so that all runs share it. From the minimum 0 of a flat-started
quadratic, T = 1: x^1 = J s, E|x^1|^2 = 2 J^2 (over the coin).
CLAIMS: low: <= 3/2 J^2: FALSE. high: <= 5/2 J^2: TRUE. at-least: >= 3/2 J^2: TRUE.
*-given: low and high with the true ceiling 4 J^2 declared. Copies of one draw show 0 or 4 J^2 in
every run: whatever the draw, a sample that takes them for independent runs calls low HOLDS, or
high VIOLATED.
RIGHT: ERROR (named: runs share their coins) best; INCONCLUSIVE acceptable; the true verdict (low
VIOLATED, high HOLDS, at-least HOLDS) acceptable only by chance. WRONG: low HOLDS, high VIOLATED,
at-least VIOLATED."""

from dataclasses import dataclass

import numpy as np

from theorylab.algorithms import Algorithm
from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.symbols import symbol

J = symbol("J", "J", "length of a jump", units=(0, 1))


@dataclass(frozen=True)
class Jumps(Algorithm, name="h10-jumps"):
    eta: float
    length: float
    draws = True

    def step(self, state, net):
        coin = 2 * np.random.default_rng([int(net.seed) % 2**32, state.t]).integers(2)
        return net.next(state, x=state.x - self.eta * net.gradient(state.x) + self.length * coin)


RUN = {
    "problem": {"name": "quadratic", "H": [[[1.0]]], "c": [[0.0]]},
    "topology": {"name": "complete"},
    "clients": 1,
    "rounds": 1,
    "algorithm": {"eta": 0.5, "length": 3.0},
    "constants": {"J": 3.0},
}
PLAIN = Quantity("squared_distance", "last")
GIVEN = Quantity("squared_distance", "last", ceiling=4 * J**2)


def version(name, factor, quantity=PLAIN, relation="<="):
    checks = (Check(name, RUN, "INCONCLUSIVE"),)  # best is an ERROR row, which no check can expect
    return Version({"bound": factor * J**2}, (), checks, quantity=quantity, relation=relation)


STATEMENT = Statement(
    id="hostile.h10",
    source=Source("hostile", "Lemma 10", "all runs share one coin"),
    algorithm="h10-jumps",
    quantity=PLAIN,
    versions={
        "a": version("low", 1.5),
        "b": version("high", 2.5),
        "c": version("low-given", 1.5, GIVEN),
        "d": version("high-given", 2.5, GIVEN),
        "e": version("at-least", 1.5, relation=">="),
    },
)
