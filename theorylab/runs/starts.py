"""Where runs start: the models that are given, or the one start of the problem's own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.algorithms import UNSEEDED, numbers
from theorylab.own import is_own
from theorylab.problems import Problem
from theorylab.runs.trace import Array

_STARTS, _START_NUMBERS = 4096, 1 << 20  # runs and numbers of a user's starts that are compared


def initial_models(
    problem: Problem, runs: int, x0: float | Sequence[float] | Array | None = None
) -> NDArray[np.float64]:
    """x^0 of shape (R, n, d) from a number, a model (d,), or one model a client (n, d).

    None is the problem's own start, ``Problem.initial``: 0 where it says nothing.

    Raises ValueError when the shape fits none of these, a number is not finite, or a problem of
    which no start is given draws another one for every run.
    """
    start = _own_start(problem) if x0 is None else np.asarray(x0, dtype=float)
    return np.array(_spread(problem, runs, start), order="C")


def first_points(
    problem: Problem,
    seed: int,
    ids: NDArray[np.int64],
    x0: float | Sequence[float] | Array | None,
    dtype: type | None,
) -> Any:
    """x^0 (R, n, d) as points of the problem: its own start, or ``x0`` as of ``initial_models``.

    What repeats itself is one number until it is where the points live. dtype: of the models; None:
    float64, or what the problem's own start has.
    """
    if x0 is None:
        models = problem.first_models(seed, ids)
    else:
        models = _spread(problem, len(ids), np.asarray(x0, dtype=float))
        dtype = np.float64 if dtype is None else dtype
    if dtype is not None and models.dtype != dtype:
        own = models[tuple(slice(None) if stride else slice(0, 1) for stride in models.strides)]
        models = np.broadcast_to(own.astype(dtype), models.shape)
    # a stranger's ``points`` is given what one can write into
    return problem.points(models if is_own(type(problem)) else np.array(models, order="C"))


def _spread(problem: Problem, runs: int, start: NDArray[np.float64]) -> NDArray[np.float64]:
    """The start for all runs, as a view. ValueError as of ``initial_models``."""
    if not np.all(np.isfinite(start)):
        raise ValueError("x0: holds a NaN or an infinity; need finite numbers")
    try:
        return np.broadcast_to(start, (runs, problem.clients, problem.dim))
    except ValueError:
        raise ValueError(
            f"x0: shape {start.shape}; need a number, ({problem.dim},) or "
            f"({problem.clients}, {problem.dim})"
        ) from None


def _own_start(problem: Problem) -> NDArray[np.float64]:
    """The start (n, d) of every run, where all have the same."""
    inner = problem
    while (base := getattr(inner, "base", None)) is not None:
        inner = base
    each = problem.clients * problem.dim
    count = 2 if is_own(type(inner)) else int(np.clip(_START_NUMBERS // each, 2, _STARTS))
    first, other = (
        np.asarray(numbers(problem.initial(seed, np.arange(count))), np.float64) for seed in (0, 1)
    )
    if first.shape != (count, problem.clients, problem.dim):
        raise ValueError(
            f"{problem.name}: initial gave models of shape {first.shape} for {count} runs; need "
            f"({count}, {problem.clients}, {problem.dim})"
        )
    same = np.array_equal(first, other) and bool((first == first[:1]).all())
    if not same or _reads_seed(problem):
        raise ValueError(
            f"x0: {problem.name} draws a start for every run; need x0, for constants such as f0 "
            "are numbers of one start"
        )
    return np.asarray(first[0])


def _reads_seed(problem: Problem) -> bool:
    """Whether ``initial`` asks for the seed: another start may be so rare that few runs have it."""
    try:
        problem.initial(UNSEEDED, np.arange(2))
    except Exception:
        return True
    return False
