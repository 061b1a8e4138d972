"""Sending the largest coordinate alone, without memory, is linear for many clients: false.

The claim: with eta <= 1/L, f(x^t) - f* <= (1 - eta mu/d)^t (f(x^0) - f*), which one client has.
Let three clients have f_i = |x - c_i|^2/2 with c_i = (2, 3/2), (-1, 1/2), (-1, -2): x* = 0, and
there the largest entries of -grad f_i are 2 and -1 of the first coordinate and -2 of the second:
they do not cancel, and x* is left at once. Correction: error feedback; Beznosikov, Horvath,
Richtarik, Safaryan, "On biased compression for distributed learning", JMLR 24 (2023), Example 1,
where it even diverges.
"""

from dataclasses import dataclass

import numpy as np

from theorylab.algorithms import Algorithm
from theorylab.known import How, Known
from theorylab.metrics import Metric
from theorylab.problems import Problem
from theorylab.runs import Row
from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.symbols import L, d, eta, f0, f_star, mu, t

FALSE = "printed"


class Bowls(Problem, name="literature-top-bowls"):  # f_i(x) = |x - center_i|^2 / 2
    def __init__(self, clients, *, centers=((0.0, 0.0),)):
        rows = np.asarray(centers, float)
        self.c = np.resize(rows, (clients, rows.shape[1]))
        super().__init__(clients, rows.shape[1])

    def loss(self, x):
        return ((x - self.c) ** 2).sum(axis=2).astype(x.dtype) / 2

    def gradient(self, x):
        return (x - self.c).astype(x.dtype)

    def constants(self):
        least = float(((self.c - self.c.mean(axis=0)) ** 2).sum(axis=1).mean() / 2)
        found = {"mu": 1.0, "L": 1.0, "f_star": least}
        return {name: Known(value, How.EXACT, "by hand") for name, value in found.items()}


@dataclass(frozen=True)
class Largest(Algorithm, name="literature-top"):
    eta: float
    server = True

    def step(self, state, net):
        g = net.gradient(state.x)
        sent = g * (abs(g) == abs(g).max(axis=2, keepdims=True))
        return net.next(state, x=state.x - self.eta * sent.mean(axis=1, keepdims=True))


class Gap(Metric, name="literature.top"):
    def rows(self, before, after):
        middle = self.setting.problem.c.mean(axis=0)
        gap = ((after.x - middle) ** 2).sum(axis=2).mean(axis=1) / 2
        yield Row(gap, {"t": after.t}, f"t={after.t}")


RUN = {"problem": {"name": "literature-top-bowls", "centers": [[1.0, 0.0]] * 3}, "clients": 3}
RUN |= {"topology": {"name": "complete"}, "rounds": 6, "x0": [0.0, 3.0]}
RUN |= {"algorithm": {"eta": 0.5}}
EXACT = Assumption("exact gradients", holds=lambda at: not at.problem.stochastic)
RULES = (
    EXACT,
    Assumption("eta <= 1/L", rule=eta * L <= 1),
    Assumption("one start", holds=lambda at: bool((at.start == at.start[0]).all())),
)
TERMS = {"rate": (1 - eta * mu / d) ** t * (f0 - f_star)}
CLAIM = Version(TERMS, RULES, (Check("alike", RUN),))
LEFT = Quantity("literature.top", "rows", (1, 0), r"f(x^t) - f^*")
SOURCE = Source("folklore", "a rate", "biased compression is linear for many clients")
STATEMENT = Statement("literature.top1", SOURCE, LEFT, {FALSE: CLAIM}, "literature-top")
