"""What a script carries of theorylab, in plain NumPy: of the text of this file what is used.

Models are (R, n, d): R runs, n clients, d coordinates; weights of push-sum are (R, n). The stub
knows one network, and nothing of faults, devices, audits and seeds that a run has besides.
"""
# mypy: ignore-errors
# ruff: noqa: RUF012
# A script has no types, so that it stays short.

from dataclasses import dataclass, field
from statistics import NormalDist

import numpy as np


@dataclass(frozen=True)
class State:  # x is what the clients exchange, z = x / w
    t: int
    x: object
    w: object
    z: object
    v: object = None
    memory: dict = field(default_factory=dict)


class Net:
    """What a step is given, in plain NumPy: the network P(t) and the losses."""

    def __init__(self, problem, P, runs=1):
        self.problem, self.P, self.runs, self.t = problem, P, np.arange(runs), 0

    def mix(self, *arrays, network=None):
        P = self.P if network is None else self.P[network]
        P = P[self.t % len(P)]
        sent = [P @ a if a.ndim == 3 else a @ P.T for a in arrays]
        return sent[0] if len(sent) == 1 else tuple(sent)

    def gradient(self, x, k=0, *, steps=None):
        return self.problem.gradient(x)

    def ascent(self, x, g, rho):
        size = np.sqrt((g * g).sum(-1, keepdims=True))
        return x + rho * g / np.where(size > 0, size, 1)

    def project(self, x):
        return self.problem.project(x)

    def prox(self, x, step):
        return self.problem.prox(x, step)

    def next(self, state, x=None, z=None, w=None, v=None, memory=None):
        x, w = state.x if x is None else x, state.w if w is None else w
        z = x / w[:, :, None] if z is None else z
        v, memory = state.v if v is None else v, {**state.memory, **(memory or {})}
        return State(state.t + 1, x, w, z, v, memory)


class RandomNet(Net):
    """Where a round draws: the same k is the same sample."""

    def begin(self, t):
        self.t, self.tossed, self.asked = t, 0, {}

    def sample(self, k):
        if k not in self.asked:
            self.asked[k] = self.noise(k)
        return self.asked[k]

    def gradient(self, x, k=0, *, steps=None):
        return self.problem.stochastic_gradient(x, self.sample(k))


class ListedNet(RandomNet):
    """A run is an outcome: faces[:, j] says how draw number j falls in each of them."""

    def taken(self, values, shape, each=1):
        count = int(np.prod(shape[1:])) // each
        faces = self.faces[:, self.used : self.used + count]
        self.used += count
        return values[faces].reshape(shape)

    def coins(self, shape, law, *, shared=False, **given):
        shape = shape if isinstance(shape, tuple) else (shape,)
        clients = 1 if shared else self.problem.clients
        values, self.tossed = self.coin_values[self.tossed], self.tossed + 1
        each = shape[-1] if law == "subset" else 1
        return self.taken(values, (len(self.faces), clients, *shape), each)

    def noise(self, k):
        shape = (len(self.faces), self.problem.clients, *self.noise_shape)
        return self.taken(self.noise_values, shape, int(np.prod(self.noise_values.shape[1:])))


class PointsNet(RandomNet):
    """Of all numbers of noise run j has number j alone, and run N + j its opposite."""

    def noise(self, k):
        N, shape = len(self.runs) // 2, (self.problem.clients, self.problem.dim)
        j = np.arange(shape[0] * shape[1])
        xi = np.zeros((2 * N, len(j)))
        xi[self.used + j, j], xi[N + self.used + j, j] = 1, -1
        self.used += len(j)
        return self.scale * xi.reshape(2 * N, *shape)


def philox(c, key):  # Philox4x32-10 (Salmon, Moraes, Dror, Shaw 2011), of words below 2^32
    for _ in range(10):
        a, b = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        low = 0xFFFFFFFF
        c = [(b >> 32) ^ c[1] ^ key[0], b & low, (a >> 32) ^ c[3] ^ key[1], a & low]
        key = (key[0] + 0x9E3779B9) & low, (key[1] + 0xBB67AE85) & low
    return c


