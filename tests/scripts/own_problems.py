"""Problems, a network and metrics as strangers write them; every claim is false."""

import numpy as np

from theorylab.algorithms import Algorithm
from theorylab.known import How, Known
from theorylab.metrics import Metric
from theorylab.problems import Problem
from theorylab.runs import Row
from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.symbols import symbol
from theorylab.topologies import from_function

QUADRATIC = {"name": "quadratic", "c": [[1.0, 0.0], [0.0, 2.0], [-1.0, 1.0]]}
QUADRATIC["H"] = [[[1.0, 0.0], [0.0, 0.25]], [[0.5, 0.0], [0.0, 2.0]], [[1.0, 0.25], [0.25, 1.0]]]
RUN = {"problem": QUADRATIC, "topology": {"name": "ring"}, "clients": 3, "rounds": 6, "x0": 1.0}
RUN["algorithm"] = {"eta": 0.25}
GAP = Quantity("suboptimality", "last", (1, 0))


K = 1


def top(v, k):
    order = np.argsort(-np.abs(v), axis=-1)[..., :k]
    mask = np.zeros_like(v)
    np.put_along_axis(mask, order, 1.0, axis=-1)
    return v * mask


class Squares(Problem, name="own-squares"):
    def __init__(self, clients, *, seed=0):
        rng = np.random.default_rng(seed)
        self.A = rng.normal(size=(clients, 5, 3))
        self.b = rng.normal(size=(clients, 5))
        super().__init__(clients, 3)
        H = np.einsum("imk,iml->kl", self.A, self.A) / clients
        self.optimum = np.linalg.solve(H, np.einsum("imk,im->k", self.A, self.b) / clients)

    def loss(self, x):
        return ((np.einsum("imk,rik->rim", self.A, x) - self.b) ** 2).sum(-1) / 2

    def gradient(self, x):
        return np.einsum("imk,rim->rik", self.A, np.einsum("imk,rik->rim", self.A, x) - self.b)

    def constants(self):
        top = float(np.linalg.norm(self.A, 2, axis=(1, 2)).max() ** 2) * 1.001
        return {"L": Known(top, How.UPPER, "rows")}


class Top(Algorithm, name="own-topk"):
    def __init__(self, eta):
        self.eta = eta

    def step(self, state, net):
        return net.next(state, x=net.mix(state.x - self.eta * top(net.gradient(state.x), K)))


def turns(t, clients):
    P = np.eye(clients)
    i, j = (0, 1) if t % 2 == 0 else (1, 2)
    P[i, i] = P[j, j] = P[i, j] = P[j, i] = 0.5
    return P


NETWORK = from_function(turns, clients=3, period=2, name="own-turns")


class Widest(Metric, name="own.widest"):
    def rows(self, before, after):
        x = after.x
        apart = np.abs(x[:, :, None] - x[:, None, :]).max(axis=(1, 2, 3))
        yield Row(apart, {"t": before.t}, f"t={before.t}")


class Gossip(Algorithm, name="own-network"):
    def __init__(self, eta):
        self.eta = eta

    def step(self, state, net):
        return net.next(state, x=net.mix(state.x - self.eta * net.gradient(state.x)))


class Linear(Problem, name="own-linear"):
    def __init__(self, clients, *, costs=(0.3, 0.1, 0.7)):
        self.costs = list(costs)
        super().__init__(clients, len(self.costs))

    def initial(self, seed, runs):
        return np.full((len(runs), self.clients, self.dim), 1 / self.dim)

    def inside(self, x):
        return (np.abs(x.sum(axis=-1) - 1) < 1e-9) & (x >= 0).all(axis=-1)

    def loss(self, x):
        return x @ np.array(self.costs)

    def gradient(self, x):
        return np.zeros_like(x) + np.array(self.costs)

    def constants(self):
        least = Known(min(self.costs), How.EXACT, "over the simplex")
        return {"f_star": least, "L": Known(0.0, How.EXACT, "linear")}


