"""Local steps with SAM and momentum for all clients and runs in whole-array NumPy.

As many models at once as keep their minibatches in the cache, in as many threads as ours has.
A state is (n, R, d), so that one product with P mixes all runs.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from theorylab.bench._peers import ALPHA, BATCH, ETA, RHO, SEED, STEPS

Array = NDArray[Any]
_BYTES = 1 << 20  # of the minibatches of a chunk: it stays in the second cache


class LogisticSteps:
    """``after(x, w, samples)``: x (n, R, d) after its steps.

    samples: row numbers (n, R, BATCH), one a step; None: drawn here, by NumPy's generator.
    """

    def __init__(self, losses: Any, runs: int, threads: int) -> None:
        self.X, self.t = np.ascontiguousarray(losses.features), losses.targets[:, 0].astype(float)
        self.n, self.d, self.runs = losses.clients, losses.dim, runs
        self.starts, self.sizes = (
            np.repeat(part, runs)[:, None] for part in (losses.starts, losses.sizes)
        )
        self.draws = np.random.default_rng(SEED)
        self.chunk = max(1, _BYTES // (BATCH * self.d * 8))
        cuts = np.linspace(0, self.n * runs, threads + 1).astype(int).tolist()
        self.parts = list(itertools.pairwise(cuts))
        self.room = [np.empty((self.chunk, BATCH, self.d)) for _ in self.parts]
        self.pool = ThreadPoolExecutor(threads)

    def after(self, x: Array, w: Array, samples: Sequence[Array] | None = None) -> Array:
        N = self.n * self.runs
        if samples is None:
            drawn = [self.draws.integers(self.sizes, size=(N, BATCH)) for _ in range(STEPS)]
        else:
            drawn = [part.reshape(N, BATCH) for part in samples]
        rows = [self.starts + part for part in drawn]
        out, weight = x.reshape(N, self.d).copy(), np.repeat(w, self.runs)[:, None]
        given = [(out, weight, rows, *part) for part in zip(self.room, self.parts, strict=True)]
        list(self.pool.map(lambda one: self._some(*one), given))
        return out.reshape(x.shape)

    def _some(
        self, out: Array, weight: Array, rows: list[Array], room: Array, part: tuple[int, int]
    ) -> None:
        for first in range(*part, self.chunk):
            some = slice(first, min(first + self.chunk, part[1]))
            A = room[: some.stop - first]
            model, v = out[some], np.zeros_like(out[some])
            for taken in rows:
                np.take(self.X, taken[some], axis=0, out=A, mode="clip")
                b = self.t[taken[some]]
                z = model / weight[some]
                z += _direction(_gradient(A, b, z))
                v *= ALPHA
                v += _gradient(A, b, z)
                model -= ETA * v


def _gradient(A: Array, b: Array, z: Array) -> Array:
    y = expit(np.matmul(A, z[:, :, None])[:, :, 0])
    y -= b
    g: Array = np.matmul(y[:, None, :], A)[:, 0]
    g /= BATCH
    return g


def _direction(g: Array) -> Array:
    """RHO g / |g|, 0 where g is 0."""
    size = np.sqrt(np.einsum("...d,...d->...", g, g))[..., None]
    made: Array = np.divide(RHO, size, out=np.zeros_like(size), where=size > 0) * g
    return made


class QuadraticSteps:
    """The same for quadratics; samples: noise (n, R, d), one a step."""

    def __init__(self, losses: Any, runs: int, threads: int) -> None:
        self.n, self.d, self.runs = losses.clients, losses.dim, runs
        self.H, self.c = losses.hessians, np.ascontiguousarray(losses.centers[:, None])
        self.scale = losses.sigma / math.sqrt(losses.dim)
        self.draws = np.random.default_rng(SEED)

    def after(self, x: Array, w: Array, samples: Sequence[Array] | None = None) -> Array:
        model, v, weight = x.copy(), np.zeros_like(x), w[:, None, None]
        for k in range(STEPS):
            if samples is None:
                noise = self.draws.standard_normal(x.shape)
                noise *= self.scale
            else:
                noise = samples[k]
            z = model / weight
            z += _direction((z - self.c) @ self.H + noise)  # H is symmetric
            v *= ALPHA
            v += (z - self.c) @ self.H
            v += noise
            model -= ETA * v
        return model


def steps_of(losses: Any, runs: int, threads: int) -> LogisticSteps | QuadraticSteps:
    kind = QuadraticSteps if losses.name == "quadratic" else LogisticSteps
    return kind(losses, runs, threads)


def whole_rounds(
    steps: LogisticSteps | QuadraticSteps,
    matrices: Sequence[Any],
    rounds: int,
    samples: Sequence[Array] | None = None,
) -> Callable[[], tuple[Array, Array]]:
    """Rounds of DFedSGPSM from 0: steps, then x = P x and w = P w by a sparse product."""

    def run() -> tuple[Array, Array]:
        n, d = steps.n, steps.d
        x, w = np.zeros((n, steps.runs, d)), np.ones(n)
        for t in range(rounds):
            P = matrices[t % len(matrices)]
            x, w = (P @ steps.after(x, w, samples).reshape(n, -1)).reshape(x.shape), P @ w
        return x, w

    return run
