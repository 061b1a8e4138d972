"""How fast a ratio grows along a sweep over decades, and whether it still does at the end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.experiments._base import Row


def growth(where: str, sweep: str, values: Sequence[float], rows: Sequence[Row], fit: int) -> Row:
    """The factor 10^s per decade, s the least-squares slope of log10 of exact rows.

    Args:
        values: of the sweep, rising or falling; a growth is towards the last one. rows: one a
            value, above 0 by more than their rounding.
        fit: how many of the last values are fitted; all if 0.

    Raises:
        ValueError: one line, starting with ``where``, if a row is 0 within rounding.
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
    off = float(np.abs(weights) @ -np.log10(1 - errors[-last:] / ratios[-last:]))
    found = 10.0 ** float(weights @ logs)
    room = found * (10.0**off - 1) + 1e-12
    least = 10.0 ** lasting(at, logs) / 10.0**off
    return Row(np.array([found]), label=label, rounding=room, least=least)


def weights_of(at: NDArray[Any]) -> NDArray[Any]:
    """Weights w with slope = w @ y, least squares of y against ``at``, both (V,)."""
    middle = at - at.mean()
    return np.asarray(middle / (middle @ middle))


def lasting(at: NDArray[Any], logs: NDArray[Any]) -> float:
    """The fitted slope, or that of the last step where it is less.

    A bounded ratio may grow for a while, until what is transient is over: a growth that fades
    along the sweep is not shown to last, while one like a power has its slope at the end, too.
    """
    fitted = float(weights_of(at) @ logs)
    return min(fitted, float((logs[-1] - logs[-2]) / (at[-1] - at[-2])))
