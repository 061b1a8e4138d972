"""h14. A HIDDEN SERVER: "gossip descent" on a ring of 16 whose step takes state.x.mean(axis=1), the
average over all clients, in the place of net.mix. f_i(x) = (x - c_i)^2/2 with c_i = i - 7.5,
x^0 = 0, eta = 1/2, T = 6.
CLAIM: mean_i |x_i^T - xbar^T|^2 (column consensus) <= 10^-9: FALSE of x = W (x - eta g) on a ring of
16 (oracle: 12.3 at T = 6 with weights 1/3), 0 for the code, as the server makes all alike.
"one-round": consensus <= 10^-9 after T = 1: the same. "loose": <= 1000: TRUE of both.
"own": a server through np.roll sums (no name 'mean'), the same claim as the first.
Best: ERROR (named: something passes between clients outside the exchange). INCONCLUSIVE acceptable.
HOLDS acceptable only if the row or a line below names it. VIOLATED is wrong for loose."""

import numpy as np

from theorylab.algorithms import Algorithm
from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.symbols import symbol

E2 = symbol("E2", "E^2", "allowed disagreement", units=(0, 2))


class Server(Algorithm, name="h14-server"):
    def __init__(self, eta, rolled=False):
        self.eta, self.rolled = eta, rolled

    def step(self, state, net):
        half = state.x - self.eta * net.gradient(state.x)
        if self.rolled:
            total = sum(np.roll(half, i, axis=1) for i in range(half.shape[1]))
            return net.next(state, x=total / half.shape[1])
        return net.next(state, x=np.broadcast_to(half.mean(axis=1, keepdims=True), half.shape).copy())


def run(rounds, allowed, rolled):
    return {
        "problem": {
            "name": "quadratic",
            "H": [[[1.0]]] * 16,
            "c": [[i - 7.5] for i in range(16)],
        },
        "topology": {"name": "ring"},
        "clients": 16,
        "rounds": rounds,
        "algorithm": {"eta": 0.5, "rolled": rolled},
        "constants": {"E2": allowed},
    }


def version(name, rounds=6, allowed=1e-9, rolled=False):
    checks = (Check(name, run(rounds, allowed, rolled), "INCONCLUSIVE"),)
    return Version({"bound": E2}, (), checks)


STATEMENT = Statement(
    id="hostile.h14",
    source=Source("hostile", "Lemma 14", "the disagreement of gossip descent"),
    algorithm="h14-server",
    quantity=Quantity("consensus", "last"),
    versions={
        "a": version("tight"),
        "b": version("one-round", rounds=1),
        "c": version("loose", allowed=1000.0),
        "d": version("own", rolled=True),
    },
)
