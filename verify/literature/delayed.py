"""Gradients that come late cost their delay in rounds, and no step: false.

The claim: with gradients of D rounds ago and eta <= 1/L, |x^t - x*|^2 <= 4 (1 + D)^2 |x^0 - x*|^2
in every round. On f = h x^2/2 the models obey x^{t+1} = x^t - eta h x^{t-D}; for D = 2 and eta h
= 1 the factors solve r^3 = r^2 - 1, whose product is -1 and whose real one is -.755, so that the
other two have modulus 1.15: the models grow without limit. Correction: steps below about 1/(L D):
Agarwal and Duchi, NIPS 2011; Stich and Karimireddy, JMLR 21 (2020).
"""

from dataclasses import dataclass, replace

import numpy as np

from theorylab.algorithms import Algorithm
from theorylab.known import How, Known
from theorylab.metrics import Metric
from theorylab.problems import Problem
from theorylab.runs import Row
from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.symbols import L, eta, symbol

R2 = symbol("R2", "R^2", "|x^0 - x*|^2", units=(0, 2))
D = symbol("delay", "D", "rounds that a gradient takes")
FALSE = "printed"


class Bowls(Problem, name="literature-delayed-bowls"):  # f_i(x) = curvature_i |x - center_i|^2 / 2
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
class Late(Algorithm, name="literature-delayed"):
    eta: float
    delay: int = 1

    def init(self, x0, problem=None):
        return replace(super().init(x0, problem), memory={f"x{k}": x0 for k in range(self.delay)})

    def step(self, state, net):
        past = [state.x, *(state.memory[f"x{k}"] for k in range(self.delay))]
        x = net.mix(state.x - self.eta * net.gradient(past[-1]))
        return net.next(state, x=x, memory={f"x{k}": past[k] for k in range(self.delay)})


class Away(Metric, name="literature.delayed"):
    def rows(self, before, after):
        away = after.x - self.setting.problem.optimum
        yield Row((away**2).sum(axis=2).mean(axis=1), {"t": after.t}, f"t={after.t}")


def first(at):
    return float(((at.start - at.problem.optimum) ** 2).sum(axis=1).mean())


RUN = {"problem": {"name": "literature-delayed-bowls", "curvatures": 1.0}, "clients": 1, "x0": 2.0}
RUN |= {"topology": {"name": "complete"}, "rounds": 12, "algorithm": {"eta": 0.25, "delay": 1}}
EXACT = Assumption("exact gradients", holds=lambda at: not at.problem.stochastic)
RULES = (
    EXACT,
    Assumption("eta <= 1/L", rule=eta * L <= 1),
    Assumption("one client", holds=lambda at: len(at.start) == 1),
)
CLAIM = Version({"ball": 4 * (1 + D) ** 2 * R2}, RULES, (Check("one", RUN),), constants={R2: first})
LEFT = Quantity("literature.delayed", "rows", (0, 2), r"|x^t - x^*|^2")
SOURCE = Source("folklore", "a step rule", "asynchrony is free")
STATEMENT = Statement("literature.delayed", SOURCE, LEFT, {FALSE: CLAIM}, "literature-delayed")
