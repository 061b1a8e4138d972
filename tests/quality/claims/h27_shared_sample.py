"""h27. A PROBLEM WHOSE RUNS SHARE THEIR SAMPLES: f(x) = x^2/2 with noise xi = 0 or +-sqrt 2 s (chances 1/2,
1/4, 1/4), E xi^2 = s^2, drawn from (seed, round) without the run (kind "seed"), or from a generator of
the module, one draw a call ("module"), or rightly from (seed, run, round, step) ("right").
From x^0 = 0, T = 1, eta = 1/2: |x^1|^2 = xi^2/4 is 0 or s^2/2 with chance 1/2 each, E = s^2/4.
low: E|x^1|^2 <= s^2/8 FALSE. high: <= 3 s^2/8 TRUE. The true ceiling s^2/2 is declared.
seed-*, module-*: ERROR (named) best; INCONCLUSIVE and the true verdict acceptable. right-*: low
VIOLATED best, high HOLDS best, INCONCLUSIVE acceptable. WRONG: low HOLDS, high VIOLATED."""

import math

import numpy as np

from theorylab.known import How, Known
from theorylab.problems import Problem
from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.symbols import eta, sigma_l

GENERATOR = np.random.default_rng(11)


class Shared(Problem, name="h27-shared"):
    def __init__(self, clients, *, kind="right"):
        super().__init__(clients, 1, True)
        self.kind, self.optimum = kind, np.zeros(1)

    def loss(self, x):
        return (x**2).sum(axis=2) / 2

    def gradient(self, x):
        return 1 * x

    def sample(self, seed, runs, round, step):
        if self.kind == "module":
            faces = np.full(len(runs), GENERATOR.integers(4))
        else:
            extra = [[int(r), int(step)] if self.kind == "right" else [] for r in runs]
            keys = [[int(seed) % 2**32, int(round), *more] for more in extra]
            faces = np.array([np.random.default_rng(key).integers(4) for key in keys])
        values = np.array([0, 0, math.sqrt(2), -math.sqrt(2)])[faces]
        return np.repeat(values[:, None, None], self.clients, axis=1)

    def stochastic_gradient(self, x, sample):
        return x + sample.astype(x.dtype)

    def measured_noise(self, xbar):
        return np.ones((len(xbar), self.clients))

    def constants(self):
        exact = {"L": 1.0, "mu": 1.0, "f_star": 0.0, "sigma_l": 1.0}
        return {key: Known(value, How.EXACT, "x^2/2, E xi^2 = 1") for key, value in exact.items()}


def run(kind):
    place = {"problem": {"name": "h27-shared", "kind": kind}, "topology": {"name": "complete"}}
    return place | {"clients": 1, "rounds": 1, "algorithm": {"eta": 0.5}}


def version(factor, verdict):
    checks = [Check(f"{kind}-{factor}", run(kind), verdict) for kind in ("seed", "module", "right")]
    return Version({"b": NOISE * {"low": 0.5, "high": 1.5}[factor]}, (), tuple(checks))


NOISE = eta**2 * sigma_l**2
STATEMENT = Statement(
    id="hostile.h27",
    source=Source("hostile", "Lemma 27", "all runs share their samples"),
    algorithm="sgp",
    quantity=Quantity("squared_distance", "last", ceiling=2 * NOISE),
    versions={"a": version("low", "VIOLATED"), "b": version("high", "HOLDS")},
)
