"""Runs that start where the problem says, and a minimiser at a kink.

``claims.away``: f(x) = x^2/2 from x = 3, so f(x^T) = (1 - eta)^(2T) 9/2. ``claims.kink``: f(x) is
|x| from x = 1; its subgradient at 0 is taken as 1, so no gradient is 0 at the minimiser. Of the
subgradient method min_t f(x^t) <= (x_0^2 + T eta^2)/(2 T eta), a theorem (G = 1).
"""

import numpy as np

from theorylab.known import How, Known
from theorylab.problems import Problem
from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.symbols import T, eta, f0

FAR = (Assumption("the start is far", rule=f0 >= 4),)


class _Plain(Problem):
    """No noise, one coordinate, and a start of its own."""

    start = 0.0

    def __init__(self, clients):
        super().__init__(clients, 1, False)
        self.optimum = np.zeros(1)

    def initial(self, seed, runs):
        return np.full((len(runs), self.clients, 1), self.start)

    def sample(self, seed, runs, round, step):
        return None

    def stochastic_gradient(self, x, sample):
        return self.gradient(x)

    def measured_noise(self, xbar):
        return np.zeros((len(xbar), self.clients))

    def describe(self):
        return {"name": self.name, "clients": self.clients}


class Away(_Plain, name="claims.away"):
    start = 3.0

    def loss(self, x):
        return x[..., 0] ** 2 / 2

    def gradient(self, x):
        return x.copy()

    def constants(self):
        known = {"L": 1.0, "mu": 1.0, "f_star": 0.0}
        return {name: Known(value, How.EXACT, "x^2/2") for name, value in known.items()}


class Kink(_Plain, name="claims.kink"):
    start = 1.0

    def loss(self, x):
        return np.abs(x[..., 0])

    def gradient(self, x):
        return np.where(x < 0, -1.0, 1.0)

    def constants(self):
        return {
            "f_star": Known(0.0, How.EXACT, "|x| at 0"),
            "B": Known(1.0, How.EXACT, "the slope of |x|"),
        }


def statement(name, quantity, problem, bound, verdict, assumes=()):
    run = {
        "problem": {"name": problem},
        "topology": {"name": "complete"},
        "clients": 1,
        "rounds": 25,
        "algorithm": {"eta": 0.06},
    }
    version = Version({"bound": bound}, assumes, (Check("one", run, verdict),))
    source = Source("starts", name, "a start of its own")
    return Statement(f"starts.{name}", source, quantity, {"claim": version}, "sgp")


LAST, BEST = Quantity("loss", "last"), Quantity("loss", "best")
EXACT = (1 - eta) ** (2 * T) * f0
STATEMENTS = [
    statement("away", LAST, "claims.away", 1.001 * EXACT, "HOLDS", FAR),
    statement("nearer", LAST, "claims.away", 0.999 * EXACT, "VIOLATED", FAR),
    statement("kink", BEST, "claims.kink", (f0**2 + T * eta**2) / (2 * T * eta), "HOLDS"),
    statement("sooner", BEST, "claims.kink", (f0**2 + T * eta**2) / (2000 * T * eta), "VIOLATED"),
]
