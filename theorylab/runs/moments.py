"""Exact expectations of a trace's columns, where every round is affine with additive noise."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from theorylab.algorithms import Algorithm, State
from theorylab.problems import Problem, minimiser
from theorylab.runs.affine import AffineRound, NotAffineError
from theorylab.runs.generators import undrawn
from theorylab.runs.setting import Setting
from theorylab.runs.simulate import initial_models
from theorylab.runs.tossed import TossedProbe
from theorylab.runs.trace import Array, Trace
from theorylab.topologies import Topology

# columns whose expectation is exact; the last one where the minimiser is known
MOMENTS = ("squared_gradient", "consensus", "loss", "squared_distance")
LARGEST = 256  # n d; the recursion costs O((n d)^3) a round


def expected_trace(
    problem: Problem,
    topology: Topology,
    algorithm: Algorithm,
    *,
    rounds: int,
    x0: float | Sequence[float] | Array | None = None,
) -> Trace:
    """Expectations of ``MOMENTS`` over the noise, over the edges of run 0.

    Rounds are probed from the algorithm's own ``step``, a user's, too; coins that it tosses by
    ``net.coins`` are averaged over exactly. x0: as of ``initial_models``.

    Returns a trace with one row, ``exact`` set.

    Raises:
        NotAffineError: (a ValueError) where a round is no affine map with additive noise, or n d is
            above ``LARGEST``.
    """
    setting = Setting(problem, topology, algorithm, {}, rounds, initial_models(problem, 1, x0)[0])
    with undrawn(algorithm):
        return _expected(setting)


def _expected(setting: Setting) -> Trace:
    problem, algorithm, rounds = setting.problem, setting.algorithm, setting.rounds
    if setting.start.size > LARGEST:
        raise NotAffineError(f"{setting.start.size} coordinates; need at most {LARGEST}")

    def look(before: State, after: State) -> list[Array]:
        mean = before.x.mean(axis=1, keepdims=True)
        apart = (before.z - mean) / np.sqrt(problem.clients)
        return [mean, apart]

    probe, H = TossedProbe(setting, look, rounds), _hessian(problem)
    if probe.first.v is not None:
        raise NotAffineError(f"{algorithm.name} has personal models")
    y, S, w = probe.y0, np.zeros((len(probe.y0),) * 2), np.ones(problem.clients)
    one, again, settled = probe.round(0, w), probe.period == 1, False
    known = MOMENTS if minimiser(problem) is not None else MOMENTS[:-1]
    size = _largest(y, S)
    table = {name: np.empty((1, rounds + 1)) for name in known}
    for t in range(rounds + 1):
        if t > 0 and not settled:
            one = probe.round(t, w)
        for name, value in zip(known, _values(problem, H, one, y, S), strict=False):
            table[name][0, t] = value
        settled = again and np.array_equal(one.w_after, w)
        if t < rounds:
            (y, S), w = one.moved(y, S), one.w_after
            size = max(size, _largest(y, S))
    columns = {name: values[:, :rounds] for name, values in table.items()}
    last = {name: values[:, rounds] for name, values in table.items()}
    return Trace(columns, np.zeros(1, np.int64), True, last=last, size=size)


def _largest(y: Array, S: Array) -> float:
    """The largest |entry| that models of this mean and covariance have, up to six deviations."""
    return float(np.abs(y[:-1]).max() + 6 * np.sqrt(np.abs(S).max()))


def _hessian(problem: Problem) -> Array:
    """That of the mean loss, (d, d), of a problem whose gradients are affine."""
    origin = np.zeros((1, problem.clients, problem.dim))
    first = problem.gradient(origin)
    # far out, what is added to a unit vector is small beside it: its digits are not lost
    far = 2.0 ** math.ceil(math.log2(max(1.0, float(np.abs(first).max()))))
    points = np.repeat(far * np.eye(problem.dim)[:, None], problem.clients, axis=1)
    return np.asarray((problem.gradient(points) - first).mean(axis=1) / far)


def _values(problem: Problem, H: Array, one: AffineRound, y: Array, S: Array) -> tuple[float, ...]:
    """E of ``MOMENTS`` where the state has mean y and covariance S."""
    (mean, _), (apart, _) = one.forms
    x, away = mean @ y, apart @ y
    cov = mean @ S @ mean.T
    every = np.repeat(x[None, None], problem.clients, axis=1)
    slope = problem.gradient(every)[0].mean(axis=0)
    best = minimiser(problem)
    gap = x if best is None else x - best
    return (
        float(slope @ slope + np.sum(H @ cov * H)),
        float(away @ away + np.sum(apart @ S * apart)),
        float(problem.loss(every).mean() + np.sum(H * cov) / 2),
        float(gap @ gap + np.trace(cov)),
    )
