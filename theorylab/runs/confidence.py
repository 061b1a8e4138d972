"""Confidence limits for a mean that stay valid while runs are added.

A verdict looks at the interval after every batch of runs and stops when it is decided, so a
fixed-sample interval would be wrong more often than it says. These limits come from betting:
under "the mean is m" the capital prod_i (1 + lambda_i (x_i - m)), with lambda_i chosen before x_i
is seen, is a nonnegative martingale, and by Ville's inequality it ever reaches 1/error with
probability at most ``error`` (Waudby-Smith & Ramdas 2024, Section 4). The lower limit needs a
floor of every run, the upper limit a ceiling or a bound on the second moment. Where there is none
no limit exists: a mean may lie in runs so rare that no sample has one. Equal runs prove nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.runs.second_moment import moment_limit
from theorylab.runs.self_bound import self_bound_limit

Array = NDArray[Any]

ERROR_BELOW = 1e-3  # chance that the lower limit is ever above the mean: guards VIOLATED
ERROR_ABOVE = 1e-2  # chance that the upper limit is ever below the mean: guards HOLDS of a "<="
_CAP = 0.9  # largest share of the capital one run may cost


@dataclass(frozen=True)
class Interval:
    """``low <= mean <= high``, infinite on a side of which nothing is known.

    ``rigorous`` is False where the chance of error is right only in the limit of many runs, or for
    runs that are Gaussian.
    """

    low: float
    high: float
    rigorous: bool
    method: str


def point(value: float, relative: float) -> Interval:
    """The interval of a number known up to rounding: value (1 -+ relative)."""
    return Interval(
        value - relative * abs(value),
        value + relative * abs(value),
        True,
        f"exact expectation, relative rounding allowance {relative:.0e}",
    )


def mean_interval(
    values: Array,
    ceiling: float | None = None,
    share: float = 1.0,
    *,
    floor: float | None = 0.0,
    kurtosis: float | None = None,
    self_bound: float | None = None,
    room: float = 0.0,
    error_above: float = ERROR_ABOVE,
) -> Interval:
    """Limits for the mean of i.i.d. ``values`` (R,), valid at every R at once.

    >>> mean_interval(np.full(64, 0.25), ceiling=1.0).high < 0.4
    True
    >>> mean_interval(np.full(64, 0.25)).high  # of what 64 runs cannot see nothing is known
    inf

    Args:
        values: one number a run.
        ceiling, floor: bounds on every single value; None, or infinite, where there is none.
        share: of the chances of error that this interval may use: 1/k where k are made together.
        kurtosis: a bound on E (X - floor)^2 / (E (X - floor))^2.
        self_bound: c, of a function X of standard normal draws with |grad X|^2 <= 2 c (X - floor).
        room: how far rounding may put a value beyond its bounds.
        error_above: chance of error of the upper limit, ``ERROR_BELOW`` where it guards VIOLATED.

    Returns:
        The limits; ``rigorous`` says whether they hold at every R.

    Raises:
        ValueError: on an empty or non-finite sample, a value beyond its bounds, a kurtosis below 1.
    """
    x = np.asarray(values, dtype=float)
    if x.ndim != 1 or not len(x) or not np.all(np.isfinite(x)):
        raise ValueError("mean_interval: need a nonempty row of finite numbers")
    base = -np.inf if floor is None else floor
    top = np.inf if ceiling is None else ceiling
    if x.min() < base - room:
        raise ValueError(
            f"a run is {x.min():.6g}, below the floor {base:.6g}; need a floor= that no run is "
            "below, or -oo"
        )
    if x.max() > top + max(1e-9 * abs(top), room):
        raise ValueError(
            f"a run is {x.max():.6g}, above the ceiling {top:.6g}; need a ceiling= that no run is "
            "above"
        )
    if kurtosis is not None and not kurtosis >= 1:
        raise ValueError(f"kurtosis is {kurtosis:.6g}; need E X^2 / (E X)^2, a number >= 1")
    low, high, above = -np.inf, np.inf, []
    of_moments = (kurtosis, self_bound) if base > -np.inf else ()
    ways = (top < np.inf) + sum(each is not None for each in of_moments)
    if base > -np.inf:
        x = np.maximum(x, base)
        low = base + _lower_limit(x - base, share * ERROR_BELOW)
    if top < np.inf:
        high = top - _lower_limit(np.maximum(top - x, 0.0), share * error_above / ways)
        above.append(f"ceiling {top:.4g}")
    if kurtosis is not None and base > -np.inf:
        high = min(high, base + moment_limit(x - base, kurtosis, share * error_above / ways))
        above.append(f"kurtosis {kurtosis:.4g}")
    if self_bound is not None and base > -np.inf:
        error = share * error_above / ways
        high = min(high, base + self_bound_limit(x - base, self_bound, error))
        above.append("Gaussian draws")
    below = "no floor" if base == -np.inf else f"floor {base:.4g}"
    text = f"betting confidence sequence, {below}, {' and '.join(above) or 'no ceiling'}"
    return Interval(low, high, True, text)


def asymptotic_interval(values: Array, share: float = 1.0) -> Interval:
    """Two-sided limits for the mean of i.i.d. ``values`` (R,) of either sign, valid at every R.

    They are those of the asymptotic confidence sequence of Waudby-Smith et al. (2024), with the
    chance ``ERROR_ABOVE`` of error: they hold as runs become many, and no number of runs is fixed
    beforehand.

    Args:
        share: of the chance of error that this interval may use.

    Raises:
        ValueError: on an empty or non-finite sample.
    """
    x = np.asarray(values, dtype=float)
    if x.ndim != 1 or not len(x) or not np.all(np.isfinite(x)):
        raise ValueError("asymptotic_interval: need a nonempty row of finite numbers")
    high = _asymptotic_upper(x, share * ERROR_ABOVE / 2)
    low = -_asymptotic_upper(-x, share * ERROR_ABOVE / 2)
    return Interval(low, high, False, "asymptotic confidence sequence, both sides")


def gaussian_interval(values: Array, share: float = 1.0) -> Interval:
    """Two-sided limits for the mean of i.i.d. Gaussian ``values`` (R,) of either sign, at every R.

    Against "the mean is m" stands the Bayes factor of the t-test with the right Haar prior on the
    spread and a unit Gaussian prior on the effect size. It is a test martingale, so it ever reaches
    1/error with probability at most ``error`` (Wang & Ramdas 2024, "Anytime-valid t-tests and
    confidence sequences for Gaussian means with unknown variance"). With the spread s,

        sqrt(R + 1) ((1 + y / (R + 1)) / (1 + y))^(R/2) > error,   y = (mean - m)^2 / s^2,

    has the solutions m of an interval about the mean, or all numbers where R is small. Means over
    many test samples are near enough to Gaussian for it; the limits are no more certain than that.

    Args:
        share: of the chance of error, ``ERROR_BELOW`` on the two sides together, that this interval
            may use.

    Raises:
        ValueError: on an empty or non-finite sample.
    """
    x = np.asarray(values, dtype=float)
    if x.ndim != 1 or not len(x) or not np.all(np.isfinite(x)):
        raise ValueError("gaussian_interval: need a nonempty row of finite numbers")
    size, mean = len(x), float(x.mean())
    grow = (np.sqrt(size + 1) / (share * ERROR_BELOW)) ** (2 / size)
    half = np.inf
    if size > 1 and grow < size + 1:
        half = float(x.std() * np.sqrt((grow - 1) / (1 - grow / (size + 1))))
    return Interval(mean - half, mean + half, False, "t confidence sequence, Gaussian runs")


def quantile_interval(
    values: Array, chance: float, share: float = 1.0, *, error_above: float = ERROR_ABOVE
) -> Interval:
    """Limits for the (1 - chance)-quantile of i.i.d. ``values`` (R,), for one look at the sample.

    Order statistics with exact binomial tails: as the claim "value <= b with probability at least
    1 - chance" says that this quantile is at most b, the limits decide it exactly as
    Clopper-Pearson limits on the rate of exceedance would. Where the sample is too small for a
    limit it is infinite. ``error_above``: as in ``mean_interval``.

    Raises:
        ValueError: on an empty sample, or a chance outside (0, 1).
    """
    from scipy.special import bdtr, bdtrc  # slow to import

    x = np.sort(np.asarray(values, dtype=float))
    if x.ndim != 1 or not len(x) or np.isnan(x).any():
        raise ValueError("quantile_interval: need a nonempty row of numbers")
    if not 0 < chance < 1:
        raise ValueError(f"quantile_interval: chance is {chance!r}; need 0 < chance < 1")
    k = np.arange(len(x))  # x[k] is the (k + 1)-th smallest
    # x[k] is above the quantile only if at most k values are not: chance P(Bin <= k) at most.
    low = np.count_nonzero(bdtr(k, len(x), 1 - chance) <= share * ERROR_BELOW)
    # x[k] is below it only if at least k + 1 values are: chance P(Bin > k) at most.
    high = np.count_nonzero(bdtrc(k, len(x), 1 - chance) > share * error_above)
    return Interval(
        float(x[low - 1]) if low else -np.inf,
        float(x[high]) if high < len(x) else np.inf,
        True,
        f"order statistics of {len(x)} runs, exact binomial tails",
    )


def _bets(x: Array, error: float) -> Array:
    """lambda_i from x_1..x_{i-1} alone: the predictable plug-in of Waudby-Smith & Ramdas, (15)."""
    count = np.arange(1, len(x) + 1)
    mean = np.cumsum(x) / count
    # A quarter of the first mean squared stands in for the variance until there is one.
    variance = (np.cumsum((x - mean) ** 2) + (x[0] / 2) ** 2) / count
    bets = np.zeros(len(x))
    i = count[1:]
    with np.errstate(divide="ignore", over="ignore"):  # without spread the cap binds
        bets[1:] = np.sqrt(2 * np.log(1 / error) / (variance[:-1] * i * np.log1p(i)))
    return bets


def _lower_limit(x: Array, error: float) -> float:
    """Largest m such that capital against "mean <= m" has reached 1/error at some time."""
    top = float(x.max())
    if top < 1e-290:  # candidates near 0 would underflow, and 0 is a valid lower limit
        return 0.0
    x = x / top  # bets scale inversely, so this changes no factor (and reveals no later value)
    bets = _bets(x, error)

    def excess(m: float) -> float:
        # Every factor falls in m, also where the cap c/m binds, so one root separates.
        capital = np.cumsum(np.log1p(np.minimum(bets, _CAP / m) * (x - m)))
        return float(capital.max() + np.log(error))

    bottom = 1e-12
    if excess(bottom) <= 0:
        return 0.0
    from scipy.optimize import brentq  # slow to import

    root = float(brentq(excess, bottom, 1.0, xtol=1e-24, rtol=1e-12))
    return root * (1 - 1e-9) * top


def _asymptotic_upper(x: Array, error: float) -> float:
    """Upper limit of the asymptotic confidence sequence of Waudby-Smith et al. (2024), (4)."""
    size = len(x)
    if size < 2:
        return float("inf")
    rate = 1.0 / 16  # rho^2, tightest near 64 runs
    spread = float(x.std())
    grow = size * rate + 1
    width = np.sqrt(2 * grow / (size**2 * rate) * np.log(1 + np.sqrt(grow) / (2 * error)))
    return float(x.mean() + spread * float(width))


def runs_needed(values: Array, bound: float, ceiling: float | None, most: int, **known: Any) -> int:
    """About how many runs in all would put ``bound`` outside the interval.

    Repeats the sample seen so far, so it is a forecast, not a promise. Returns ``most`` when even
    that many would not do. ``known``: what else ``mean_interval`` takes.
    """
    size = len(values)
    while size < most:
        size *= 2
        more = np.resize(np.asarray(values, dtype=float), size)
        interval = mean_interval(more, ceiling, **known)
        if interval.high < bound or interval.low > bound:
            return size
    return most


def unseen(runs: int) -> float:
    """The largest chance that an event of no run in ``runs`` may have, up to ``ERROR_ABOVE``.

    An event of chance p is in none of R runs with chance (1 - p)^R.

    >>> round(unseen(16), 2)
    0.25
    """
    return 1.0 - float(ERROR_ABOVE ** (1.0 / runs))
