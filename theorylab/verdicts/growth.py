"""How fast a ratio grows along a sweep over decades, and whether it still does at the end."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FEWEST = 3  # values: two have a slope, but nothing tells whether it lasts
_LARGEST = 300.0  # log10 of a factor per decade: beyond, no float64 holds it


@dataclass(frozen=True)
class Limits:
    """A ratio and what it is between. ``exact``: nothing but rounding keeps the two apart."""

    low: float
    centre: float
    high: float
    exact: bool


@dataclass(frozen=True)
class Growth:
    """A factor per decade, or per unit. ``room``: how far the centre itself may be off."""

    low: float
    centre: float
    high: float
    room: float


def growth(
    where: str, values: Sequence[float], ratios: Sequence[Limits], geometric: bool = False
) -> Growth:
    """10^s per decade, s the least-squares slope of log10 ratio against log10 value.

    ``geometric``: per unit, against the value itself.

    It is linear in the logarithms, so each of them goes to the end that moves it furthest. Of the
    last step and the fit the flatter one is the lower limit: a growth that fades along the sweep
    is not shown to last. The steeper one is the upper limit: a ratio that falls for a while, and
    then grows, is not shown to stay bounded. The last step of samples counts as an upper limit as
    far as its confidence limits lie apart.

    Args:
        values: rising or falling, all above 0; a growth is towards the last one. ratios: one each.

    Raises:
        ValueError: one line, starting with ``where``, if a ratio is 0 within rounding, or the
            factor is no float64: the values are too near to each other.
    """
    exact = all(ratio.exact for ratio in ratios)
    if any(not ratio.centre > 0 or (ratio.exact and not ratio.low > 0) for ratio in ratios):
        raise ValueError(
            f"{where}: a left side is 0 within rounding; need > 0, as nearer to the start"
        )
    at = np.array(values, np.float64) if geometric else np.log10(np.array(values, np.float64))
    at = at if at[-1] > at[0] else -at
    with np.errstate(divide="ignore"):  # a lower confidence limit may be 0
        low, middle, high = np.log10(np.array([(r.low, r.centre, r.high) for r in ratios])).T
    weights = slope_weights(at)
    slope, step = float(weights @ middle), at[-1] - at[-2]
    last = float((middle[-1] - middle[-2]) / step)
    ends = np.where(weights > 0, low, high), np.where(weights > 0, high, low)
    least, most = (_product(weights, end) for end in ends)
    room = max(slope - least, most - slope)
    apart = float((high[-1] - low[-2]) / step), float((low[-1] - high[-2]) / step)
    least = min(least, apart[1] if exact else last)
    most = max(most, apart[0] if exact else apart[1])
    if (exact and not max(abs(least), abs(most)) < _LARGEST) or not abs(slope) < _LARGEST:
        unit = "unit" if geometric else "decade"
        raise ValueError(
            f"{where}: it gives a factor of 10^{slope:.3g} per {unit}, from 10^{least:.3g} to "
            f"10^{most:.3g}; need values further apart"
        )
    found = 10.0**slope
    # 1e-12: of the logarithms and of the product, some 10 roundings each
    return Growth(
        _power(least) - 1e-12 * found,
        found,
        _power(most) + 1e-12 * found,
        found * (_power(room) - 1) + 1e-12 * found,
    )


def slope_weights(at: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weights w with slope = w @ y, least squares of y against ``at``, both (V,)."""
    middle = at - at.mean()
    return np.asarray(middle / (middle @ middle))


def _product(weights: NDArray[np.float64], ends: NDArray[np.float64]) -> float:
    """Without the terms of weight 0, where an end may be infinite."""
    used = weights != 0
    return float(weights[used] @ ends[used])


def _power(exponent: float) -> float:
    """10^exponent; inf where float64 cannot hold it."""
    return 10.0**exponent if exponent < _LARGEST else math.inf
