"""How fast a ratio grows along a sweep over decades, and whether it still does at the end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.experiments._base import Row


def growth(where: str, sweep: str, values: Sequence[float], rows: Sequence[Row], fit: int) -> Row:
    """The factor 10^s per decade, s the least-squares slope of log10 of exact rows.

    At least what is ``lasting``, at most the ``steepest``.

    Args:
        values: of the sweep, rising or falling; a growth is towards the last one. rows: one a
            value, above 0 by more than their rounding.
        fit: how many of the last values are fitted; all if 0.

    Raises:
        ValueError: one line, starting with ``where``, if a row is 0 within rounding, or the factor
            is no float64: the values are too near to each other.
    """
    last = fit or len(rows)
    ratios = np.array([row.values[0] for row in rows])
    errors = np.array([row.rounding for row in rows], np.float64)
    if not (ratios > errors).all():
        raise ValueError(f"{where}: a left side is 0 within rounding; need > 0")
    at = np.log10(np.array(values[-last:], np.float64))
    label = f"{sweep} {10 ** at[0]:g} .. {10 ** at[-1]:g}"
    at = at if at[-1] > at[0] else -at
    weights, logs = weights_of(at), np.log10(ratios[-last:])
    each = -np.log10(1 - errors[-last:] / ratios[-last:])
    off = max(float(np.abs(weights) @ each), float(each[-2:].sum() / (at[-1] - at[-2])))
    slope, low, high = float(weights @ logs), lasting(at, logs), steepest(at, logs)
    if not max(abs(low), abs(high)) + off < 300:
        raise ValueError(
            f"{where}: {label} gives a factor of 10^{slope:.3g} per decade, within 10^{off:.3g}; "
            "need values further apart"
        )
    found = 10.0**slope
    room = found * (10.0**off - 1) + 1e-12
    ends = {"least": 10.0 ** (low - off), "most": 10.0 ** (high + off)}
    return Row(np.array([found]), label=label, rounding=room, **ends)


def weights_of(at: NDArray[Any]) -> NDArray[Any]:
    """Weights w with slope = w @ y, least squares of y against ``at``, both (V,)."""
    middle = at - at.mean()
    return np.asarray(middle / (middle @ middle))


def lasting(at: NDArray[Any], logs: NDArray[Any]) -> float:
    """The fitted slope, or that of the last step where it is less.

    A bounded ratio may grow for a while, until what is transient is over: a growth that fades
    along the sweep is not shown to last, while one like a power has its slope at the end, too.
    """
    return min(float(weights_of(at) @ logs), _last(at, logs))


def steepest(at: NDArray[Any], logs: NDArray[Any]) -> float:
    """The fitted slope, or that of the last step where it is more: a ratio that falls for a while,
    and then grows, is not shown to stay bounded.
    """
    return max(float(weights_of(at) @ logs), _last(at, logs))


def _last(at: NDArray[Any], logs: NDArray[Any]) -> float:
    return float((logs[-1] - logs[-2]) / (at[-1] - at[-2]))
