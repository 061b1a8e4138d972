"""K local steps of FedAvg are K steps of gradient descent, without a term for drift: false.

The claim: with eta <= 1/L and exact gradients the mean model contracts, |x^t - x*|^2 <= (1 - eta
m)^(2 K t) |x^0 - x*|^2, where m is the least curvature of a client. For h = (1, 2), centers (1,
-1/2), eta = 1/2, K = 2: x* = 0, and a round takes 0 to the mean of 1 - 1/4 and -1/2, which is
1/8, so that x* is no rest point. Correction: Karimireddy et al., "SCAFFOLD", ICML 2020, Theorem
II; Khaled, Mishchenko, Richtarik, AISTATS 2020: a term in eta^2 K^2 and the unlikeness.
"""

from dataclasses import dataclass

import numpy as np

from theorylab.algorithms import Algorithm
from theorylab.known import How, Known
from theorylab.metrics import Metric
from theorylab.problems import Problem
from theorylab.runs import Row
from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.symbols import K, L, eta, symbol, t

R2 = symbol("R2", "R^2", "|x^0 - x*|^2", units=(0, 2))
m = symbol("m", "m", "least curvature of a client", units=(1, -2))
FALSE = "printed"


class Bowls(Problem, name="literature-fedavg-bowls"):  # f_i(x) = curvature_i |x - center_i|^2 / 2
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
class Averaging(Algorithm, name="literature-fedavg"):
    eta: float
    local_steps: int = 1
    server = True

    def step(self, state, net):
        x = state.x
        for k in range(self.local_steps):
            x = x - self.eta * net.gradient(x, k)
        return net.next(state, x=0 * x + x.mean(axis=1, keepdims=True))


class Away(Metric, name="literature.fedavg"):
    def rows(self, before, after):
        away = after.x.mean(axis=1, keepdims=True) - self.setting.problem.optimum
        yield Row((away**2).sum(axis=2).mean(axis=1), {"t": after.t}, f"t={after.t}")


def first(at):
    return float((at.start.mean() - at.problem.optimum[0]) ** 2)


RUN = {"problem": {"name": "literature-fedavg-bowls", "curvatures": [1.0, 1.0, 1.0]}, "clients": 3}
RUN["problem"] |= {"centers": [2.0, 0.0, -1.0]}
RUN |= {"topology": {"name": "complete"}, "rounds": 5, "x0": 3.0}
RUN |= {"algorithm": {"eta": 0.25, "local_steps": 3}}
GIVEN = {R2: first, m: lambda at: float(at.problem.h.min())}
EXACT = Assumption("exact gradients", holds=lambda at: not at.problem.stochastic)
RULES = EXACT, Assumption("eta <= 1/L", rule=eta * L <= 1), Assumption("m > 0", rule=m > 0)
TERMS = {"rate": (1 - eta * m) ** (K * t) * R2}
CLAIM = Version(TERMS, RULES, (Check("alike", RUN),), constants=GIVEN)
LEFT = Quantity("literature.fedavg", "rows", (0, 2), r"|x^t - x^*|^2")
SOURCE = Source("folklore", "a rate", "local steps are free")
STATEMENT = Statement("literature.local_sgd", SOURCE, LEFT, {FALSE: CLAIM}, "literature-fedavg")
