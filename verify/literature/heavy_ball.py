"""Heavy ball with Polyak's parameters converges on every smooth, strongly convex f: false.

The claim carries the rate of quadratics, |x^t - x*|^2 <= 4 (1 + t)^2 beta^t |x^0 - x*|^2, over to
losses that are not quadratic. Lessard, Recht, Packard, SIAM J. Optim. 26 (2016), section 4.6: for
mu = 1, L = 25 (eta = 1/9, beta = 4/9), f' = 25 x below 1, x + 24 up to 2, 25 x - 24 above, heavy
ball goes round for ever among 792/1225, 2592/1225 and -2208/1225: each is (1 + beta) x - beta y -
eta f'(x) of the one before, x, and the one before that, y. Correction: quadratics alone (Polyak
1964), or smaller steps (Ghadimi, Feyzmahdavian, Johansson 2015).
"""

from dataclasses import dataclass, replace

from sympy import Eq, sqrt

from theorylab.algorithms import Algorithm
from theorylab.known import How, Known
from theorylab.metrics import Metric
from theorylab.problems import Problem
from theorylab.runs import Row
from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.symbols import L, eta, mu, symbol, t

R2, beta = symbol("R2", "R^2", "|x^0 - x*|^2", (0, 2)), symbol("beta", r"\beta", "momentum")
FALSE = "printed"


class Bends(Problem, name="literature-bends"):  # f' has slope high, low in [1, 2], and high; x* = 0
    def __init__(self, clients, *, low=1.0, high=4.0):
        self.low, self.high = low, high
        super().__init__(clients, 1)

    def loss(self, x):
        first, last = x.clip(max=1), (x - 2).clip(min=0)
        bent = first * first / 2 + (x - first) + last * last / 2
        return (self.low * x * x / 2 + (self.high - self.low) * bent)[..., 0]

    def gradient(self, x):
        return self.low * x + (self.high - self.low) * (x.clip(max=1) + (x - 2).clip(min=0))

    def constants(self):
        found = {"mu": min(self.low, self.high), "L": max(self.low, self.high), "f_star": 0.0}
        return {name: Known(value, How.EXACT, "the slopes") for name, value in found.items()}


@dataclass(frozen=True)
class HeavyBall(Algorithm, name="literature-push"):
    eta: float
    beta: float

    def init(self, x0, problem=None):
        return replace(super().init(x0, problem), memory={"old": x0})

    def step(self, state, net):
        pushed = state.x + self.beta * (state.x - state.memory["old"])
        return net.next(state, x=pushed - self.eta * net.gradient(state.x), memory={"old": state.x})


class Away(Metric, name="literature.heavy-ball"):
    def rows(self, before, after):
        yield Row((after.x[:, 0] ** 2).sum(axis=1), {"t": after.t}, f"t={after.t}")


TUNED = Eq(eta, 4 / (sqrt(L) + sqrt(mu)) ** 2), Eq(sqrt(beta), 1 - 2 / (sqrt(L / mu) + 1))
EXACT = Assumption("exact gradients", holds=lambda at: not at.problem.stochastic)
RULES = EXACT, Assumption("mu > 0", rule=mu > 0), *(Assumption(str(r.lhs), rule=r) for r in TUNED)
RUN = {"problem": {"name": "literature-bends", "low": 1.0, "high": 4.0}, "clients": 1}
RUN |= {"topology": {"name": "complete"}, "rounds": 6, "x0": 3.0}
RUN |= {"algorithm": {"eta": 4 / 9, "beta": 1 / 9}}
GIVEN = {R2: lambda at: float((at.start[0] ** 2).sum())}
RATE = {"rate": 4 * (1 + t) ** 2 * beta**t * R2}
CLAIM = Version(RATE, RULES, (Check("mild", RUN),), constants=GIVEN)
LEFT = Quantity("literature.heavy-ball", "rows", (0, 2), r"|x^t - x^*|^2")
SOURCE = Source("folklore", "after Polyak 1964", "heavy ball is linear on strongly convex f")
STATEMENT = Statement("literature.heavy_ball", SOURCE, LEFT, {FALSE: CLAIM}, "literature-push")
