"""A power of n from errors at several n: a slope with its interval, and which power it is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from theorylab.runs import asymptotic_interval, mean_interval

Floats = NDArray[np.float64]

FEWEST = 3  # values of n: two have a slope, but nothing tells whether it lasts
POWERS = (0.5, 0.0, -0.5, -1.0, -1.5, -2.0)
SLACK = 0.05  # of an exponent: that much may be lost to terms of a higher order
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


def slope_of(
    at: Sequence[float],
    values: Sequence[Floats],
    room: Sequence[float],
    exact: bool,
    ceiling: float | None = None,
) -> Slope | None:
    """Least-squares slope of log E[error] against log n; None where an error is 0 within rounding.

    Of samples the same runs stand in every entry of ``values``. The slope is a smooth function of
    their means, so it is the mean over runs of

        s + sum_n w_n (e_r(n) / mean e(n) - 1),    w the weights of least squares,

    up to terms of second order, and its interval is that of a mean, valid while runs are added.
    What the noise of two n has in common cancels in the sum: the runs are paired.

    Args:
        at: n, rising, at least two. values: (R,) each; (1,) where it is the expectation.
        room: what rounding can do to each.
        ceiling: of every single value. Then every mean has limits of its own, by betting, which
            hold for any such values and not only as runs become many, and the slope has the limits
            that these leave; nothing is gained by pairs.
    """
    x = np.log(np.asarray(at, np.float64))
    weights = (x - x.mean()) / ((x - x.mean()) ** 2).sum()
    means, away = np.array([v.mean() for v in values]), np.asarray(room, np.float64)
    if not (means > 2 * away).all():
        return None
    centre = float(weights @ np.log(means))
    roundoff = float(np.abs(weights) @ -np.log1p(-away / means)) + 1e-12
    if ceiling is not None and not exact:
        limits = [mean_interval(v, ceiling, share=1 / len(values)) for v in values]
        ends = np.array([[max(each.low, 0.0), each.high] for each in limits])
        with np.errstate(divide="ignore"):
            logs = np.log(ends)
        used, rising = weights != 0, (weights > 0)[:, None]
        low, high = (weights[:, None] * np.where(rising, logs, logs[:, ::-1]))[used].sum(axis=0)
        low, high = float(low), float(high)
        return Slope(low - roundoff, centre, high + roundoff, False)
    if exact or all(np.ptp(v) == 0 for v in values):
        return Slope(centre - roundoff, centre, centre + roundoff, exact)
    influence = sum(w * (v / m - 1) for w, v, m in zip(weights, values, means, strict=True))
    around = asymptotic_interval(np.asarray(influence))
    return Slope(centre + around.low - roundoff, centre, centre + around.high + roundoff, False)


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