class Exponentiated(Algorithm, name="own-simplex"):
    keeps_mass = False

    def __init__(self, eta):
        self.eta = eta

    def step(self, state, net):
        v = state.x * np.exp(-self.eta * net.gradient(state.x))
        return net.next(state, x=v / v.sum(axis=-1, keepdims=True))


class Huber(Problem, name="own-huber"):
    def __init__(self, clients, *, width=0.5):
        self.width = width
        self.centers = np.linspace(-1.0, 2.0, clients)[:, None]
        super().__init__(clients, 1)

    def loss(self, x):
        y = np.abs(x - self.centers)
        return np.where(y <= self.width, y**2 / 2, self.width * (y - self.width / 2)).sum(axis=-1)

    def gradient(self, x):
        return np.clip(x - self.centers, -self.width, self.width)

    def constants(self):
        return {"L": Known(1.0, How.EXACT, "Huber"), "B": Known(self.width, How.EXACT, "clip")}


class Plain(Algorithm, name="own-huber-gd"):
    def __init__(self, eta):
        self.eta = eta

    def step(self, state, net):
        return net.next(state, x=net.mix(state.x - self.eta * net.gradient(state.x)))


class Logistic(Problem, name="own-logistic"):
    def __init__(self, clients, *, seed=1, reg=0.1):
        rng = np.random.default_rng(seed)
        self.A, self.reg = rng.normal(size=(clients, 6, 2)), reg
        self.y = np.sign(rng.normal(size=(clients, 6)))
        super().__init__(clients, 2)

    def loss(self, x):
        margin = self.y * np.einsum("imk,rik->rim", self.A, x)
        return np.logaddexp(0, -margin).mean(axis=-1) + self.reg / 2 * (x**2).sum(axis=-1)

    def gradient(self, x):
        margin = self.y * np.einsum("imk,rik->rim", self.A, x)
        weight = -self.y / (1 + np.exp(margin)) / self.y.shape[1]
        return np.einsum("imk,rim->rik", self.A, weight) + self.reg * x

    def constants(self):
        top = float((self.A**2).sum(axis=(1, 2)).max())
        return {"L": Known(top, How.UPPER, "rows"), "mu": Known(self.reg, How.LOWER, "reg")}


class Worst(Metric, name="own.worst_client"):
    def rows(self, before, after):
        yield Row(self.setting.problem.loss(after.x).max(axis=1), {"t": before.t}, f"t={before.t}")


class Descent(Algorithm, name="own-logistic-gd"):
    def __init__(self, eta):
        self.eta = eta

    def step(self, state, net):
        return net.next(state, x=net.mix(state.x) - self.eta * net.gradient(state.x))


def claimed(name, method, quantity=GAP, **changes):
    units = quantity.units
    least = f"least_{units[0]}_{units[1]}"
    number = symbol(least, "s", "a number that is claimed", units=units)
    instance = {**RUN, **changes, "constants": {least: 1e-6}}
    instance = {key: value for key, value in instance.items() if value is not None}
    check = Check("one", instance, "VIOLATED")
    source = Source("own", name, "a claim that is false")
    versions = {"claim": Version({"b": number}, (), (check,))}
    return Statement(f"problems.{name}", source, quantity, versions, method)


STATEMENTS = [
    claimed(
        "topk",
        "own-topk",
        Quantity("squared_gradient", "last", (1, 0)),
        problem={"name": "own-squares", "seed": 4},
        algorithm={"eta": 0.05},
    ),
    claimed(
        "network",
        "own-network",
        Quantity("own.widest", "rows", (0, 1)),
        topology={"name": "own-turns"},
    ),
    claimed(
        "simplex",
        "own-simplex",
        problem={"name": "own-linear"},
        topology={"name": "complete"},
        x0=None,
    ),
    claimed("huber", "own-huber-gd", Quantity("loss", "last"), problem={"name": "own-huber"}),
    claimed(
        "logistic",
        "own-logistic-gd",
        Quantity("own.worst_client", "rows", (1, 0)),
        problem={"name": "own-logistic"},
    ),
]
