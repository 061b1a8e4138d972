"""h08. SURVIVE AND DOUBLE: x^{t+1} = 2 x^t with chance 1/2, else 0 (a fair game: E x^t = x^0). On
f(x) = x^2/2, f(x^T) - f* = 4^T (f0 - f*) with chance 2^-T, else 0: E = 2^T (f0 - f*).
short-*: T = 8 (256 outcomes), long-*: T = 40 (1000 runs are all at 0), by net.coins; own-*: T = 40 by
an own generator; *-given: with the true ceiling 4^T (f0 - f*).
false: E <= f0 - f*. true: E <= 2^T (f0 - f*), equality. low: E >= 2^T (f0 - f*) TRUE, equality.
nested: T = 1, a second coin (p = .01) is tossed only if the first (p = .01) is 1; if both are 1
x^1 = 1000 x^0, else x^0: E = (1 - 10^-4 + 10^-4 10^6)(f0 - f*) = 100.9999 (f0 - f*).
nested-false: <= 2 (f0 - f*) FALSE. nested-true: <= 101 (f0 - f*) TRUE.
true, low: HOLDS best, INCONCLUSIVE acceptable, VIOLATED wrong. false: VIOLATED best, INCONCLUSIVE
acceptable, HOLDS wrong. ERROR is wrong."""

import numpy as np

from theorylab.algorithms import Algorithm
from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.symbols import T, f0, f_star


class Double(Algorithm, name="h08-double"):
    def __init__(self):
        pass

    def step(self, state, net):
        return net.next(state, x=2 * state.x * net.coins(1, "bernoulli", p=0.5))


class Own(Double, name="h08-own"):
    draws = True

    def step(self, state, net):
        keys = [[int(net.seed) % 2**32, int(run), state.t] for run in net.runs]
        coin = np.array([np.random.default_rng(key).random() < 0.5 for key in keys])
        return net.next(state, x=2 * state.x * coin[:, None, None])


class Nested(Double, name="h08-nested"):
    def step(self, state, net):
        first = net.coins(1, "bernoulli", p=0.01)
        if first.any():
            first = first * net.coins(1, "bernoulli", p=0.01)
        return net.next(state, x=state.x * (1 + 999 * first))


def run(rounds):
    place = {"problem": {"name": "quadratic", "H": [[[1.0]]], "c": [[0.0]]}, "clients": 1}
    return place | {"topology": {"name": "complete"}, "rounds": rounds, "algorithm": {}, "x0": 1.0}


GAP, LEFT = f0 - f_star, Quantity("suboptimality", "last")
GIVEN = Quantity("suboptimality", "last", ceiling=4**T * GAP)
SOURCE = Source("hostile", "Lemma 8", "a fair game")
CLAIMS = {"false": (GAP, "<=", "VIOLATED"), "true": (2**T * GAP, "<=", "HOLDS")}
FAIR = CLAIMS | {"low": (2**T * GAP, ">=", "HOLDS")}
NESTED = {"false": (2 * GAP, "<=", "VIOLATED"), "true": (101 * GAP, "<=", "HOLDS")}


def statement(name, algorithm, rounds, claims=FAIR, left=LEFT):
    versions = {
        key: Version({"b": bound}, (), (Check(f"{name}-{key}", run(rounds), verdict),), relation=rel)
        for key, (bound, rel, verdict) in claims.items()
    }
    return Statement(f"hostile.h08_{name}", SOURCE, left, versions, algorithm)


STATEMENTS = [
    statement("short", "h08-double", 8),
    statement("long", "h08-double", 40),
    statement("given", "h08-double", 40, left=GIVEN),
    statement("own", "h08-own", 40),
    statement("nested", "h08-nested", 1, NESTED),
]
