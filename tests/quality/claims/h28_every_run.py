"""h28. EVERY RUN, WITH A CHANCE, AND MAXIMA, false by rare runs: each round adds J coin, coin = 1 with
chance p = 10^-4, else 0; T = 10; f irrelevant, |x^T|^2 = J^2 S^2 with S ~ Binomial(10, 10^-4).
P(S >= 1) = 1 - (1-p)^10 = 9.9955e-4; P(S >= 2) = 4.5e-7. E S^2 = 10 p (1-p) + 100 p^2 = 1.0009e-3.
every: pathwise |x^T|^2 <= 0 FALSE. every-true: pathwise <= 100 J^2 TRUE.
chance: P(|x^T|^2 > 0) <= 9.99e-4 FALSE. chance-true: P(> 0) <= 10^-3 TRUE.
chance-two (coins only; h29 has it sampled): P(|x^T|^2 > J^2) <= 4.6e-7 TRUE. max: E max_{t<T} |x^t|^2 <= 10^-4 J^2 FALSE (= E of
t = 9: 9 p (1-p) + 81 p^2 = 9.0072e-4). max-true: <= 9.01e-4 J^2 TRUE.
coins-*: by net.coins; own-*: by an own generator (sampled only).
TRUE: HOLDS best, INCONCLUSIVE acceptable, VIOLATED wrong; FALSE: VIOLATED best, INCONCLUSIVE
acceptable, HOLDS wrong."""

import numpy as np

from theorylab.algorithms import Algorithm
from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.symbols import symbol

J = symbol("J", "J", "length of a jump", units=(0, 1))


class Coins(Algorithm, name="h28-coins"):
    def __init__(self, length):
        self.length = length

    def coin(self, net, t):
        return net.coins(1, "bernoulli", p=1e-4)

    def step(self, state, net):
        return net.next(state, x=state.x + self.length * self.coin(net, state.t))


class Own(Coins, name="h28-own"):
    draws = True

    def coin(self, net, t):
        keys = [[int(net.seed) % 2**32, int(run), t] for run in net.runs]
        return np.array([np.random.default_rng(k).random() < 1e-4 for k in keys])[:, None, None]


RUN = {
    "problem": {"name": "quadratic", "H": [[[1.0]]], "c": [[0.0]]},
    "topology": {"name": "complete"},
    "clients": 1,
    "rounds": 10,
    "algorithm": {"length": 3.0},
    "constants": {"J": 3.0},
}


def left(over="last", **kind):
    return Quantity("squared_distance", over, **kind)


CLAIMS = {
    "every": (left(pathwise=True), 0, "VIOLATED"),
    "every-true": (left(pathwise=True), 100, "HOLDS"),
    "chance": (left(chance=9.99e-4), 0, "VIOLATED"),
    "chance-true": (left(chance=1e-3), 0, "HOLDS"),
    "chance-two": (left(chance=4.6e-7), 1, "HOLDS"),
    "max": (left("max"), 1e-4, "VIOLATED"),
    "max-true": (left("max"), 9.01e-4, "HOLDS"),
}


def statement(name, algorithm, left_out=()):
    versions = {
        key: Version({"b": at * J**2}, (), (Check(f"{name}-{key}", RUN, verdict),), quantity=quantity)
        for key, (quantity, at, verdict) in CLAIMS.items()
        if key not in left_out
    }
    source = Source("hostile", "Lemma 28", "every run")
    return Statement(f"hostile.h28_{name}", source, left(), versions, algorithm)


STATEMENTS = [statement("coins", "h28-coins"), statement("own", "h28-own", ["chance-two"])]
