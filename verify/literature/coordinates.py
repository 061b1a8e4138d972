"""All coordinates may move at once, each with the step 1/L_j of its own: false.

The claim: f(x^t) - f* never exceeds f(x^0) - f* when x_j moves by -f_j'(x)/L_j for every j. Take
f = x^T H x/2 with H = (1 - s) I + s 1 1^T, so that L_j = 1 and H has the eigenvalues 1 - s and 1
+ (d - 1) s: a round multiplies the sum of x by -(d - 1) s, beyond -1 from s > 1/(d - 1) on. One
coordinate at a time is safe. Correction: steps shorter by the spectral radius: Bradley, Kyrola,
Bickson, Guestrin, "Parallel coordinate descent" (Shotgun), ICML 2011, Theorem 3.2.
"""

from dataclasses import dataclass

import numpy as np

from theorylab.algorithms import Algorithm
from theorylab.known import How, Known
from theorylab.metrics import Metric
from theorylab.problems import Problem
from theorylab.runs import Row
from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.symbols import f0, f_star, mu

FALSE = "printed"


class Valley(Problem, name="literature-valley"):  # f(x) = x^T ((1 - share) I + share 1 1^T) x / 2
    def __init__(self, clients, *, size=3, share=0.25):
        self.H = (1 - share) * np.eye(size) + share
        super().__init__(clients, size)

    def loss(self, x):
        return ((x @ self.H.astype(x.dtype)) * x).sum(axis=2) / 2

    def gradient(self, x):
        return x @ self.H.astype(x.dtype)

    def constants(self):
        ends = np.linalg.eigvalsh(self.H)
        found = {"mu": float(ends[0]), "L": float(ends[-1]), "f_star": 0.0}
        return {name: Known(value, How.EXACT, "by hand") for name, value in found.items()}


@dataclass(frozen=True)
class AtOnce(Algorithm, name="literature-at-once"):
    def step(self, state, net):
        own = net.problem.H.diagonal().astype(state.x.dtype)
        return net.next(state, x=state.x - net.gradient(state.x) / own)


class Gap(Metric, name="literature.coordinates"):
    def rows(self, before, after):
        middle = after.x.mean(axis=1, keepdims=True) + 0 * after.x
        yield Row(self.setting.problem.loss(middle).mean(axis=1), {"t": after.t}, f"t={after.t}")


RUN = {"problem": {"name": "literature-valley", "size": 3, "share": 0.25}, "clients": 1}
RUN |= {"topology": {"name": "complete"}, "rounds": 10, "algorithm": {}, "x0": 1.0}
EXACT = Assumption("exact gradients", holds=lambda at: not at.problem.stochastic)
RULES = (
    EXACT,
    Assumption("mu > 0", rule=mu > 0),
)
CLAIM = Version({"start": f0 - f_star}, RULES, (Check("three", RUN),))
LEFT = Quantity("literature.coordinates", "rows", (1, 0), r"f(x^t) - f^*")
SOURCE = Source("folklore", "a step rule", "coordinates move in parallel for nothing")
STATEMENT = Statement("literature.coordinates", SOURCE, LEFT, {FALSE: CLAIM}, "literature-at-once")
