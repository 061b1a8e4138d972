"""Limits of a mean by the likeliest outcomes of what is drawn, where runs alone see too little.

No chance of error goes with them. Of outcomes k with chances p_k, whose sum is m <= 1, and of X in
[a, b] whatever is drawn,

    a + sum_k p_k (x_k - a) <= E X <= sum_k p_k x_k + (1 - m) b.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.runs import Interval, Support
from theorylab.verdicts.case import ROUNDING

Floats = NDArray[Any]
_NEARLY = 1e-3  # chance that is left over where the outcomes make a better centre than the runs


def narrowed(
    centre: float,
    interval: Interval,
    support: Support,
    values: Floats,
    weights: Floats,
    room: float = 0.0,
) -> tuple[float, Interval]:
    """``centre`` and ``interval`` of a sample, with what the outcomes say besides.

    values, weights: (K,), X in the outcomes and their chances. room: the absolute error of X.

    Raises ValueError, one line, where an outcome is below the floor or above the ceiling.
    """
    if not np.isfinite(values).all():
        return centre, interval
    _check(support, values, room + ROUNDING * float(np.abs(values).max()))
    floor, left = support.floor, max(0.0, 1.0 - float(weights.sum()))
    slack = ROUNDING * float((weights * np.abs(values)).sum()) + room
    middle, low, high = centre, interval.low, interval.high
    told = []
    if floor > -math.inf:
        known = float((weights * (np.maximum(values, floor) - floor)).sum()) + floor
        slack += ROUNDING * abs(floor)
        if known - slack > low:
            low = known - slack
            told.append("below")
    if support.ceiling < math.inf:
        known = float((weights * values).sum())
        known += left * max(support.ceiling, 0.0) + slack
        if known < high:
            high = known
            told.append("above")
    if told:
        if left <= _NEARLY or not low <= centre <= high:
            middle = float((weights * values).sum()) + left * max(floor, 0.0)
        outcomes = f"the {len(values)} likeliest outcomes, of chance {1 - left:.6g} together"
        method = f"{interval.method}; from {' and '.join(told)} by {outcomes}"
        interval = replace(interval, low=low, high=max(low, high), method=method)
    return middle, interval


def _check(support: Support, values: Floats, room: float) -> None:
    least, most = float(values.min()), float(values.max())
    if least < support.floor - room:
        raise ValueError(
            f"a run may be {least:.6g}, below the floor {support.floor:.6g}; need a floor= that no "
            "run is below, or -oo"
        )
    if most > support.ceiling + room:
        raise ValueError(
            f"a run may be {most:.6g}, above the ceiling {support.ceiling:.6g}; need a ceiling= "
            "that no run is above"
        )
