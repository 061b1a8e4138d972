"""How many rounds a run needs until its left side is at most a target: measured by the engine."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab import symbols
from theorylab.promises.side import Instance, Side
from theorylab.runs.price import Price, Purse, TooDearError
from theorylab.statements import Statement
from theorylab.verdicts.case import Case
from theorylab.verdicts.measure import Running
from theorylab.verdicts.measured import Measured

Floats = NDArray[Any]
_MOST_ROWS = 4096  # of a metric
_ERROR = 0.01  # chance that the interval misses the median of runs


@dataclass(frozen=True)
class Need:
    """Rounds until the left side is at most the target.

    rounds: of its expectation, or the mean of the runs; None where it is not there within
    ``within``. low, high: an interval for the number that half of all runs need, None on a side
    that no run shows. runs: how many; 1 of an exact expectation. why: why nothing was measured.
    """

    rounds: int | None = None
    low: int | None = None
    high: int | None = None
    runs: int = 0
    within: int = 0
    why: str = ""


def needed(
    statement: Statement, name: str, instance: Instance, target: float, rounds: int,
    *, seeds: int, seed: int, budget: float,
) -> Need:  # fmt: skip
    """The need of the instance's runs, of at most ``rounds`` rounds, and as many as ``budget``
    gradients allow."""
    side = Side(statement, name, instance)
    setting = side.subject.content
    price = Price.of(setting.problem, setting.algorithm, seeds, 1).gradients
    most = _MOST_ROWS if side.case.quantity.over == "rows" else rounds
    within = int(min(rounds, most, budget // price))
    if within < 1:
        return Need(why=f"{seeds} runs of a round cost {price} gradients, of {budget:g}")
    try:
        with Purse(4 * budget):  # a law that is listed may cost more than runs
            curves, weights = _curves(side, within, seeds, seed)
    except (TooDearError, ValueError) as error:
        return Need(why=str(error))
    mean = curves.mean(axis=0) if weights is None else weights @ curves
    first = _first(mean[None], target)[0]
    runs = 1 if weights is not None else len(curves)
    low, high = (first, first) if runs == 1 else _median(_first(curves, target))
    ends = [int(end) if math.isfinite(end) else None for end in (first, low, high)]
    return Need(ends[0], ends[1], ends[2], runs, within)


def _first(curves: Floats, target: float) -> Floats:
    """The first T of each curve at which it is at most the target; inf where none is."""
    there = curves <= target
    return np.where(there.any(axis=1), there.argmax(axis=1) + 1.0, math.inf)


def _median(values: Floats) -> tuple[float, float]:
    """An interval for the median, from the order of the runs alone: it misses with chance 1 %."""
    ordered, count = np.sort(values), len(values)
    chance, k = 2.0**-count, 0  # of at most k runs below the median
    while chance <= _ERROR / 2 and k < count // 2:
        k += 1
        chance += math.comb(count, k) * 2.0**-count
    if k == 0:
        return 1.0, math.inf
    return float(ordered[k - 1]), float(ordered[count - k])


def _curves(side: Side, within: int, seeds: int, seed: int) -> tuple[Floats, Floats | None]:
    """The left side after T = 1 .. ``within`` rounds, (R, within), and chances of the rows."""
    over = side.case.quantity.over
    rows = over == "rows"
    if rows and side.subject.metric.axis != symbols.name_of(symbols.T):
        raise ValueError("this left side has no row for every T")
    case, subject, constants = side.built(within, range(1, within + 1) if rows else ())
    weighted = case.quantity.weights is not None
    if over == "average iterate" or weighted or case.quantity.chance is not None:
        raise ValueError(
            f"left sides over {over!r}, weighted or with a chance are not measured here"
        )
    if isinstance(subject, Measured):
        return _of_metric(case, subject, constants, within, seeds, seed)
    if not isinstance(subject, Running):
        raise ValueError("this left side is not measured round by round")
    subject.seen(case, dict(constants), seeds, seeds, seed)
    trace, column = subject.trace, case.quantity.column
    assert trace is not None
    values = np.asarray(trace.columns[column], float)
    if over in ("last", "every"):
        return np.concatenate([values[:, 1:], trace.last[column][:, None]], axis=1), trace.weights
    return _along(values, trace.weights, over), trace.weights


def _along(values: Floats, weights: Floats | None, over: str) -> Floats:
    """Of x^0 .. x^{T-1} for every T."""
    if over == "average":
        return np.asarray(np.cumsum(values, axis=1) / np.arange(1, values.shape[1] + 1))
    if over == "best":  # the least of the expectations, and no run's own least
        mean = values.mean(axis=0) if weights is None else weights @ values
        values = np.broadcast_to(mean, values.shape)
    if over in ("best", "run best"):
        return np.minimum.accumulate(values, axis=1)
    return np.maximum.accumulate(values, axis=1)


def _of_metric(
    case: Case, subject: Measured, constants: Any, within: int, seeds: int, seed: int
) -> tuple[Floats, Floats | None]:
    if case.quantity.over != "rows":
        raise ValueError("this left side is not measured round by round")
    seen = subject.seen(case, constants, seeds, seeds, seed)
    at = [place.at["T"] for place in seen.places if place.at and "T" in place.at]
    if at != list(range(1, within + 1)):
        raise ValueError("this left side has no row for every T")
    exact = seen.places[0].exact
    if exact:
        return np.array([[place.centre for place in seen.places]]), None
    return np.stack([place.values for place in seen.places], axis=1), None
