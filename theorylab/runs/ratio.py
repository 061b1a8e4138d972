"""An upper limit for a ratio of two means over the same runs, which stays valid as runs are added.

Let each run have two numbers, a in [0, C] and b >= 0. If E a = theta E b, the capital

    prod_i (1 + lambda_i (theta b_i - a_i)),   0 <= lambda_i < 1 / C,

with lambda_i chosen before run i is seen, is a nonnegative martingale. By Ville's inequality it
ever reaches 1/error with probability at most ``error``. It rises with theta, so that one theta
separates those at which it did from the others, and that theta is the limit. Nothing else is
supposed of the runs: what a and b have in common cancels within each run.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
_CAP = 0.9  # largest share of the capital one run may cost
_MOST = 1e12  # a larger ratio is as good as none


def ratio_limit(above: Array, below: Array, ceiling: float, error: float) -> float:
    """Upper limit for E above / E below; inf where the runs show none.

    >>> round(ratio_limit(np.full(64, 0.25), np.ones(64), ceiling=1.0, error=0.01), 2)
    0.36

    Args:
        above, below: (R,) numbers >= 0 of the same runs, in the order in which they came.
        ceiling: of every ``above``. error: chance that the limit is ever below the ratio.

    Raises:
        ValueError: on numbers that are negative, not finite, or above the ceiling.
    """
    a, b = (np.asarray(each, np.float64) for each in (above, below))
    if a.shape != b.shape or a.ndim != 1 or not (np.isfinite(a).all() and np.isfinite(b).all()):
        raise ValueError("ratio_limit: need two rows of finite numbers, one of each a run")
    if not 0 < ceiling < math.inf or a.min(initial=0) < 0 or b.min(initial=0) < 0:
        raise ValueError("ratio_limit: need a ceiling > 0, and numbers >= 0")
    if a.max(initial=0) > ceiling:
        raise ValueError(f"a run is {a.max():.6g}, above the ceiling {ceiling:.6g}; need none")
    bets = _bets(a / ceiling, b / ceiling, error)

    def excess(theta: float) -> float:
        gains = bets * (theta * b - a) / ceiling
        return float(np.cumsum(np.log1p(gains)).max(initial=0.0) + math.log(error))

    if not len(a) or excess(_MOST) <= 0:
        return math.inf
    if excess(0.0) > 0:  # an error of 1 or more: any limit is valid
        return 0.0
    from scipy.optimize import brentq  # slow to import

    # the root in log theta, because ratios of any size have one
    low = -math.log(_MOST)
    if excess(math.exp(low)) > 0:
        return math.exp(low)
    root = brentq(lambda power: excess(math.exp(power)), low, math.log(_MOST), xtol=1e-12)
    return math.exp(float(root)) * (1 + 1e-9)


def _bets(a: Array, b: Array, error: float) -> Array:
    """lambda_i C from the runs before i alone, for a and b over the ceiling C.

    The predictable plug-in of Waudby-Smith & Ramdas 2024, (15), with the variance of theta b - a
    at the ratio that the runs before i have.
    """
    count = np.arange(1, len(a) + 1)
    means = [np.cumsum(each) / count for each in (a, b)]
    squares = [np.cumsum(x * y) / count for x, y in ((a, a), (a, b), (b, b))]
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(means[1] > 0, means[0] / means[1], 0.0)
        # at that ratio the mean of the difference is 0, so that this is its variance
        spread = squares[0] - 2 * ratio * squares[1] + ratio**2 * squares[2]
        bets = np.zeros(len(a))
        more = np.maximum(spread[:-1], 0) * count[1:] * np.log1p(count[1:])
        bets[1:] = np.sqrt(2 * math.log(1 / error) / more)
    return np.minimum(bets, _CAP)
