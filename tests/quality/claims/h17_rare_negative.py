"""h17. RARE NEGATIVE VALUES: one round moves the model by J (chance 1 - p) or by -10^5 J (chance p =
10^-4); the left side is the signed coordinate xbar^1, E xbar^1 = J (1 - p) - 10 J = -9.0001 J.
1000 runs show J in every run with chance .9.
positive: E xbar^1 >= 0 FALSE. floor: E xbar^1 >= -10 J TRUE. below: E xbar^1 <= -9 J TRUE (!, samples
show +J). near: E xbar^1 <= -9.1 J FALSE. The coin is drawn by an own generator of (seed, run, t)
(own-*), or by net.coins (coins-*), whose two outcomes can be listed.
own-given-*: with the true floor -10^5 J and the true ceiling J declared.
TRUE: HOLDS best, INCONCLUSIVE acceptable, VIOLATED wrong. FALSE: VIOLATED best, INCONCLUSIVE
acceptable, HOLDS wrong. For coins-* INCONCLUSIVE is acceptable, ERROR wrong."""

import numpy as np

from theorylab.algorithms import Algorithm
from theorylab.metrics import Metric
from theorylab.runs import Row
from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.symbols import symbol

J = symbol("J", "J", "length of a jump", units=(0, 1))


class Lottery(Algorithm, name="h17-lottery"):
    draws = True

    def __init__(self, length, chance):
        self.length, self.chance = length, chance

    def coin(self, net, t):
        keys = [[int(net.seed) % 2**32, int(run), t] for run in net.runs]
        return np.array([np.random.default_rng(k).random() < self.chance for k in keys])[:, None, None]

    def step(self, state, net):
        lost = self.coin(net, state.t)
        return net.next(state, x=state.x + self.length * (1 - lost * (1 + 1e5)))


class Listed(Lottery, name="h17-listed"):
    draws = False

    def coin(self, net, t):
        return net.coins(1, "bernoulli", p=self.chance)


class Signed(Metric, name="h17.signed"):
    def rows(self, before, after):
        yield Row(after.x.mean(axis=(1, 2)), {"t": before.t}, f"t={before.t}")


RUN = {
    "problem": {"name": "quadratic", "H": [[[1.0]]], "c": [[0.0]]},
    "topology": {"name": "complete"},
    "clients": 1,
    "rounds": 1,
    "algorithm": {"length": 3.0, "chance": 1e-4},
    "constants": {"J": 3.0},
}
LEFT = Quantity("h17.signed", "rows", (0, 1), r"\bar x^1")
GIVEN = Quantity("h17.signed", "rows", (0, 1), r"\bar x^1", floor=-(10**5) * J, ceiling=J)


def statement(name, algorithm, left):
    claims = {"positive": (0, ">=", "VIOLATED"), "floor": (-10, ">=", "HOLDS")}
    claims |= {"below": (-9, "<=", "HOLDS"), "near": (-9.1, "<=", "VIOLATED")}
    versions = {
        key: Version({"b": at * J}, (), (Check(f"{name}-{key}", RUN, verdict),), relation=relation)
        for key, (at, relation, verdict) in claims.items()
    }
    source = Source("hostile", "Lemma 17", "a rare loss")
    return Statement(f"hostile.h17_{name.replace('-', '_')}", source, left, versions, algorithm)


STATEMENTS = [
    statement("own", "h17-lottery", LEFT),
    statement("coins", "h17-listed", LEFT),
    statement("own-given", "h17-lottery", GIVEN),
]
