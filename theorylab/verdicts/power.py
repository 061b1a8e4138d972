"""A power of n from errors at several n: a slope with its interval, and which power it is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from theorylab.runs.confidence import ERROR_ABOVE, ERROR_BELOW
from theorylab.runs.ratio import ratio_limit
from theorylab.verdicts.growth import slope_weights

Floats = NDArray[np.float64]

POWERS = (0.5, 0.0, -0.5, -1.0, -1.5, -2.0)
SLACK = 0.05  # of an exponent: that much may be lost to terms of a higher order
FIRST, ABOVE = 8, 1.25  # runs that choose a ceiling, and what it is of the largest of them
NOTHING = -0.25  # a slope that stays above it does not fall as n^-1/2, nor nearly


@dataclass(frozen=True)
class Slope:
    """d log(error) / d log(n). exact: nothing but rounding keeps ``low`` and ``high`` apart."""

    low: float
    centre: float
    high: float
    exact: bool

    def __str__(self) -> str:
        return f"{self.centre:.3f} [{self.low:.3f}, {self.high:.3f}]"


def ceiling_of(values: Sequence[Floats]) -> float:
    """Where errors (R,) of several n are clipped, if nobody gives a ceiling.

    The first ``FIRST`` runs choose it and serve nothing else, so that it is fixed before the runs
    that are judged.
    """
    return ABOVE * max(float(v[:FIRST].max()) for v in values)


def slope_of(
    at: Sequence[float],
    values: Sequence[Floats],
    room: Sequence[float],
    exact: bool,
    ceiling: float | None = None,
) -> Slope | None:
    """Least-squares slope of log E[error] against log n; None where an error is 0 within rounding.

    Of samples the same runs stand in every entry of ``values``, and their errors are clipped at a
    ceiling. The slope is a sum of logarithms of ratios of two means, each with a weight, and each
    ratio has limits by betting on the runs (``ratio_limit``), in which the noise that two n have
    in common cancels. The limits stay valid while runs are added and suppose nothing of the runs.
    They are infinite where clipping takes more than ``SLACK`` of a mean, or no run is left.

    Args:
        at: n, rising, at least two. values: (R,) each; (1,) where it is the expectation.
        room: what rounding can do to each.
        ceiling: of every single value; None: ``ceiling_of`` the values, without the first runs.
    """
    weights = slope_weights(np.log(np.asarray(at, np.float64)))
    means, away = np.array([v.mean() for v in values]), np.asarray(room, np.float64)
    if not (means > 2 * away).all():
        return None
    centre = float(weights @ np.log(means))
    roundoff = float(np.abs(weights) @ -np.log1p(-away / means)) + 1e-12
    if exact or all(len(v) == 1 for v in values):
        return Slope(centre - roundoff, centre, centre + roundoff, exact)
    first = FIRST if ceiling is None else 0
    top = ceiling_of(values) if ceiling is None else ceiling
    judged = [np.minimum(v[first:], top) for v in values]
    whole = np.array([v[first:].sum() for v in values])
    left = np.array([v.sum() for v in judged])
    if not (left > 0).all() or (left < (1 - SLACK) * whole).any():
        return Slope(-math.inf, centre, math.inf, False)
    low = high = 0.0
    pairs = _pairs(weights)
    for weight, few, many in pairs:
        share = 1 / len(pairs)
        up = ratio_limit(judged[many], judged[few], top, share * ERROR_ABOVE)
        down = ratio_limit(judged[few], judged[many], top, share * ERROR_BELOW)
        high += weight * math.log(up)
        low -= weight * math.log(down)
    return Slope(low - roundoff, float(weights @ np.log(left)), high + roundoff, False)


def _pairs(weights: Floats) -> list[tuple[float, int, int]]:
    """(weight, i, j): sum_n w_n l_n is the sum over these of weight (l_j - l_i).

    The weights rise and have the sum 0.

    >>> _pairs(np.array([-1.5, -0.5, 0.5, 1.5]))
    [(1.5, 0, 3), (0.5, 1, 2)]
    """
    left, pairs = weights.astype(float), []
    i, j = 0, len(left) - 1
    tiny = 1e-12 * float(np.abs(left).max())
    while i < j and left[i] < -tiny and left[j] > tiny:
        weight = float(min(-left[i], left[j]))
        pairs.append((weight, i, j))
        left[i] += weight
        left[j] -= weight
        i += int(left[i] > -tiny)
        j -= int(left[j] < tiny)
    return pairs


def power_of(slope: Slope) -> float | None:
    """The one power of ``POWERS`` that the interval, widened by ``SLACK``, contains; else None."""
    inside = [p for p in POWERS if slope.low - SLACK <= p <= slope.high + SLACK]
    return inside[0] if len(inside) == 1 else None


def why_no_power(slope: Slope, least: float, most: float) -> str:
    """A clause: what keeps the rule from naming a power, and how long a sweep would have to be."""
    inside = [p for p in POWERS if slope.low - SLACK <= p <= slope.high + SLACK]
    if not inside:
        near = min(POWERS, key=lambda p: abs(p - slope.centre))
        return f"the slope {slope} is within {SLACK:g} of no power; n^{near:g} is nearest"
    wide = (slope.high - slope.low) / 2
    factor = (most / least) ** max(1.0, wide / (0.5 - 2 * SLACK))
    names = ", ".join(f"n^{p:g}" for p in inside)
    return (
        f"the slope {slope} may be any of {names}; need about {most_text(factor)} from the "
        "smallest n to the largest, or more --seeds"
    )


def most_text(factor: float) -> str:
    return f"a factor {factor:.3g}" if math.isfinite(factor) and factor < 1e6 else "far more"
