"""A walk of 16 signs: E|x^T|^2 = 16, whoever tosses. Steps that toss one coin for all runs, or by a
generator that nobody can replay, show one path again and again.
"""

import random
from dataclasses import replace

import numpy as np

from theorylab.algorithms import Algorithm
from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.symbols import T

RUN = {
    "problem": {"name": "quadratic", "H": [[[1.0]]], "c": [[0.0]]},
    "topology": {"name": "complete"},
    "clients": 1,
    "rounds": 16,
    "algorithm": {},
}


def moved(state, signs):
    x = state.x + signs
    return replace(state, t=state.t + 1, x=x, z=x)


class OneForAll(Algorithm, name="claims.one-for-all"):
    """The seed and the round make the coin; the run does not."""

    draws = True

    def step(self, state, net):
        coin = np.random.default_rng([net.seed, state.t])
        return moved(state, 1.0 if coin.random() < 0.5 else -1.0)


class Python(Algorithm, name="claims.python"):
    """Python's own generator."""

    draws = True

    def step(self, state, net):
        signs = np.array([random.choice([-1.0, 1.0]) for _ in net.runs])
        return moved(state, signs[:, None, None])


class Global(Algorithm, name="claims.global"):
    """NumPy's global generator."""

    draws = True

    def step(self, state, net):
        signs = np.where(np.random.rand(len(net.runs)) < 0.5, -1.0, 1.0)  # noqa: NPY002
        return moved(state, signs[:, None, None])


class OneEach(Algorithm, name="claims.one-each"):
    """A generator of its own for every run and round."""

    draws = True

    def step(self, state, net):
        coins = [np.random.default_rng([net.seed, int(run), state.t]) for run in net.runs]
        signs = np.array([1.0 if coin.random() < 0.5 else -1.0 for coin in coins])
        return moved(state, signs[:, None, None])


def statement(name, algorithm, quantity, bound, verdict):
    version = Version({"bound": bound}, (), (Check("walk", RUN, verdict),))
    source = Source("shared", name, "a walk of signs")
    return Statement(f"shared.{name}", source, quantity, {"claim": version}, algorithm)


SQUARE = Quantity("squared_distance", "last")
GIVEN = Quantity("squared_distance", "last", ceiling=T**2)
STATEMENTS = [
    statement("all", "claims.one-for-all", SQUARE, T / 2, "INCONCLUSIVE"),
    statement("ceiling", "claims.one-for-all", GIVEN, T / 2, "INCONCLUSIVE"),
    statement("python", "claims.python", GIVEN, T / 2, "INCONCLUSIVE"),
    statement("global", "claims.global", GIVEN, T / 2, "INCONCLUSIVE"),
    statement("honest", "claims.one-each", GIVEN, 8 * T, "HOLDS"),
    statement("unknown", "claims.one-each", SQUARE, 8 * T, "INCONCLUSIVE"),
]
