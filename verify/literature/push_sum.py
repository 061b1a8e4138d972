"""Push-sum averages on every strongly connected network, with a self-loop or without: false.

The claim: where each client sends equal shares, after n^3 rounds the ratios x/w are at most half
as far from the mean as at first. On a directed ring where nobody keeps anything P only turns the
models around: their distance from the mean never falls. Correction: self-loops, or a network
without a period: Kempe, Dobra, Gehrke, FOCS 2003; Nedic and Olshevsky, IEEE TAC 60 (2015).
"""

from dataclasses import dataclass

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
    jointly_connected,
)
from theorylab.symbols import T, n, symbol, uniform_out_degree

S = symbol("S", "S", "max_i |x_i^0 - mean|", (0, 1))
FALSE = "printed"


class Flat(Problem, name="literature-flat"):  # f_i = 0: models move by the network alone
    def __init__(self, clients, *, dim=1):
        super().__init__(clients, dim)

    def loss(self, x):
        return 0 * x[..., 0]

    def gradient(self, x):
        return 0 * x

    def constants(self):
        return {"f_star": Known(0.0, How.EXACT, "f = 0")}


@dataclass(frozen=True)
class PushSum(Algorithm, name="literature-push-sum"):
    def step(self, state, net):
        x, w = net.mix(state.x, state.w)
        return net.next(state, x=x, w=w)


class Apart(Metric, name="literature.push-sum"):
    def rows(self, before, after):
        yield self.row(before)

    def last(self, state):
        yield self.row(state)

    def row(self, state):
        off = abs(state.z - self.setting.start.mean(axis=0)).max(axis=(1, 2))
        return Row(off, {"t": state.t}, f"t={state.t}")


RUN = {"problem": {"name": "literature-flat"}, "clients": 3, "rounds": 30, "algorithm": {}}
RUN |= {"topology": {"name": "directed-ring"}, "x0": [[1.0], [0.0], [-1.0]]}
RULES = (
    Assumption("T >= n^3", rule=n**3 <= T),
    Assumption("equal shares", rule=uniform_out_degree >= 1),
    jointly_connected(within=1),
)
GIVEN = {S: lambda at: float(abs(at.start - at.start.mean(axis=0)).max())}
CLAIM = Version({"half": S / 2}, RULES, (Check("loops", RUN),), constants=GIVEN)
LEFT = Quantity("literature.push-sum", "last", (0, 1), r"\max_i |z_i^T - \bar x|")
SOURCE = Source("folklore", "averaging", "push-sum averages on every strongly connected network")
STATEMENT = Statement("literature.push_sum", SOURCE, LEFT, {FALSE: CLAIM}, "literature-push-sum")
