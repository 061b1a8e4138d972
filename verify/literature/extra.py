"""EXTRA takes every step below 2/L, as gradient descent does: false.

The claim says that the models stay within 10 times R^2 of x* for any number of rounds, where R^2
has their first distance and the clients' pull apart. On one curvature h an eigenvalue w of W
gives factors r with r^2 - (1 + w - eta h) r + (1 + w)/2 - eta h = 0. The product is (1 + w)/2 -
eta h, so that one is beyond 1 where eta h > (3 + w)/2, which is below 2 for each w < 1. A ring of
four with equal weights has w = -1/3, and there 1.4 is too much. The paper's range is eta < (1 +
w_min)/L: Shi, Ling, Wu, Yin, "EXTRA", SIAM J. Optim. 25 (2015), Theorem 3.6.
"""

from dataclasses import dataclass, replace

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
)
from theorylab.symbols import L, eta, mu, symbol

R2 = symbol("R2", "R^2", "mean |x_i^0 - x*|^2, and of the pull over (1 - w)^2", (0, 2))
FALSE = "printed"


class Bowls(Problem, name="literature-extra-bowls"):  # f_i(x) = curvature_i |x - center_i|^2 / 2
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
class Extra(Algorithm, name="literature-extra"):
    eta: float

    def init(self, x0, problem=None):
        return replace(super().init(x0, problem), memory={"sum": 0 * x0})

    def step(self, state, net):
        mixed, total = net.mix(state.x), state.memory["sum"]
        x = mixed - self.eta * net.gradient(state.x) - total
        return net.next(state, x=x, memory={"sum": total + (state.x - mixed) / 2})


class Away(Metric, name="literature.extra"):
    def rows(self, before, after):
        away = after.x - self.setting.problem.optimum
        yield Row((away**2).sum(axis=2).mean(axis=1), {"t": after.t}, f"t={after.t}")


def first(at):
    w = np.sort(np.linalg.eigvals(at.topology.matrix(0).toarray()).real)[:-1]
    pull = at.problem.h * (at.problem.optimum - at.problem.c) / at.problem.h.mean()
    start = ((at.start - at.problem.optimum) ** 2).sum(axis=1).mean()
    return float(start + (pull**2).mean() / (1 - w.max(initial=0.0)) ** 2)


BOWLS = {"name": "literature-extra-bowls", "centers": [1.0, 0.0, -1.0, 0.0]}
RUN = {"problem": BOWLS, "clients": 4}
RUN |= {"topology": {"name": "ring"}, "rounds": 20, "algorithm": {"eta": 0.25}, "x0": 1.0}
EXACT = Assumption("exact gradients", holds=lambda at: not at.problem.stochastic)
RULES = EXACT, Assumption("eta < 2/L", rule=eta * L < 2), Assumption("mu > 0", rule=mu > 0)
RULES += (doubly_stochastic(),)
CLAIM = Version({"ball": 10 * R2}, RULES, (Check("ring", RUN),), constants={R2: first})
LEFT = Quantity("literature.extra", "rows", (0, 2), r"\frac1n \sum_i |x_i^t - x^*|^2")
SOURCE = Source("folklore", "a step rule", "EXTRA takes the steps of gradient descent")
STATEMENT = Statement("literature.extra", SOURCE, LEFT, {FALSE: CLAIM}, "literature-extra")
