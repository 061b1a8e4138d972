"""h23. x* ON THE EDGE OF A SET: projected gradient descent on [0, 10] with f(x) = x + x^2/2, so x* = 0,
f(x*) = 0, f'(x*) = 1; on R inf f = -1/2 (f_star; but 0 in "declared"). eta = .1, x^0 = 2. contracts: |x^T - x*|^2 <= (1 - eta mu)^(2T) R^2, T = 5: TRUE (x+ = max(0, .9 x - .1) <= .9 x).
x^5 = .77147: left .5951659609 exactly, bound 1.3947. tight: bound .5951659609: TRUE, equality. under: bound .5951: FALSE.
stationary: (1/T) sum |f'(x^t)|^2 <= 2 (f0 - f_star)/(eta T), T = 200, reading f_star = -1/2: left >= 1
(f' >= 1 on the set), bound .45: FALSE (stationary-named: the same by name). arrives: |x^T - x*|^2 <= 0 at T = 30 (x^t = 0 from t = 11): TRUE.
loss-edge: f(x^T) <= 0, T = 30: TRUE, equality. sub-edge: f(x^T) - f_star <= 1/4, T = 30: FALSE (1/2).
declared: as contracts, by squared_distance, optimum = 0 and inside(x): TRUE. INCONCLUSIVE is acceptable."""

import numpy as np

from theorylab.algorithms import Algorithm
from theorylab.known import How, Known
from theorylab.metrics import Metric
from theorylab.problems import Problem
from theorylab.runs import Row
from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.symbols import T, eta, f0, f_star, mu, symbol

R2 = symbol("R2", "R^2", "|x^0 - x*|^2", units=(0, 2))
G = symbol("g", "g", "a claimed value of f", units=(1, 0))


class Slope(Problem, name="h23-slope"):
    def __init__(self, clients, *, known=False):
        super().__init__(clients, 1)
        self.known, self.optimum = known, np.zeros(1) if known else None  # x* of [0, 10]

    def loss(self, x):
        return (x + x**2 / 2).sum(axis=2)

    def gradient(self, x):
        return 1 + x

    def inside(self, x):
        return (not self.known) | ((x >= 0) & (x <= 10)).all(axis=-1)

    def constants(self):
        exact = {"L": 1.0, "mu": 1.0, "f_star": 0.0 if self.known else -0.5}
        return {key: Known(value, How.EXACT, "f = x + x^2/2") for key, value in exact.items()}


class Projected(Algorithm, name="h23-projected"):
    def __init__(self, eta):
        self.eta = eta

    def step(self, state, net):
        return net.next(state, x=np.clip(state.x - self.eta * net.gradient(state.x), 0, 10))


class Far(Metric, name="h23.far"):
    def rows(self, before, after):
        return ()

    def last(self, state):
        yield Row((state.x.mean(axis=1) ** 2).sum(axis=1), {}, "x^T")


def version(name, left, bound, verdict, rounds, known=False, **given):
    problem = {"name": "h23-slope", "known": known}
    place = {"problem": problem, "topology": {"name": "complete"}, "clients": 1, "x0": 2.0}
    place |= {"rounds": rounds, "algorithm": {"eta": 0.1}, "constants": given}
    return Version({"b": bound}, (), (Check(name, place, verdict),), quantity=left)


FAR, LOSS = Quantity("h23.far", "rows", (0, 2), r"|x^T - x^*|^2"), Quantity("loss", "last")
GAP, SLOPES = Quantity("suboptimality", "last"), Quantity("squared_gradient", "average")
KNOWN, STATION = Quantity("squared_distance", "last"), 2 * (f0 - f_star) / (eta * T)
VERSIONS = {
    "a": version("contracts", FAR, (1 - eta * mu) ** (2 * T) * R2, "HOLDS", 5, R2=4),
    "z": version("declared", KNOWN, (1 - eta * mu) ** (2 * T) * R2, "HOLDS", 5, True, R2=4),
    "b": version("tight", FAR, R2, "HOLDS", 5, R2=0.5951659609),
    "c": version("under", FAR, R2, "VIOLATED", 5, R2=0.5951),
    "d": version("stationary", SLOPES, STATION, "VIOLATED", 200),
    "h": version("stationary-named", "mean_squared_gradient", STATION, "VIOLATED", 200),
    "e": version("arrives", FAR, R2, "HOLDS", 30, R2=0),
    "f": version("loss-edge", LOSS, G, "HOLDS", 30, g=0),
    "g": version("sub-edge", GAP, G, "VIOLATED", 30, g=0.25),
}
STATEMENT = Statement("hostile.h23", Source("hostile", "23", "x"), FAR, VERSIONS, "h23-projected")
