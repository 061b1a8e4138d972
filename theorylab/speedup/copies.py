"""Any problem of k clients, for more: client i of n has the loss of one of them, and its own draws.

A copy of the k clients is another run of their problem, so that a problem needs nothing but what it
has, and draws that no other copy sees.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.own import is_own
from theorylab.problems import Problem

_DRAWN = 512  # runs that are looked at
_APART = 1 << 16  # numbers of runs between two copies: more than a study has runs
_ROUNDS, _LAG = 48, 16  # rounds in which draws are compared, and how far apart they may be


class Copies(Problem):
    """``base`` for ``len(place)`` clients, each client of it as often as any other.

    Copy 0 of run r draws what run r of the base draws, and copy c what run 65536 c + r does. Every
    run starts where the base's run 0 does, the same at every n.

    Args:
        place: (n,), whose loss each client has.
        noise: without it every gradient is exact.

    Raises:
        ValueError: one line, where the clients of the base cannot stand for others: a gradient that
            moves with another client's point or another run, or samples that are not one a client.
    """

    def __init__(self, base: Problem, place: NDArray[np.int64], noise: bool) -> None:
        if base.drifts:
            raise ValueError(f"{base.name} has losses of the round; a study needs fixed ones")
        kinds, n = base.clients, len(place)
        rank = np.zeros(n, np.int64)  # which copy of its kind a client is
        for kind in range(kinds):
            here = place == kind
            rank[here] = np.arange(here.sum())
        self.base, self.place, self.copies = base, place, n // kinds
        self._order = np.argsort(rank * kinds + place)
        self._back = np.argsort(self._order)
        self.name = base.name  # type: ignore[misc]  # of the instance: it stands for its base
        super().__init__(n, base.dim, base.stochastic and noise)
        self.shared, self.blocks, self.domain = base.shared, base.blocks, base.domain
        self.affine_gradient = base.affine_gradient  # type: ignore[misc]
        if self.stochastic:
            self.sample(0, np.arange(2), 0, 0)
        if not is_own(type(base)):
            _check_separate(base, self.stochastic)

    def loss(self, x: Any) -> Any:
        return self._together(self.base.loss(self._apart(x)), len(x))

    def gradient(self, x: Any) -> Any:
        return self._together(self.base.gradient(self._apart(x)), len(x))

    def sample(self, seed: int, runs: NDArray[np.int64], round: int, step: int) -> Any:
        if not self.stochastic:
            return None
        ids = np.asarray(runs)[:, None] + _APART * np.arange(self.copies)
        drawn = self.base.sample(seed, ids.ravel(), round, step)
        shape = getattr(drawn, "shape", None)
        if shape is None or tuple(shape[:2]) != (ids.size, self.base.clients):
            came = f"shape {tuple(shape)}" if shape is not None else type(drawn).__name__
            raise ValueError(
                f"speedup: {self.name} cannot be copied: its samples for {ids.size} runs are "
                f"{came}; need an array ({ids.size}, {self.base.clients}, ...), one row a client"
            )
        return self._together(drawn, len(runs))

    def stochastic_gradient(self, x: Any, sample: Any) -> Any:
        if not self.stochastic:
            return super().stochastic_gradient(x, sample)
        made = self.base.stochastic_gradient(self._apart(x), self._apart(sample))
        return self._together(made, len(x))

    def partial_gradient(self, x: Any, sample: Any, part: str) -> Any:
        if not self.stochastic:
            return super().partial_gradient(x, sample, part)
        made = self.base.partial_gradient(self._apart(x), self._apart(sample), part)
        return self._together(made, len(x))

    def noise_variances(self) -> Any:
        return self.base.noise_variances() if self.stochastic else None

    def mean_loss(self, xbar: Any) -> Any:
        return self.base.mean_loss(xbar)

    def mean_gradient(self, xbar: Any) -> Any:
        return self.base.mean_gradient(xbar)

    def initial(self, seed: int, runs: NDArray[np.int64]) -> Any:
        first = self.base.initial(seed, np.zeros(1, np.int64))[:, self.place]
        return np.repeat(first, len(runs), axis=0)

    def points(self, x: Any) -> Any:
        return self.base.points(x)

    def _apart(self, x: Any) -> Any:
        """(R, n, ...) as (R copies, k, ...)."""
        if x.shape[1] != self.clients:
            raise ValueError(f"{self.name}: x has shape {tuple(x.shape)}; need {self.clients} rows")
        return x[:, self._order].reshape(len(x) * self.copies, self.base.clients, *x.shape[2:])

    def _together(self, y: Any, runs: int) -> Any:
        return y.reshape(runs, self.clients, *y.shape[2:])[:, self._back]


def _check_separate(base: Problem, noise: bool) -> None:
    """Gradients of a stranger's problem are each client's own, run by run, drawn ones, too."""
    draw = np.random.default_rng(0)
    x = base.initial(0, np.zeros(2, np.int64)) + draw.standard_normal((2, base.clients, base.dim))

    def exact(x: Any, runs: NDArray[np.int64]) -> Any:
        return _numbers(base.gradient(base.points(x)))

    def drawn(x: Any, runs: NDArray[np.int64]) -> Any:
        return _numbers(base.stochastic_gradient(base.points(x), base.sample(0, runs, 0, 0)))

    runs = np.arange(2)
    kinds = {"gradient": exact} | ({"stochastic gradient": drawn} if noise else {})
    for kind, slope in kinds.items():
        both = slope(x, runs)
        swapped = slope(x[::-1].copy(), runs[::-1].copy())[::-1]
        room = 1e-4 * (1 + np.abs(both).max())
        for i in range(base.clients):
            other = x.copy()
            other[0] = x[1]
            other[0, i] = x[0, i]
            alone = slope(other, runs)[0, i]
            if not (np.abs(alone - both[0, i]) <= room).all():
                raise ValueError(
                    f"speedup: {base.name} cannot be copied: the {kind} of client {i} moves with "
                    "the point of another client; need losses of one client each"
                )
            if not (np.abs(swapped[0, i] - both[0, i]) <= room).all():
                raise ValueError(
                    f"speedup: {base.name} cannot be copied: the {kind} of client {i} moves with "
                    "the place of its run; need runs that do not see each other"
                )


def misdrawn(base: Problem) -> str | None:
    """What is wrong with the noise of a stranger's problem; empty if nothing is seen.

    Copies are runs, so runs that draw alike would be clients that draw alike, and no network could
    average their noise. A mean that is not the gradient would stand for noise that stays. None of
    a problem of theorylab's own, and of one without noise.
    """
    if is_own(type(base)) or not base.stochastic:
        return None
    ids = np.arange(_DRAWN)
    start = base.initial(0, np.zeros(1, np.int64))
    start = start + np.random.default_rng(0).standard_normal(start.shape)
    points = base.points(np.repeat(start, _DRAWN, axis=0))
    drawn = _numbers(base.stochastic_gradient(points, base.sample(0, ids, 0, 0)))
    off = np.asarray(drawn - _numbers(base.gradient(points)), np.float64)
    room = 1e-4 * (1 + np.abs(drawn).max())
    if np.abs(off).max() > room and (np.ptp(off, axis=0) <= room).all():
        return "all runs draw the same noise, and copies of clients with them"
    if (same := _repeated(base, points[:1])) is not None:
        return same
    # a sum over the root of its squares: for noise that is symmetric, beyond it by chance 1e-9
    limit = math.sqrt(2 * math.log(2 * off[0].size / 1e-9))
    ratio = np.abs(off.sum(axis=0)) / (np.sqrt((off**2).sum(axis=0)) + math.sqrt(_DRAWN) * room)
    client, at = np.unravel_index(int(ratio.argmax()), ratio.shape)
    if ratio[client, at] <= limit:
        return ""
    mean = off[:, client, at].mean()
    return f"the noise of client {client} has the mean {mean:.3g} in coordinate {at}, not 0"


def _repeated(base: Problem, point: Any) -> str | None:
    """Which of two runs draws what the other does, at once or some rounds later; None if no two do.

    Runs of a study are looked at, and their copies. Draws of one bit a round agree by chance with
    less than 1e-6, over all pairs and lags together.
    """
    ids = np.concatenate([np.arange(4), _APART * np.arange(1, 4), _APART + np.arange(1, 3)])
    here = base.points(np.repeat(_numbers(point), len(ids), axis=0))
    onto = np.random.default_rng(0).standard_normal(base.dim)  # one number a client is enough
    draws = [base.stochastic_gradient(here, base.sample(0, ids, t, 0)) for t in range(_ROUNDS)]
    series = np.stack([_numbers(drawn) @ onto for drawn in draws])
    spread = series.std(axis=0).max(axis=1)
    lively = [k for k in range(len(ids)) if spread[k] > 1e-6 * np.abs(series).max()]
    for lag in range(_LAG + 1):
        late, early = series[lag:], series[: _ROUNDS - lag]
        for a in lively:
            for b in lively:
                if a == b or (np.abs(late[:, a] - early[:, b]) > 1e-3 * spread[a]).any():
                    continue
                when = f"{lag} rounds later" if lag else "in every round"
                return f"run {ids[a]} draws {when} what run {ids[b]} does"
    return None


def _numbers(a: Any) -> NDArray[Any]:
    return np.asarray(a.detach().cpu() if hasattr(a, "detach") else a)
