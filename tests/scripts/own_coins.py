"""Methods with coins, samples and push-sum as strangers write them; every claim is false."""

from dataclasses import dataclass

import numpy as np

from theorylab.algorithms import Algorithm
from theorylab.known import How, Known
from theorylab.metrics import Metric
from theorylab.problems import Problem
from theorylab.runs import Row
from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.symbols import symbol

QUADRATIC = {"name": "quadratic", "c": [[1.0, 0.0], [0.0, 2.0], [-1.0, 1.0]]}
QUADRATIC["H"] = [[[1.0, 0.0], [0.0, 0.25]], [[0.5, 0.0], [0.0, 2.0]], [[1.0, 0.25], [0.25, 1.0]]]
RUN = {"problem": QUADRATIC, "topology": {"name": "ring"}, "clients": 3, "rounds": 6, "x0": 1.0}
RUN["algorithm"] = {"eta": 0.25}
GAP = Quantity("suboptimality", "last", (1, 0))
EDGES = [[0, 0], [1, 1], [2, 2], [0, 1], [1, 2], [2, 0], [0, 2]]


@dataclass(frozen=True)
class Coordinate(Algorithm, name="own-coordinate"):
    eta: float

    def step(self, state, net):
        mask = net.coins(state.x.shape[2], "subset", k=1)
        return net.next(state, x=net.mix(state.x - self.eta * mask * net.gradient(state.x)))


class Push(Algorithm, name="own-push"):
    def __init__(self, eta):
        self.eta = eta

    def step(self, state, net):
        half = state.x - self.eta * net.gradient(state.z)
        x, w = net.mix(half, state.w)
        return net.next(state, x=x, w=w)


class Weights(Metric, name="own.weights"):
    def rows(self, before, after):
        for i in range(after.w.shape[1]):
            yield Row(np.abs(after.w[:, i] - 1), {"t": before.t}, f"t={before.t}, i={i}")


DELTA = 0.125


class Zeroth(Algorithm, name="own-zeroth"):
    draws = False

    def __init__(self, eta):
        self.eta = eta

    def step(self, state, net):
        u = net.coins(state.x.shape[2], "sign")
        f = net.problem.loss
        slope = (f(state.x + DELTA * u) - f(state.x - DELTA * u)) / (2 * DELTA)
        return net.next(state, x=net.mix(state.x - self.eta * slope[:, :, None] * u))


class Skip(Algorithm, name="own-skip"):
    def __init__(self, eta, p=0.25):
        self.eta, self.p = eta, p

    def step(self, state, net):
        half = state.x - self.eta * net.gradient(state.x)
        meets = net.coins(1, "bernoulli", p=self.p, shared=True)
        return net.next(state, x=meets * net.mix(half) + (1 - meets) * half)


class Apart(Metric, name="own.apart"):
    def rows(self, before, after):
        yield self.row(before)

    def last(self, state):
        yield self.row(state)

    def row(self, state):
        apart = state.x - state.x.mean(axis=1, keepdims=True)
        return Row((apart**2).sum(axis=(1, 2)), {"t": state.t}, "apart")


class Rows(Problem, name="own-rows"):
    def __init__(self, clients):
        self.a = np.array([[1.0, 3.0], [2.0, 0.5], [1.5, 1.5]])[:clients]
        super().__init__(clients, 1, stochastic=True)

    def loss(self, x):
        return ((x - self.a) ** 2).mean(axis=-1) / 2

    def gradient(self, x):
        return x - self.a.mean(axis=-1, keepdims=True)

    def sample(self, seed, runs, t, k):
        keys = [np.random.default_rng([seed, int(r), t, k]) for r in runs]
        return np.array([key.integers(0, 2, self.clients) for key in keys])

    def stochastic_gradient(self, x, sample):
        picked = np.take_along_axis(np.repeat(self.a[None], len(x), 0), sample[:, :, None], axis=2)
        return x - picked

    def constants(self):
        return {"L": Known(1.0, How.EXACT, "bowls"), "mu": Known(1.0, How.EXACT, "bowls")}


class Sgd(Algorithm, name="own-minibatch"):
    def __init__(self, eta):
        self.eta = eta

    def step(self, state, net):
        return net.next(state, x=net.mix(state.x - self.eta * net.gradient(state.x)))


def claimed(name, method, quantity=GAP, **changes):
    units = quantity.units
    least = f"least_{units[0]}_{units[1]}"
    number = symbol(least, "s", "a number that is claimed", units=units)
    instance = {**RUN, **changes, "constants": {least: 1e-6}}
    instance = {key: value for key, value in instance.items() if value is not None}
    check = Check("one", instance, "VIOLATED")
    source = Source("own", name, "a claim that is false")
    versions = {"claim": Version({"b": number}, (), (check,))}
    return Statement(f"coins.{name}", source, quantity, versions, method)


STATEMENTS = [
    claimed("coordinate", "own-coordinate", rounds=3),
    claimed(
        "push",
        "own-push",
        Quantity("own.weights", "rows", (0, 0)),
        topology={"name": "edge-list", "edges": EDGES},
    ),
    claimed("zeroth", "own-zeroth", rounds=2),
    claimed("skip", "own-skip", Quantity("own.apart", "last", (0, 2)), rounds=4),
    claimed(
        "minibatch",
        "own-minibatch",
        Quantity("squared_gradient", "last", (1, 0)),
        problem={"name": "own-rows"},
        rounds=20,
    ),
]
