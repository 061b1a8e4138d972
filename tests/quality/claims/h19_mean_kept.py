"""h19. A LEMMA AT THE SCALE OF ROUNDING: gossip x^{t+1} = W x^t with a doubly stochastic W keeps the
mean exactly: |xbar^t - xbar^0|^2 <= 0 for all t. W on the ring of 7 has weights 1/3, the models are
not representable, so floats show |.|^2 of 1e-33 to 1e-31.
TRUTH: claim (bound 0) TRUE; within (bound 10^-40) TRUE; spread: sum_i |x_i^t - xbar|^2 <= that of
t = 0, TRUE; linear: |xbar^t - xbar^0| <= 0 TRUE, not squared (floats show 1e-16).
drift: on a W with row sums 1, column sums not 1 (each client averages itself and client 4), the same
claim: FALSE, the mean moves by 142.7 in the first round (oracle).
true: HOLDS best, INCONCLUSIVE acceptable (rounding is the limit), VIOLATED wrong.
drift: VIOLATED best, INCONCLUSIVE acceptable, HOLDS wrong."""

import numpy as np

from theorylab.algorithms import Algorithm
from theorylab.metrics import Metric
from theorylab.runs import Row
from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.symbols import symbol
from theorylab.topologies import from_matrices

ROOM = symbol("room", r"\epsilon", "room", units=(0, 2))
ROOT = symbol("root", r"\epsilon_1", "room, not squared", units=(0, 1))
START = [[0.1], [0.7], [-1.3], [2.3], [1e3 / 3], [-0.9], [1.1]]
SPREAD = float(((np.array(START) - np.mean(START)) ** 2).sum())


ROWS = np.eye(7) / 2
ROWS[:, 4] += 0.5
PULL = from_matrices([ROWS], name="h19-rows", sums="rows")


class Gossip(Algorithm, name="h19-gossip"):
    def step(self, state, net):
        return net.next(state, x=net.mix(state.x))


class Away(Metric, name="h19.away"):
    power = 2

    def start(self, state):
        self.first = state.x.mean(axis=1)

    def rows(self, before, after):
        away = np.abs(after.x.mean(axis=1) - self.first).sum(axis=1) ** self.power
        yield Row(away, {"t": after.t}, f"t={after.t}")


class Linear(Away, name="h19.linear"):
    power = 1


class Spread(Metric, name="h19.spread"):
    def rows(self, before, after):
        away = after.x - after.x.mean(axis=1, keepdims=True)
        yield Row((away**2).sum(axis=(1, 2)), {"t": after.t}, f"t={after.t}")


def version(name, verdict, metric, bound, network="ring", **given):
    place = {
        "problem": {"name": "quadratic", "dim": 1},
        "topology": {"name": network},
        "clients": 7,
        "rounds": 12,
        "algorithm": {},
        "x0": START,
        "constants": given,
    }
    units = (0, 1) if metric == "h19.linear" else (0, 2)
    left = Quantity(metric, "rows", units, r"|\bar x^t - \bar x^0|")
    return Version({"bound": bound}, (), (Check(name, place, verdict),), quantity=left)


VERSIONS = {
    "a": version("claim", "HOLDS", "h19.away", ROOM, room=0),
    "b": version("within", "HOLDS", "h19.away", ROOM, room=1e-40),
    "c": version("linear", "HOLDS", "h19.linear", ROOT, root=0),
    "d": version("spread", "HOLDS", "h19.spread", ROOM, room=SPREAD),
    "e": version("drift", "VIOLATED", "h19.away", ROOM, "h19-rows", room=0),
}
LEFT = Quantity("h19.away", "rows", (0, 2), r"|\bar x^t - \bar x^0|^2")
STATEMENT = Statement("hostile.h19", Source("hostile", "19", "x"), LEFT, VERSIONS, "h19-gossip")
