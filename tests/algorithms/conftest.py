"""Shared by the tests of algorithms: networks, losses, and loops that know one client at a time."""

import numpy as np
import pytest

from theorylab.algorithms import Context, play
from theorylab.problems import problem
from theorylab.topologies import topology

SEED = 5


class Bench:
    """A problem, and what a plain loop needs of it: the gradient of one client of one run."""

    def __init__(self, losses):
        self.losses, self.n = losses, losses.clients

    def models(self, runs=3):
        shape = (runs, self.n, self.losses.dim)
        return np.random.default_rng(11).normal(size=shape)

    def gradient(self, i, point, run, t, step):
        """grad F_i(point; xi) with the randomness of (run, t, step)."""
        everyone = np.zeros((1, self.n, len(point)))
        everyone[0, i] = point
        sample = self.losses.sample(SEED, np.array([run]), t, step)
        return self.losses.stochastic_gradient(everyone, sample)[0, i]

    def steps(self, i, x, run, t, *, eta, K, alpha=0.0, rho=0.0, w=1.0):
        """K local steps of client i, by lines 3 to 13 of Algorithm 1 of dfedsgpsm."""
        x, v = x.copy(), np.zeros_like(x)
        for k in range(K):
            z = x / w
            g = self.gradient(i, z, run, t, k)
            if rho and g.any():
                g = self.gradient(i, z + rho * g / np.sqrt(sum(g * g)), run, t, k)
            v = alpha * v + g
            x = x - eta * v
        return x

    def follow(self, method, graph, x0, rounds, *, effort=None, conserves=None, graph_runs=None):
        """The engine's final state."""
        ids = np.arange(len(x0))
        state = method.init(x0, self.losses)
        for t in range(rounds):
            P = graph.matrix(t) if graph_runs is None else [graph.matrix(t, r) for r in graph_runs]
            keeps = graph.column_stochastic if conserves is None else conserves
            context = Context(self.losses, P, SEED, ids, None, effort, keeps)
            state = play(method, state, context)
        return state


@pytest.fixture(scope="session")
def bench():
    return Bench(problem("log-cosh", 5, dim=3, spread=1.5, sigma=0.4, seed=2))


# Where w differs from 1 and z from x, and where it does not.
DIRECTED = [
    topology("random-out", 5, degree=2, seed=8),
    topology(
        "edge-list",
        5,
        edges=[[i, j] for i in range(5) for j in {i, (i + 1) % 5, (2 * i) % 5}],
        weights="uniform",
    ),
]
SYMMETRIC = [topology("ring", 5), topology("random-symmetric", 5, degree=1, seed=3)]


@pytest.fixture(params=[*DIRECTED, *SYMMETRIC], ids=lambda graph: graph.name)
def graph(request):
    return request.param


@pytest.fixture(params=SYMMETRIC, ids=lambda graph: graph.name)
def symmetric(request):
    return request.param
