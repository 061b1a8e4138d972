"""Clients that are all alike: what a method does where a network has nothing to mix."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.algorithms import Algorithm, State
from theorylab.problems import Problem
from theorylab.runs import simulate
from theorylab.topologies import Topology

Floats = NDArray[np.float64]


class Alike(Problem):
    """n clients that all have the loss f of ``whole``, the mean over its clients, without noise."""

    def __init__(self, whole: Problem, clients: int) -> None:
        self.whole = whole
        self.name = whole.name  # type: ignore[misc]  # of the instance: it stands for another
        super().__init__(clients, whole.dim)
        self.shared, self.blocks = whole.shared, whole.blocks

    def loss(self, x: Any) -> Any:
        rows, back = _unlike(x)
        return self.whole.mean_loss(rows)[back].reshape(x.shape[:2])

    def gradient(self, x: Any) -> Any:
        rows, back = _unlike(x)
        return self.whole.mean_gradient(rows)[back].reshape(x.shape)

    def initial(self, seed: int, runs: NDArray[np.int64]) -> Any:
        first = self.whole.initial(seed, np.zeros(1, np.int64))[:, :1]
        return np.repeat(np.repeat(first, self.clients, axis=1), len(runs), axis=0)

    def points(self, x: Any) -> Any:
        return self.whole.points(x)

    def moving_start(self) -> Floats:
        """(n, d): one point for all, which is not 0, where a gradient may be 0."""
        start = np.asarray(self.initial(0, np.zeros(1, np.int64)), np.float64)[0]
        if not start.any():
            start = start + np.random.default_rng(0).standard_normal(self.dim)
        made: Floats = start
        return made


class Flat(Alike):
    """Alike clients whose loss is 0: nothing but the exchange moves a model."""

    def loss(self, x: Any) -> Any:
        return 0 * x[..., 0]

    def gradient(self, x: Any) -> Any:
        return 0 * x


class Ramp(Alike):
    """Alike clients whose gradient is 1 in every coordinate and everywhere: no round is the last
    to move a model, and each moves it by its step."""

    def loss(self, x: Any) -> Any:
        return x.sum(-1)

    def gradient(self, x: Any) -> Any:
        return 0 * x + 1


def _unlike(x: Any) -> tuple[Any, Any]:
    """The points of x (R, n, d) without those that are there already, and where each is.

    Clients that are alike are at few points, so that few gradients are taken.
    """
    rows = x.reshape(-1, x.shape[2])
    if isinstance(rows, np.ndarray):
        few, back = np.unique(rows, axis=0, return_inverse=True)
        return few, back.ravel()
    import torch

    few, back = torch.unique(rows, dim=0, return_inverse=True)
    return few.contiguous(), back


def states_of(
    losses: Problem, network: Topology, method: Algorithm, start: Floats, rounds: int
) -> dict[int, State]:
    """The state after each round, (count, ...) where several came at once are taken apart."""
    found: dict[int, State] = {}

    def watch(states: State, count: int) -> None:
        for k in range(count):
            v = None if states.v is None else states.v[k : k + 1]
            part = slice(k, k + 1)
            found[states.t + k] = State(
                states.t + k, states.x[part], states.w[part], states.z[part], v
            )

    with np.errstate(all="ignore"):
        simulate(losses, network, method, rounds=rounds, x0=start, columns=(), watch=watch)
    return found
