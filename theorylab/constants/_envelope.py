"""The pair (C, q) with the smallest C / (1 - q) above given points m_l: m_l <= C q^l."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def smallest_envelope(lags: Floats, heights: Floats, q_min: float = 0.0) -> tuple[float, float]:
    """Minimise C / (1 - q) over q_min <= q < 1, C >= 0, subject to heights <= C q^lags.

    In x = log q, log(C / (1 - q)) = max_l (log m_l - l x) - log(1 - e^x) is a maximum of convex
    functions, so it is convex. Its minimum is where two lines of the maximum cross (two
    neighbours on the upper hull of the points (l, log m_l)), where one of them is stationary
    (q = l / (l + 1)), or at q_min. All of these are tried: no grid.

    Args:
        lags: nonnegative, increasing, shape (k,).
        heights: nonnegative, shape (k,).
        q_min: q may not be smaller, 0 <= q_min < 1.

    Returns:
        (C, q). q = 0 is taken with 0^0 = 1: nothing but lag 0 is above zero.
    """
    above = heights > 0
    lags, heights = lags[above], heights[above]
    if len(lags) == 0:
        return 0.0, q_min
    if q_min == 0 and lags[-1] == 0:
        return float(heights[0]), 0.0
    logs = np.log(heights)
    hull = _upper_hull(lags, logs)
    x, y = lags[hull], logs[hull]
    crossings = np.exp(np.diff(y) / np.diff(x))
    tried = np.concatenate([crossings, x / (x + 1), [q_min]])
    tried = np.unique(tried[(tried >= q_min) & (tried > 0) & (tried < 1)])
    log_C = (y[None, :] - x[None, :] * np.log(tried)[:, None]).max(axis=1)
    best = int(np.argmin(log_C - np.log1p(-tried)))
    return math.exp(log_C[best]), float(tried[best])


def _upper_hull(x: Floats, y: Floats) -> list[int]:
    hull: list[int] = []
    for k in range(len(x)):
        while len(hull) > 1:
            a, b = hull[-2:]
            if (y[b] - y[a]) * (x[k] - x[a]) > (y[k] - y[a]) * (x[b] - x[a]):
                break
            hull.pop()
        hull.append(k)
    return hull
