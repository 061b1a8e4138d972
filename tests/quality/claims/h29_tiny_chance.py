"""h29. A TINY CHANCE, SAMPLED: the walk of h28 with an own generator: each round adds J coin, coin = 1 with
chance p = 10^-4, T = 10, x^T = J S, S ~ Binomial(10, 10^-4), P(S >= 2) = 4.4976e-7.
two: P(|x^T|^2 > J^2) <= 4.6e-7 TRUE (2 million runs hold about one S >= 2; to decide needs 10^9 runs).
less: P(|x^T|^2 > J^2) <= 4.4e-7 FALSE. The default limit is 64 runs: the answer has to come in seconds.
two: HOLDS best, INCONCLUSIVE acceptable, VIOLATED wrong; less: VIOLATED best, INCONCLUSIVE acceptable,
HOLDS wrong. No answer within minutes is a fault."""

import numpy as np

from theorylab.algorithms import Algorithm
from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.symbols import symbol

J = symbol("J", "J", "length of a jump", units=(0, 1))


class Own(Algorithm, name="h29-own"):
    draws = True

    def __init__(self, length):
        self.length = length

    def step(self, state, net):
        keys = [[int(net.seed) % 2**32, int(run), state.t] for run in net.runs]
        coin = np.array([np.random.default_rng(k).random() < 1e-4 for k in keys])[:, None, None]
        return net.next(state, x=state.x + self.length * coin)


RUN = {
    "problem": {"name": "quadratic", "H": [[[1.0]]], "c": [[0.0]]},
    "topology": {"name": "complete"},
    "clients": 1,
    "rounds": 10,
    "algorithm": {"length": 3.0},
    "constants": {"J": 3.0},
}


def version(name, chance, verdict):
    left = Quantity("squared_distance", "last", chance=chance)
    return Version({"b": J**2}, (), (Check(name, RUN, verdict),), quantity=left)


STATEMENT = Statement(
    id="hostile.h29",
    source=Source("hostile", "Lemma 29", "a tiny chance"),
    algorithm="h29-own",
    quantity=Quantity("squared_distance", "last"),
    versions={"a": version("two", 4.6e-7, "HOLDS"), "b": version("less", 4.4e-7, "VIOLATED")},
)
