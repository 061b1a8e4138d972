"""h09. SGD, one step from the minimum of x^2/2: x^1 = -eta xi with xi = +-exp(4 Z), Z normal, so
E xi = 0, E xi^2 = e^32 = 7.9e13 (sigma_l = e^16 to 1e-16). Of 1000 runs the mean of xi^2
is about e^19..e^23: a million times too small. CLAIMS of E|x^1|^2 = eta^2 e^32:
false: <= eta^2 sigma_l^2 e^-4 (e^28; chance that one run exceeds e^28: P(Z > 3.5) = 2e-4): FALSE.
true: <= (1 + 10^-6) eta^2 sigma_l^2: TRUE. double: <= 2 eta^2 sigma_l^2: TRUE.
false-kurtosis: false, with k = 7e27 >= e^64 = E xi^4/(E xi^2)^2 given (true).
best: false VIOLATED, INCONCLUSIVE acceptable, HOLDS wrong; true and double HOLDS (hardly
possible by samples), INCONCLUSIVE acceptable, VIOLATED wrong."""

import math

import numpy as np

from theorylab.known import How, Known
from theorylab.problems import Problem
from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.symbols import eta, sigma_l


class Tail(Problem, name="h09-tail"):
    def __init__(self, clients):
        super().__init__(clients, 1, True)
        self.optimum = np.zeros(1)

    def loss(self, x):
        return (x**2).sum(axis=2) / 2

    def gradient(self, x):
        return 1 * x

    def sample(self, seed, runs, round, step):
        key = [[int(seed), int(r), int(round), int(step)] for r in runs]
        draws = np.array([np.random.default_rng(k).standard_normal((self.clients, 2)) for k in key])
        return np.sign(draws[..., :1]) * np.exp(4 * draws[..., 1:])

    def stochastic_gradient(self, x, sample):
        return x + sample.astype(x.dtype)

    def measured_noise(self, xbar):
        return np.full((len(xbar), self.clients), math.exp(16))

    def constants(self):
        exact = {"L": (1.0, "f'' = 1"), "mu": (1.0, "f'' = 1"), "f_star": (0.0, "f(0) = 0")}
        exact["sigma_l"] = (math.exp(16), "E exp(8 Z) = e^32")
        return {key: Known(value, How.EXACT, why) for key, (value, why) in exact.items()}


RUN = {
    "problem": {"name": "h09-tail"},
    "topology": {"name": "complete"},
    "clients": 1,
    "rounds": 1,
    "algorithm": {"eta": 0.5},
}
NOISE = eta**2 * sigma_l**2


def version(name, factor, verdict, **known):
    left = Quantity("squared_distance", "last", **known)
    return Version({"bound": NOISE * factor}, (), (Check(name, RUN, verdict),), quantity=left)


STATEMENT = Statement(
    id="hostile.h09",
    source=Source("hostile", "Lemma 9", "a log-normal tail"),
    algorithm="sgp",
    quantity=Quantity("squared_distance", "last"),
    versions={
        "a": version("false", math.exp(-4), "VIOLATED"),
        "b": version("true", 1.000001, "HOLDS"),
        "c": version("double", 2, "HOLDS"),
        "d": version("false-kurtosis", math.exp(-4), "VIOLATED", kurtosis=7e27),
    },
)
