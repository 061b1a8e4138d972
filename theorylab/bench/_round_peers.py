"""Rounds of SGP on quadratics as others would write them: whole arrays, here in NumPy.

Each draws with its own library's generator, many rounds in one call where they are small, and its
receivers by Floyd's sampling, one step for all clients. A state is (n, d R + 1): the models, run
after run in the columns, and w in the last. Where a library has several ways to multiply, all are
``variants``, and the bench keeps the one that is fastest on the case at hand.
"""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array

Array = NDArray[Any]
DEGREE, ETA, SEED = 4, 0.05, 1
SHARE = 1 / (DEGREE + 1)
_BLOCK = 50  # rounds whose draws are made at once
_NUMBERS = 200_000  # of a block at most, so that it stays in the cache
_DENSE = 200  # clients up to whom P is worth trying as a dense matrix


class Loop:
    """A peer; ``way`` is one of ``variants``.

    Args:
        losses: quadratics with ``hessians`` (n, d, d), ``centers`` (n, d) and ``sigma``.
        runs: R, all in one array.
    """

    name = ""

    def __init__(self, losses: Any, runs: int, way: str = "") -> None:
        self.n, self.d, self.runs = losses.clients, losses.dim, runs
        self.H, self.scale = losses.hessians, losses.sigma / math.sqrt(losses.dim)
        self.c = np.ascontiguousarray(losses.centers[:, :, None])
        self.way = way or self.variants(losses, runs)[0]
        numbers = self.n * max(DEGREE, self.d * runs, self.n if self.way == "dense" else 0)
        self.block = max(1, min(_BLOCK, _NUMBERS // numbers))

    @classmethod
    def variants(cls, losses: Any, runs: int) -> tuple[str, ...]:
        """The ways that may be the fastest on this case."""
        return ("sparse", "dense") if losses.clients <= _DENSE else ("sparse",)

    def draws(self, rounds: int) -> tuple[Array, Array | None]:
        """Receivers (T, n, DEGREE) and noise (T, n, d, R) or None, as NumPy, from a fresh seed."""
        raise NotImplementedError

    def round(self, state: Array, receivers: Array, noise: Array | None) -> Array:
        """One round of a state from given receivers (n, DEGREE) and noise (n, d, R), as NumPy."""
        raise NotImplementedError

    def run(self, rounds: int) -> Array:
        """The last state of so many rounds."""
        raise NotImplementedError

    def start(self) -> Array:
        state = np.zeros((self.n, self.d * self.runs + 1))
        state[:, -1] = 1
        return state


class NumPyLoop(Loop):
    """P is kept by columns, or dense where the network is small: nothing is sorted."""

    name = "numpy"

    def __init__(self, losses: Any, runs: int, way: str = "") -> None:
        super().__init__(losses, runs, way)
        self.ends = np.arange(self.n + 1) * (DEGREE + 1)
        self.shares = np.full(self.n * (DEGREE + 1), SHARE)
        self.me = np.arange(self.n, dtype=np.int32)[:, None]

    def receivers(self, generator: np.random.Generator, rounds: int) -> Array:
        n = self.n
        chosen = np.empty((rounds, n, DEGREE), np.int32)
        for k in range(DEGREE):
            top = n - 1 - DEGREE + k
            drawn = generator.integers(top + 1, size=(rounds, n), dtype=np.int32)
            seen = (chosen[:, :, :k] == drawn[:, :, None]).any(axis=2)
            chosen[:, :, k] = np.where(seen, top, drawn)
        chosen += chosen >= self.me
        return chosen

    def noise(self, generator: np.random.Generator, rounds: int) -> Array | None:
        if not self.scale:
            return None
        made: Array = generator.standard_normal((rounds, self.n, self.d, self.runs))
        made *= self.scale
        return made

    def draws(self, rounds: int) -> tuple[Array, Array | None]:
        generator = np.random.default_rng(SEED)
        return self.receivers(generator, rounds), self.noise(generator, rounds)

    def matrices(self, receivers: Array) -> Any:
        """P of every round of (T, n, DEGREE)."""
        T, n, _ = receivers.shape
        if self.way == "dense":
            P = np.zeros((T, n, n))  # sender, receiver
            np.put_along_axis(P, receivers, SHARE, axis=2)
            P[:, self.me, self.me] = SHARE
            return P.transpose(0, 2, 1)
        every = np.concatenate(
            [receivers, np.broadcast_to(self.me, (T, n, 1))], axis=2, dtype=np.int32
        )
        return [csc_array((self.shares, one.ravel(), self.ends), shape=(n, n)) for one in every]

    def step(self, state: Array, P: Any, noise: Array | None) -> Array:
        x, w = state[:, :-1].reshape(self.n, self.d, self.runs), state[:, -1]
        g = self.H @ (x / w[:, None, None] - self.c)
        if noise is not None:
            g += noise
        g *= ETA
        half = np.empty_like(state)
        np.subtract(x, g, out=half[:, :-1].reshape(x.shape))
        half[:, -1] = w
        mixed: Array = P @ half
        return mixed

    def round(self, state: Array, receivers: Array, noise: Array | None) -> Array:
        return self.step(state, self.matrices(receivers[None])[0], noise)

    def run(self, rounds: int) -> Array:
        generator, state = np.random.default_rng(SEED), self.start()
        for first in range(0, rounds, self.block):
            T = min(self.block, rounds - first)
            P, noise = self.matrices(self.receivers(generator, T)), self.noise(generator, T)
            for t in range(T):
                state = self.step(state, P[t], None if noise is None else noise[t])
        return state


def missing(library: str) -> str | None:
    """The line of a peer's row where its library is not installed."""
    if importlib.util.find_spec(library) is not None:
        return None
    return f"{library}: not installed; pip install 'theorylab[bench]'"


def fastest(kind: type[Loop], losses: Any, runs: int, seconds: Callable[[Loop], float]) -> Loop:
    """The variant that takes the least ``seconds``."""
    made = [kind(losses, runs, way) for way in kind.variants(losses, runs)]
    return made[0] if len(made) == 1 else min(made, key=seconds)