def words(seed, purpose, runs, clients, t, step, count):
    """64 random bits for each of (R, n, count): a function of run, client, round and step."""
    key = philox([purpose, step, 0, 0], (seed & 0xFFFFFFFF, seed >> 32))[:2]
    m, i = np.arange(count, dtype=np.uint64), np.arange(clients, dtype=np.uint64)[:, None]
    b = philox([m // 2, t, i, np.asarray(runs, np.uint64)[:, None, None]], key)
    return np.where(m % 2, b[2], b[0]) | np.where(m % 2, b[3], b[1]) << 32


def uniform(bits):
    return (bits >> 11) * 2.0**-53


def normal(bits):
    return np.vectorize(NormalDist().inv_cdf)(((bits >> 12) + 0.5) * 2.0**-52)


def signs(u, chance=1.0):
    if chance == 1.0:
        return np.where(u < 0.5, -1.0, 1.0)
    return np.where(u[..., 1:] < 0.5, -1.0, 1.0) * (u[..., :1] < chance) / np.sqrt(chance)


def into_ball(x, center, radius):
    gap = x - center
    far = np.sqrt((gap * gap).sum(-1, keepdims=True))
    return np.where(far > radius, center + gap * (radius / np.where(far > radius, far, 1)), x)


def onto_simplex(x, total):
    down = -np.sort(-x, axis=-1)
    level = (np.cumsum(down, axis=-1) - total) / np.arange(1, x.shape[-1] + 1)
    return np.maximum(x - np.max(level, axis=-1, keepdims=True), 0)  # the greatest level is right


def onto_plane(x, A, b):
    return x - np.linalg.solve(A @ A.T, (x @ A.T - b)[..., None])[..., 0] @ A


def quantile(values, chances, eps):
    order = np.argsort(values, kind="stable")
    above = 1 - np.cumsum(chances[order])
    return values[order][min(int(np.sum(above > eps)), len(values) - 1)]


class SampledNet(RandomNet):
    """With the draws of a seed."""

    def coins(
        self, shape, law, *, shared=False, p=0.5, m=1, k=0, values=(1.0, -1.0), chances=(0.5, 0.5)
    ):
        shape = shape if isinstance(shape, tuple) else (shape,)
        full = (len(self.runs), 1 if shared else self.problem.clients, *shape)
        count = int(np.prod(shape))
        bits = words(self.seed, 9, self.runs, full[1], self.t, self.tossed, count).reshape(full)
        self.tossed, u = self.tossed + 1, uniform(bits)
        if law == "index":
            return ((bits >> 32) * m + ((bits & 0xFFFFFFFF) * m >> 32) >> 32).astype(np.int64)
        if law == "bernoulli":
            return (u < p).astype(float)
        if law == "subset":
            rank = u.argsort(-1, kind="stable").argsort(-1, kind="stable")
            return (rank >= shape[-1] - k).astype(float)
        ends = np.cumsum(chances)[:-1]
        return np.array(values)[(u[..., None] >= ends).sum(-1)]

    def noise(self, k):
        return self.problem.sample(self.seed, self.runs, self.t, k)


@dataclass(frozen=True)
class LocalStep:
    t: int
    part: str
    k: int
    before: object
    point: object
    lifted: object
    plain: object
    used: object
    after: object


def watched(net, metric):
    ask = net.gradient

    def gradient(x, k=0, *, steps=None):
        g = ask(x, k)
        metric.see(LocalStep(net.t, "", k, None, x, x, g, g, None))
        return g

    net.gradient = gradient


class Algorithm:
    first_memory = {}

    def init(self, x0, problem=None):
        memory = {name: share * x0 for name, share in self.first_memory.items()}
        return State(0, x0, np.ones(x0.shape[:2]), x0, memory=memory)


class Problem:
    def __init__(self, clients, dim, stochastic=False, *tables):
        self.clients, self.dim, self.shared, self.stochastic = clients, dim, dim, stochastic

    def mean_gradient(self, x):
        return self.gradient(np.repeat(x[:, None], self.clients, 1)).mean(1)

    def mean_loss(self, x):
        return self.loss(np.repeat(x[:, None], self.clients, 1)).mean(1)

    def stochastic_gradient(self, x, sample):
        return self.gradient(x)

    def project(self, x):
        return x

    def prox(self, x, step):
        return self.project(x)


class Metric:
    def __init__(self, setting, known):
        self.setting, self.known = setting, known

    def start(self, state):
        pass

    def see(self, step):
        pass

    def last(self, state):
        return ()


class Experiment:
    pass


class Row:
    def __init__(self, values, at=None, label="", weights=None, **more):
        self.values, self.at, self.label = np.asarray(values, float), at or {}, label
        self.weights = weights


class Observation:
    def __init__(self, rows, exact=True, axis=""):
        self.rows, self.exact = rows, exact


class Expected:
    def __init__(self, values, then=float):
        self.values, self.then = values, then


def step_size(method, t, eta=None):
    eta = method.eta if eta is None else eta
    return (eta(t) if callable(eta) else eta) * getattr(method, "decay", 1.0) ** t
