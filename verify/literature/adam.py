"""Adam's average regret on convex losses is O(1/sqrt(T)) for every beta_2 in (0, 1): false.

Kingma and Ba, "Adam", ICLR 2015, Theorem 4.1, with beta_1 = 0 and one coordinate in [-1, 1], so
that the diameter is 2. Reddi, Kale, Kumar, "On the convergence of Adam and beyond", ICLR 2018,
Theorem 1: slopes C, -1, -1 in turns, C > 2, beta_2 = 1/(1 + C^2). A step has length a/sqrt(t)
|g|/sqrt(v); after C it is at most about 1/sqrt(1 - beta_2) of a/sqrt(t), and after each -1 at
least 1/sqrt(2) of it, as v <= beta_2 C^2 + 1 < 2: x stays near 1 and loses 2 (C - 2)/3 a round,
against x = -1, for ever. Correction: a second moment that never falls (AMSGrad).
"""

from dataclasses import dataclass, replace

import numpy as np
from sympy import sqrt

from theorylab.algorithms import Algorithm
from theorylab.known import How, Known
from theorylab.metrics import Metric
from theorylab.problems import Problem
from theorylab.runs import Row
from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.symbols import B, T, symbol

a, beta2 = symbol("a", "a", "first step", (0, 1)), symbol("beta2", r"\beta_2", "memory")
D = symbol("D", "D", "diameter", (0, 1))
FALSE = "printed"


class Slopes(Problem, name="literature-slopes"):  # f_i(x) = slope_i x on [-1, 1]
    def __init__(self, clients, *, slopes=(4.0, -1.0, -1.0)):
        self.slopes = np.resize(np.asarray(slopes, float), clients)
        super().__init__(clients, 1)

    def loss(self, x):
        return self.slopes.astype(x.dtype) * x[..., 0]

    def gradient(self, x):
        return 0 * x + self.slopes.astype(x.dtype)[:, None]

    def constants(self):
        return {"B": Known(float(abs(self.slopes).max()), How.EXACT, "the largest slope")}


@dataclass(frozen=True)
class Adam(Algorithm, name="literature-adam"):
    a: float
    beta2: float
    server = True  # one model, and in round t the loss of client t mod n

    def init(self, x0, problem=None):
        x0 = 0 * x0 + x0[:, :1].clip(-1, 1)
        return replace(super().init(x0, problem), memory={"v": 0 * x0})

    def step(self, state, net):
        i = state.t % state.x.shape[1]
        g = 0 * state.x + net.gradient(state.x)[:, i : i + 1]
        v = self.beta2 * state.memory["v"] + (1 - self.beta2) * g * g
        x = state.x - self.a / (state.t + 1) ** 0.5 * g / v**0.5
        return net.next(state, x=x.clip(-1, 1), memory={"v": v})


class Regret(Metric, name="literature.adam"):
    def rows(self, before, after):
        slopes = self.setting.problem.slopes
        turn = slopes[before.t % len(slopes)]
        gap = turn * (before.x[:, 0, 0] + np.sign(slopes.mean()))
        yield Row(gap, {"t": before.t}, f"t={before.t}", signed=True)


EXACT = Assumption("exact gradients", holds=lambda at: not at.problem.stochastic)
RULES = EXACT, Assumption("beta_2 < 1", rule=beta2 < 1), Assumption("beta_2 > 0", rule=beta2 > 0)
RUN = {"problem": {"name": "literature-slopes", "slopes": [4.0, -1.0, -1.0]}, "clients": 3}
RUN |= {"topology": {"name": "complete"}, "rounds": 30, "algorithm": {"a": 0.5, "beta2": 0.99}}
TERMS = {"start": B * D**2 / (2 * a * sqrt(T)), "steps": a * B / sqrt((1 - beta2) * T)}
CLAIM = Version(TERMS, RULES, (Check("turns", RUN),), constants={D: lambda at: 2.0})
LEFT = Quantity("literature.adam", "average", (1, 0), r"f_t(x^t) - f_t(x^*)")
SOURCE = Source("Kingma and Ba 2015", "Theorem 4.1", "Adam has no regret")
STATEMENT = Statement("literature.adam", SOURCE, LEFT, {FALSE: CLAIM}, "literature-adam")
