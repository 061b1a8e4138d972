"""Methods and metrics as strangers write them; every claim is false."""

from dataclasses import dataclass, replace

import numpy as np

from theorylab.algorithms import Algorithm, step_size
from theorylab.metrics import Metric
from theorylab.runs import Row
from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.symbols import symbol

QUADRATIC = {"name": "quadratic", "c": [[1.0, 0.0], [0.0, 2.0], [-1.0, 1.0]]}
QUADRATIC["H"] = [[[1.0, 0.0], [0.0, 0.25]], [[0.5, 0.0], [0.0, 2.0]], [[1.0, 0.25], [0.25, 1.0]]]
RUN = {"problem": QUADRATIC, "topology": {"name": "ring"}, "clients": 3, "rounds": 6, "x0": 1.0}
RUN["algorithm"] = {"eta": 0.25}
GAP = Quantity("suboptimality", "last", (1, 0))


class Heavy(Algorithm, name="own-heavy"):
    def __init__(self, eta, beta=0.5):
        self.eta, self.beta = eta, beta

    def init(self, x0, problem=None):
        return replace(super().init(x0, problem), memory={"old": x0})

    def step(self, state, net):
        x = net.mix(state.x) - self.eta * net.gradient(state.x)
        x = x + self.beta * (state.x - state.memory["old"])
        return net.next(state, x=x, memory={"old": state.x})


def compressed(v):
    scale = np.abs(v).mean(axis=-1, keepdims=True)
    return scale * np.sign(v)


@dataclass(frozen=True)
class Signs(Algorithm, name="own-signs"):
    eta: float

    def init(self, x0, problem=None):
        return replace(super().init(x0, problem), memory={"e": np.zeros_like(x0)})

    def step(self, state, net):
        p = self.eta * net.gradient(state.x) + state.memory["e"]
        q = compressed(p)
        return net.next(state, x=net.mix(state.x - q), memory={"e": p - q})


class Nesterov(Algorithm, name="own-nesterov"):
    def __init__(self, eta):
        self.eta = eta

    def init(self, x0, problem=None):
        return replace(super().init(x0, problem), memory={"y": x0})

    def step(self, state, net):
        y = state.memory["y"]
        x = net.mix(y) - step_size(self, state.t) * net.gradient(y)
        k = state.t
        return net.next(state, x=x, memory={"y": x + k / (k + 3) * (x - state.x)})


class AdaGrad(Algorithm, name="own-adagrad"):
    def __init__(self, eta, b0=0.5):
        self.eta, self.b0 = eta, b0

    def init(self, x0, problem=None):
        return replace(super().init(x0, problem), memory={"b": np.full(x0.shape[:2], self.b0**2)})

    def step(self, state, net):
        g = net.gradient(state.x)
        b = state.memory["b"] + np.linalg.norm(g, axis=-1) ** 2
        x = net.mix(state.x - self.eta * g / np.sqrt(b)[:, :, None])
        return net.next(state, x=x, memory={"b": b})


LAMBDA = 0.1


def soft(v, a):
    return np.sign(v) * np.maximum(np.abs(v) - a, 0.0)


class Prox(Algorithm, name="own-prox"):
    keeps_mass = False

    def __init__(self, eta):
        self.eta = eta

    def step(self, state, net):
        half = net.mix(state.x - self.eta * net.gradient(state.x))
        return net.next(state, x=soft(half, self.eta * LAMBDA))


class Composite(Metric, name="own.composite"):
    def rows(self, before, after):
        yield self.row(before)

    def last(self, state):
        yield self.row(state)

    def row(self, state):
        bar = state.x.mean(axis=1)
        F = self.setting.problem.mean_loss(bar) + LAMBDA * np.abs(bar).sum(axis=-1)
        return Row(F, {"t": state.t}, f"t={state.t}")


class Clip(Algorithm, name="own-clip"):
    def __init__(self, eta, radius=0.5):
        self.eta, self.radius = eta, radius

    def step(self, state, net):
        g = net.gradient(state.x)
        norm = np.sqrt(np.sum(g * g, axis=2, keepdims=True))
        g = g * np.minimum(1.0, self.radius / np.where(norm > 0, norm, 1.0))
        return net.next(state, x=net.mix(state.x - self.eta * g))


class Averaged(Algorithm, name="own-averaged"):
    def __init__(self, eta):
        self.eta = eta

    def init(self, x0, problem=None):
        return replace(super().init(x0, problem), memory={"mean": 0 * x0, "count": 0})

    def step(self, state, net):
        count = state.memory["count"] + 1
        mean = state.memory["mean"] + (state.x - state.memory["mean"]) / count
        x = net.mix(state.x - self.eta * net.gradient(state.x))
        return net.next(state, x=x, memory={"mean": mean, "count": count})


class OfMean(Metric, name="own.of_mean"):
    numbers = ("f_star",)

    def rows(self, before, after):
        yield self.row(before)

    def last(self, state):
        yield self.row(state)

    def row(self, state):
        f = self.setting.problem.mean_loss(state.memory["mean"].mean(axis=1))
        return Row(f - self.known["f_star"].value, {"t": state.t}, f"t={state.t}")


class Median(Algorithm, name="own-median"):
    server = True
    keeps_mass = False

    def __init__(self, eta):
        self.eta = eta

    def step(self, state, net):
        middle = np.median(net.gradient(state.x), axis=1)
        return net.next(state, x=state.x - self.eta * middle[:, None, :])


class Trimmed(Algorithm, name="own-trimmed"):
    server = True
    keeps_mass = False

    def __init__(self, eta):
        self.eta = eta

    def step(self, state, net):
        g = np.sort(net.gradient(state.x), axis=1)[:, 1:-1].mean(axis=1)
        return net.next(state, x=state.x - self.eta * g[:, None, :])


GRID = 0.37


class Quantized(Algorithm, name="own-quantized"):
    keeps_mass = False

    def __init__(self, eta):
        self.eta = eta

    def step(self, state, net):
        sent = GRID * np.floor(state.x / GRID + 0.5)
        x = state.x + net.mix(sent) - sent - self.eta * net.gradient(state.x)
        return net.next(state, x=x)


def claimed(name, method, quantity=GAP, **changes):
    units = quantity.units
    least = f"least_{units[0]}_{units[1]}"
    number = symbol(least, "s", "a number that is claimed", units=units)
    instance = {**RUN, **changes, "constants": {least: 1e-6}}
    instance = {key: value for key, value in instance.items() if value is not None}
    check = Check("one", instance, "VIOLATED")
    source = Source("own", name, "a claim that is false")
    versions = {"claim": Version({"b": number}, (), (check,))}
    return Statement(f"methods.{name}", source, quantity, versions, method)


STATEMENTS = [
    claimed("heavy", "own-heavy"),
    claimed("signs", "own-signs"),
    claimed("nesterov", "own-nesterov", algorithm={"eta": "1/(4 + t)"}),
    claimed("adagrad", "own-adagrad", Quantity("suboptimality", "average")),
    claimed("prox", "own-prox", Quantity("own.composite", "last", (1, 0))),
    claimed("clip", "own-clip"),
    claimed("averaged", "own-averaged", Quantity("own.of_mean", "last", (1, 0))),
    claimed("median", "own-median", topology={"name": "complete"}),
    claimed("trimmed", "own-trimmed", topology={"name": "complete"}),
    claimed("quantized", "own-quantized"),
]
