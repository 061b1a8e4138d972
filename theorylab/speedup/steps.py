"""Whether a method's step is its own: what moves the mean of clients that are all alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.algorithms import State, numbers
from theorylab.problems import Problem
from theorylab.runs import simulate
from theorylab.speedup.protocol import ALONE, MAIN, Arm, Protocol

Floats = NDArray[np.float64]
LOOKED_AT = 8  # first rounds, so that a step that changes after the first is seen, too


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


def step_apart(protocol: Protocol, clients: int) -> float | None:
    """By how much the first rounds over the network move the mean unlike those with P = I do.

    It is the largest part over these rounds. All clients are alike and start at one model, and
    nothing is random, so that the network has nothing to mix: a method whose steps are its own
    moves the mean alike, whichever P keeps sums. None where P does not, or where nothing moves.
    """
    if not protocol.topology(clients, MAIN).column_stochastic:
        return None
    over, alone = (_moves(protocol, clients, arm) for arm in (MAIN, ALONE))
    sizes = np.linalg.norm(alone, axis=1)
    if not sizes.all():
        return None
    return float((np.linalg.norm(over - alone, axis=1) / sizes).max())


def shrinking(protocol: Protocol, clients: Sequence[int]) -> float | None:
    """The least power of n like which a first round moves the mean with P = I, as in
    ``step_apart``.

    A step that does not know n has the power 0. None where nothing moves, or at a single n.
    """
    if len(clients) < 2:
        return None
    sizes = [np.linalg.norm(_moves(protocol, n, ALONE), axis=1) for n in clients]
    if not np.all(sizes):
        return None
    return float(np.polyfit(np.log(clients), np.log(sizes), 1)[0].min())


def _moves(protocol: Protocol, clients: int, arm: Arm) -> Floats:
    """(rounds, d): how far the mean is from its start after each of the first rounds."""
    losses = Alike(protocol.reference, clients)
    start = np.asarray(losses.initial(0, np.zeros(1, np.int64)), np.float64)[0]
    if not start.any():  # 0 may be stationary
        start = start + np.random.default_rng(0).standard_normal(losses.dim)
    method, network = protocol.algorithm(clients, arm), protocol.topology(clients, arm)
    means: dict[int, Floats] = {}

    def watch(states: State, count: int) -> None:
        x, w = numbers(states.x), numbers(states.w)
        for k, mean in enumerate(x.sum(axis=1) / w.sum(axis=1)[:, None]):
            means[states.t + k] = np.asarray(mean, np.float64)

    rounds = min(LOOKED_AT, protocol.rounds)
    with np.errstate(all="ignore"):
        simulate(losses, network, method, rounds=rounds, x0=start, columns=(), watch=watch)
    first = start[0, : means[rounds].shape[0]]
    return np.stack([means[t] - first for t in range(1, rounds + 1)])
