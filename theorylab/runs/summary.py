"""What R runs say together: a mean with its interval, a band, a paired difference, a first time.

Intervals are Student's, for a number of runs fixed beforehand (``confidence`` has those that stay
valid while runs are added). Bands are pointwise.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
LEVEL = 0.95
BANDS = {
    "quantiles": "median and 10 % to 90 % of the runs",
    "confidence": "mean and its 95 % confidence interval",
}


class Interval(NamedTuple):
    """A mean over runs; low and high are nan where one random run says nothing of the spread."""

    mean: float
    low: float
    high: float


class Band(NamedTuple):
    """Centre, low and high, each (S,); low and high are the centre where there is one run."""

    centre: Array
    low: Array
    high: Array


def student(values: Array, exact: bool = False) -> Interval:
    """Mean of ``values`` (R,) and Student's 95 % interval for its expectation.

    ``exact``: every value is the expectation itself, so one is enough.
    """
    with np.errstate(over="ignore"):
        mean = float(np.mean(values))
    if math.isinf(mean):  # the sum leaves float64 where the mean does not
        mean = float(np.sum(np.asarray(values) / len(values)))
    if len(values) < 2:
        return Interval(mean, mean, mean) if exact else Interval(mean, math.nan, math.nan)
    half = _half_width(np.asarray(values)[:, None])[0]
    return Interval(mean, mean - half, mean + half)


def band(values: Array, kind: str = "quantiles") -> Band:
    """A band over runs from ``values`` (R, S); ``kind`` is one of ``BANDS``."""
    if kind not in BANDS:
        raise ValueError(f"band: {kind!r}; need one of {', '.join(BANDS)}")
    if kind == "quantiles":
        low, centre, high = np.quantile(values, (0.1, 0.5, 0.9), axis=0)
        return Band(centre, low, high)
    centre = values.mean(axis=0)
    half = _half_width(values) if len(values) > 1 else np.zeros_like(centre)
    return Band(centre, centre - half, centre + half)


def paired(values: Array, reference: Array, exact: bool = False) -> Interval:
    """Mean of ``values[r] - reference[r]`` over runs with common random numbers, both (R,)."""
    return student(np.asarray(values) - np.asarray(reference), exact)


def rounds_to(values: Array, at: Array, target: float, above: bool) -> Array:
    """The first recorded round at which each run is at the target, (R,); inf where none is.

    Args:
        values: (R, S), recorded at rounds ``at`` (S,). above: the target is reached from below.
    """
    reached = values >= target if above else values <= target
    first = np.where(reached.any(axis=1), at[reached.argmax(axis=1)].astype(float), math.inf)
    return np.asarray(first)


def _half_width(values: Array) -> Array:
    """Half of Student's interval over axis 0 of (R, S), R >= 2."""
    from scipy.special import stdtrit  # slow to import

    runs = len(values)
    quantile = float(stdtrit(runs - 1, (1 + LEVEL) / 2))
    with np.errstate(over="ignore"):  # runs about to diverge have a spread beyond float64: inf
        return np.asarray(quantile * values.std(axis=0, ddof=1) / math.sqrt(runs))
