"""Losses below 0: f(x) = x/4 on one client, from x = 0, with noise of two kinds.

E x^T = -eta T/4, so E f(x^T) = -eta T/16 = -.1 for eta = .1 and T = 16. ``rare``: the stochastic
gradient is 0, but with chance 1/1000 it is 250, so that nearly every run stays at f = 0.
"""

import numpy as np

from theorylab.known import How, Known
from theorylab.problems import Problem
from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.symbols import T, eta

CHANCE = 1e-3


class Slope(Problem, name="claims.slope"):
    """f(x) = x/4, with unit Gaussian noise, or with all of the gradient in rare draws."""

    def __init__(self, clients, *, rare=False):
        super().__init__(clients, 1, True)
        self.rare = rare

    def loss(self, x):
        return x[..., 0] / 4

    def gradient(self, x):
        return np.full_like(x, 0.25)

    def sample(self, seed, runs, round, step):
        keys = ([seed, int(run), round, step] for run in runs)
        return np.stack([self._one(np.random.default_rng(key)) for key in keys])

    def _one(self, draw):
        if self.rare:
            return np.where(draw.random((self.clients, 1)) < CHANCE, 0.25 / CHANCE, 0.0)
        return 0.25 + draw.standard_normal((self.clients, 1))

    def stochastic_gradient(self, x, sample):
        return sample + 0 * x

    def measured_noise(self, xbar):
        size = 0.25 * np.sqrt(1 / CHANCE - 1) if self.rare else 1.0
        return np.full((len(xbar), self.clients), size)

    def constants(self):
        size = 0.25 * (1 / CHANCE - 1) ** 0.5 if self.rare else 1.0
        return {
            "L": Known(0.0, How.EXACT, "a line"),
            "sigma_l": Known(size, How.EXACT, "the variance of the draw"),
        }

    def describe(self):
        return {"name": self.name, "clients": self.clients, "rare": self.rare}


def run(rare):
    return {
        "problem": {"name": "claims.slope", "rare": rare},
        "topology": {"name": "complete"},
        "clients": 1,
        "rounds": 16,
        "algorithm": {"eta": 0.1},
    }


def statement(name, rare, bound, verdict, relation="<="):
    check = Check("slope", run(rare), verdict)
    version = Version({"bound": bound}, (), (check,), relation=relation)
    source = Source("signed", name, "a loss below 0")
    quantity = Quantity("loss", "last")
    return Statement(f"signed.{name}", source, quantity, {"claim": version}, "sgp")


MEAN = -eta * T / 16
STATEMENTS = [
    statement("above", False, MEAN + 1, "INCONCLUSIVE"),
    statement("below", False, MEAN - 1, "INCONCLUSIVE"),
    statement("hidden", True, MEAN / 2, "INCONCLUSIVE", ">="),
]
