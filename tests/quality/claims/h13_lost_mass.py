"""h13. LOST MASS: "gossip" on a directed ring of 4, x = P x, with a slip AFTER the exchange: client
0 keeps only 9/10 of what it has. f(x) = |x|^2/2 (minimum 0), x^0 = 1 at all clients, no gradient.
CLAIM of gossip: its mean model keeps its value, so f(xbar^T) = f(xbar^0).
"shrinks": f(xbar^T) - f* <= (f0 - f*)/2 at T = 20. FALSE of gossip (left =
f0 - f*); TRUE of the code, only because mass is lost (oracle: left = .36 (f0 - f*)).
"keeps": f(xbar^T) - f* >= (f0 - f*)(1 - 10^-9): TRUE of gossip, FALSE of the code.
"leak": the same as "shrinks" with a push-sum weight that loses nothing (z = x/w).
Best: ERROR (named: mass is lost after the exchange). INCONCLUSIVE acceptable. The verdict of the code
(shrinks HOLDS, keeps VIOLATED) is acceptable only if the row or a line below names the loss."""

import numpy as np

from theorylab.algorithms import Algorithm
from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.symbols import f0, f_star


class Gossip(Algorithm, name="h13-gossip"):
    def __init__(self, push=False):
        self.push = push

    def step(self, state, net):
        keep = np.array([0.9, 1.0, 1.0, 1.0])[:, None]
        if self.push:
            x, w = net.mix(state.x, state.w)
            return net.next(state, x=x * keep, w=w)
        return net.next(state, x=net.mix(state.x) * keep)


def run(push):
    return {
        "problem": {"name": "quadratic", "H": [[[1.0]]] * 4, "c": [[0.0]] * 4},
        "topology": {"name": "directed-ring"},
        "clients": 4,
        "rounds": 20,
        "algorithm": {"push": push},
        "x0": 1.0,
    }


GAP = f0 - f_star


def version(name, bound, relation="<=", push=False):
    checks = (Check(name, run(push), "INCONCLUSIVE"),)
    return Version({"bound": bound}, (), checks, relation=relation)


STATEMENT = Statement(
    id="hostile.h13",
    source=Source("hostile", "Lemma 13", "the mean of gossip"),
    algorithm="h13-gossip",
    quantity=Quantity("suboptimality", "last"),
    versions={
        "a": version("shrinks", GAP / 2),
        "b": version("keeps", GAP * (1 - 1e-9), ">="),
        "c": version("leak", GAP / 2, push=True),
    },
)
