"""An upper limit for a mean of which the second moment is bounded, and no single run is.

Let X >= 0 have E X = m and E X^2 <= k m^2; write u = X/m. For a >= 0 and the smaller root b of
4 b (1 + a) - a^2 - 4 k b^2 = 0, which there is for a <= 1/(sqrt(k) - 1),

    f(u) = 1 + a (1 - u) - b (k - u^2) = b (u - a/(2 b))^2 >= 0,    E f(u) <= 1,

and b is the least that keeps f >= 0. So is g(u) = f(min(u, a/(2 b))) <= f(u), which falls in u:
a run far out takes the stake and never pays. Hence prod_i (1 - c + c g_i(X_i/m)), c <= 1, with
a_i chosen before X_i is seen, is a nonnegative supermartingale under "the mean is m", and by
Ville's inequality it ever reaches 1/error with chance at most ``error``. It grows in m as long as
no a_i depends on m, so the means that are not excluded end at one number, the limit. This is a bet
as in Waudby-Smith & Ramdas (2024); a confidence sequence under a bounded second moment is that of
Wang & Ramdas (2023), "Catoni-style confidence sequences for heavy-tailed mean estimation", and is
wider, as it forgets that X >= 0.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

_STAKE = 0.9  # c: of the capital, what one run may take
_LARGEST = 50.0  # of a, where k is next to 1 and any would do


def moment_limit(values: Array, kurtosis: float, error: float) -> float:
    """The upper limit for the mean of i.i.d. ``values`` (R,) >= 0, valid at every R at once.

    kurtosis: a bound >= 1 on E X^2 / (E X)^2. Infinite where the runs are too few for a limit.
    """
    x = np.asarray(values, dtype=float)
    top = float(x.max())
    x = x / top if top > 0 else x  # no bet depends on the scale, and squares stay in float64
    a = _bets(x, kurtosis, error)
    b = _least(a, kurtosis)
    far = a / (2 * b)

    def excess(scale: float) -> float:
        """log of the largest capital against the mean top/scale, less that of 1/error."""
        u = np.minimum(x * scale, far)
        f = 1 + a * (1 - u) - b * (kurtosis - u * u)
        return float(np.cumsum(np.log1p(_STAKE * (f - 1))).max() + math.log(error))

    if excess(0.0) < 0:  # not even a mean beyond all bounds is excluded
        return math.inf
    if top == 0.0:
        return 0.0
    from scipy.optimize import brentq  # slow to import

    # Here every run above 0 is far out, and takes the stake.
    end = math.log(2 * float(far.max()) / max(float(x[x > 0].min()), 1e-290))
    start = math.log(1e-9)
    if excess(math.exp(start)) < 0:
        return math.inf
    if excess(math.exp(end)) > 0:  # zeros alone excluded every mean, and then a run was none
        return top
    scale = math.exp(brentq(lambda s: excess(math.exp(s)), start, end, xtol=1e-12))
    return (1 + 1e-9) * top / scale


def _bets(x: Array, kurtosis: float, error: float) -> Array:
    """a_i from x_1..x_{i-1} alone, free of their scale.

    A bet gains about a d - a^2 w/2 on a mean that is (1 - d) m, w = (k - 1 + v)/2, v the variance
    over the squared mean; it is best near d/w, and d as large as what i runs tell apart. For v
    stands what was seen, and one run of what k allows.
    """
    count = np.arange(1, len(x) + 1)
    mean = np.cumsum(x) / count
    away = np.cumsum(x * x) / count - mean * mean
    with np.errstate(divide="ignore", invalid="ignore"):
        seen = np.where(mean > 0, away / (mean * mean), kurtosis)
    told = (kurtosis - 1 + count * np.clip(seen, 0, kurtosis - 1)) / (count + 1)
    v = np.append(kurtosis - 1, told[:-1])
    w = np.maximum((kurtosis - 1 + v) / 2, 1e-9)
    cap = min(_LARGEST, _STAKE / (math.sqrt(kurtosis) - 1)) if kurtosis > 1 else _LARGEST
    return np.minimum(np.sqrt(2 * math.log(1 / error) / (w * count * np.log1p(count))), cap)


def _least(a: Array, kurtosis: float) -> Array:
    """b, the smaller root."""
    return np.asarray(a * a / (2 * (1 + a + np.sqrt((1 + a) ** 2 - kurtosis * a * a))))
