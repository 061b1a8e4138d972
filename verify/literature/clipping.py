"""Clipping leaves no bias where no gradient is clipped without noise: false.

The claim: on f = h x^2/2 with eta <= 1/L and a threshold c >= |f'(x^0)|, E|x^t - x*|^2 is at most
(1 - eta mu)^t |x^0 - x*|^2 + eta sigma^2/mu, as for SGD. With noise +-s, s > 2 c, each gradient
within c of 0 is clipped to +-c with chance 1/2 each: the model walks at random, and E|x|^2 does
not fall below |x^0|^2 = c^2, while with eta s^2 < c^2/4 and t large the bound does. Correction: a
bias min(sigma^2, sigma^4/c^2), Koloskova, Hendrikx, Stich, ICML 2023, Theorem 3.1.
"""

from dataclasses import dataclass

import numpy as np

from theorylab.algorithms import Algorithm
from theorylab.known import How, Known
from theorylab.metrics import Metric
from theorylab.problems import Problem
from theorylab.runs import Row
from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.symbols import L, eta, mu, sigma_l, symbol, t

R2 = symbol("R2", "R^2", "|x^0 - x*|^2", units=(0, 2))
c, g0 = (symbol(s, s, "threshold; slope at x^0", (1, -1)) for s in ("clip", "slope"))
FALSE = "printed"


class Bowls(Problem, name="literature-clip-bowls"):  # f_i(x) = curvature_i |x - center_i|^2 / 2
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
class Clipped(Algorithm, name="literature-clipped"):
    eta: float
    clip: float

    def step(self, state, net):
        g = net.gradient(state.x).clip(-self.clip, self.clip)
        return net.next(state, x=state.x - self.eta * g)


class Away(Metric, name="literature.clipped"):
    def rows(self, before, after):
        away = after.x
        yield Row((away**2).sum(axis=2).mean(axis=1), {"t": after.t}, f"t={after.t}")


def centred(at):
    return len(at.start) == 1 and getattr(at.problem, "base", at.problem).c[0] == 0


BASE = {"name": "literature-clip-bowls", "curvatures": 1.0, "centers": 0.0}
RUN = {"problem": {"name": "noisy", "base": BASE, "field": "rademacher", "sigma": 0.1}}
RUN |= {"topology": {"name": "complete"}, "clients": 1, "rounds": 6, "x0": 1.0}
RUN |= {"algorithm": {"eta": 0.25, "clip": 2.0}}
RULES = Assumption("eta <= 1/L", rule=eta * L <= 1), Assumption("c >= |f'|", rule=g0 <= c)
RULES += (Assumption("one client, x* = 0", holds=centred),)
GIVEN = {g0: lambda at: float(abs(at.problem.gradient(at.start[None])).max())}
GIVEN[R2] = lambda at: float((at.start**2).sum())
TERMS = {"start": (1 - eta * mu) ** t * R2, "noise": eta * sigma_l**2 / mu}
CLAIM = Version(TERMS, RULES, (Check("signs", RUN),), constants=GIVEN)
LEFT = Quantity("literature.clipped", "rows", (0, 2), r"|x^t - x^*|^2")
SOURCE = Source("folklore", "a rate", "clipping is free")
STATEMENT = Statement("literature.clipping", SOURCE, LEFT, {FALSE: CLAIM}, "literature-clipped")
