"""SignSGD with one sample a step has a gradient that falls as 1/sqrt(T), up to its step: false.

The claim keeps Bernstein et al., "signSGD", ICML 2018, Theorem 1, whose batch grows with T, for a
batch of one: the mean of |f'(x^t)| is at most (f(x^0) - f*)/(eta T) + eta L/2 + 2 sigma/sqrt(T).
With f = x^2/2, eta = 1/2, x^0 = 1/4 and noise +-6/5 the sign is a fair coin at +-1/4 and +-3/4,
and +-5/4 leads back: in the long run each of the four has a share of 1/5, each of the last two
1/10, E|x| = 13/20, and the bound tends to 1/4. Correction: 2 sigma in place of 2 sigma/sqrt(T),
or error feedback: Karimireddy, Rebjock, Stich, Jaggi, ICML 2019, section 3.
"""

from dataclasses import dataclass

import numpy as np
from sympy import sqrt

from theorylab.algorithms import Algorithm
from theorylab.known import How, Known
from theorylab.metrics import Metric
from theorylab.problems import Problem
from theorylab.runs import Row
from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.symbols import L, T, f0, f_star, sigma_l, symbol

eta_s = symbol("eta_s", r"\eta", "length of a step", (0, 1))
FALSE = "printed"


class Bowls(Problem, name="literature-sign-bowls"):  # f_i(x) = curvature_i |x - center_i|^2 / 2
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
class Signs(Algorithm, name="literature-signs"):
    eta_s: float

    def step(self, state, net):
        return net.next(state, x=state.x - self.eta_s * np.sign(net.gradient(state.x)))


class Slope(Metric, name="literature.signs"):
    def rows(self, before, after):
        slope = self.setting.problem.gradient(before.x)
        yield Row(abs(slope).sum(axis=2).mean(axis=1), {"t": before.t}, f"t={before.t}", floor=0.0)


BASE = {"name": "literature-sign-bowls", "curvatures": 1.0, "centers": 0.0}
RUN = {"problem": {"name": "noisy", "base": BASE, "field": "rademacher", "sigma": 0.1}}
RUN |= {"topology": {"name": "complete"}, "clients": 1, "rounds": 8, "x0": 1.0}
RUN |= {"algorithm": {"eta_s": 0.1}}
ONE = (Assumption("one client", holds=lambda at: len(at.start) == 1),)
TERMS = {"start": (f0 - f_star) / (eta_s * T), "steps": eta_s * L / 2}
TERMS |= {"noise": 2 * sigma_l / sqrt(T)}
CLAIM = Version(TERMS, ONE, (Check("signs", RUN),))
LEFT = Quantity("literature.signs", "average", (1, -1), r"|f'(x^t)|")
SOURCE = Source("Bernstein et al. 2018", "Theorem 1 with a batch of one", "signs suffice")
STATEMENT = Statement("literature.sign_sgd", SOURCE, LEFT, {FALSE: CLAIM}, "literature-signs")
