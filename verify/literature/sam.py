"""SAM with a constant radius contracts as gradient descent does: false.

The claim: with eta <= 1/L, |x^t - x*|^2 <= (1 - eta mu)^t |x^0 - x*|^2 for every radius rho. On f
= h x^2/2 the step is x - eta h (x + rho sign x). From x = eta h rho/(2 - eta h) it leads to -x,
and back: the models go to and fro for ever at a distance that is not 0. Correction: a floor in
rho, or a radius that falls: Si and Yun, "Practical sharpness-aware minimization cannot converge
all the way to optima", NeurIPS 2023, Theorem 3.1.
"""

from dataclasses import dataclass

import numpy as np

from theorylab.algorithms import Algorithm
from theorylab.known import How, Known
from theorylab.metrics import Metric
from theorylab.problems import Problem
from theorylab.runs import Row
from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.symbols import L, eta, mu, symbol, t

R2 = symbol("R2", "R^2", "|x^0 - x*|^2", units=(0, 2))
FALSE = "printed"


class Bowls(Problem, name="literature-sam-bowls"):  # f_i(x) = curvature_i |x - center_i|^2 / 2
    def __init__(self, clients, *, curvatures=1.0, centers=0.0):
        self.h, self.c = (np.resize(np.asarray(v, float), clients) for v in (curvatures, centers))
        self.optimum = (self.h * self.c).mean(keepdims=True) / self.h.mean()
        super().__init__(clients, 1)

    def loss(self, x):
        return (self.h * (x[..., 0] - self.c) ** 2 / 2).astype(x.dtype)

    def gradient(self, x):
        return (self.h[:, None] * (x - self.c[:, None])).astype(x.dtype)

    def constants(self):
        least = float((self.h * (self.optimum - self.c) ** 2).mean() / 2)
        found = {"mu": float(self.h.mean()), "L": float(self.h.max()), "f_star": least}
        return {name: Known(value, How.EXACT, "by hand") for name, value in found.items()}


@dataclass(frozen=True)
class Sharp(Algorithm, name="literature-sam"):
    eta: float
    rho: float

    def step(self, state, net):
        up = net.ascent(state.x, net.gradient(state.x), self.rho)
        return net.next(state, x=net.mix(state.x - self.eta * net.gradient(up)))


class Away(Metric, name="literature.sam"):
    def rows(self, before, after):
        away = after.x - self.setting.problem.optimum
        yield Row((away**2).sum(axis=2).mean(axis=1), {"t": after.t}, f"t={after.t}")


def first(at):
    return float(((at.start - at.problem.optimum) ** 2).sum(axis=1).mean())


RUN = {"problem": {"name": "literature-sam-bowls", "curvatures": 1.0, "centers": 0.0}, "clients": 1}
RUN |= {"topology": {"name": "complete"}, "rounds": 6, "x0": 2.0}
RUN |= {"algorithm": {"eta": 0.25, "rho": 0.1}}
EXACT = Assumption("exact gradients", holds=lambda at: not at.problem.stochastic)
RULES = (
    EXACT,
    Assumption("eta <= 1/L", rule=eta * L <= 1),
    Assumption("one client", holds=lambda at: len(at.start) == 1),
)
TERMS = {"rate": (1 - eta * mu) ** t * R2}
CLAIM = Version(TERMS, RULES, (Check("bowl", RUN),), constants={R2: first})
LEFT = Quantity("literature.sam", "rows", (0, 2), r"\frac1n \sum_i |x_i^t - x^*|^2")
SOURCE = Source("folklore", "a rate", "SAM is linear with a constant radius")
STATEMENT = Statement("literature.sam", SOURCE, LEFT, {FALSE: CLAIM}, "literature-sam")
