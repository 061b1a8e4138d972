"""Decentralized gradient descent is linear with a constant step: false.

Its rest point solves x_i = sum_j W_ij x_j - eta grad f_i(x_i). Were it x* for all i, then grad
f_i(x*) = 0 for each client. With centers that differ that fails, so that the models stay a fixed
distance away, and (1 - eta mu)^t falls below it. Correction: a neighbourhood of size O(eta/(1 -
w)), Yuan, Ling, Yin, "On the convergence of decentralized gradient descent", SIAM J. Optim. 26
(2016), Theorem 4.
"""

from dataclasses import dataclass

import numpy as np

from theorylab.algorithms import Algorithm
from theorylab.known import How, Known
from theorylab.metrics import Metric
from theorylab.problems import Problem
from theorylab.runs import Row
from theorylab.statements import (
    Assumption,
    Check,
    Quantity,
    Source,
    Statement,
    Version,
    doubly_stochastic,
    symmetric,
)
from theorylab.symbols import L, eta, mu, symbol, t

R2 = symbol("R2", "R^2", "mean |x_i^0 - x*|^2", units=(0, 2))
FALSE = "printed"


class Bowls(Problem, name="literature-dgd-bowls"):  # f_i(x) = curvature_i |x - center_i|^2 / 2
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
class Descent(Algorithm, name="literature-dgd"):
    eta: float

    def step(self, state, net):
        return net.next(state, x=net.mix(state.x) - self.eta * net.gradient(state.x))


class Away(Metric, name="literature.dgd"):
    def rows(self, before, after):
        away = after.x - self.setting.problem.optimum
        yield Row((away**2).sum(axis=2).mean(axis=1), {"t": after.t}, f"t={after.t}")


def first(at):
    return float(((at.start - at.problem.optimum) ** 2).sum(axis=1).mean())


ALIKE = {"curvatures": [1.0, 1.0, 1.0, 1.0], "centers": [1.0, 1.0, 1.0, 1.0]}
RUN = {"problem": {"name": "literature-dgd-bowls", **ALIKE}, "clients": 4}
RUN |= {"topology": {"name": "ring"}, "rounds": 12, "algorithm": {"eta": 0.25}, "x0": 4.0}
EXACT = Assumption("exact gradients", holds=lambda at: not at.problem.stochastic)
RULES = EXACT, Assumption("eta <= 1/L", rule=eta * L <= 1), doubly_stochastic(), symmetric()
TERMS = {"rate": (1 - eta * mu) ** t * R2}
CLAIM = Version(TERMS, RULES, (Check("alike", RUN),), constants={R2: first})
LEFT = Quantity("literature.dgd", "rows", (0, 2), r"\frac1n \sum_i |x_i^t - x^*|^2")
SOURCE = Source("folklore", "a rate", "DGD is linear with a constant step")
STATEMENT = Statement("literature.dgd", SOURCE, LEFT, {FALSE: CLAIM}, "literature-dgd")
