"""Limits for means of either sign: their coverage while runs are added, and their formula."""

import math
from decimal import Decimal

import numpy as np
import pytest

from theorylab.runs import gaussian_interval
from theorylab.runs.confidence import ERROR_BELOW


def test_they_solve_the_bayes_factor_of_the_t_test():
    # by quadrature over the effect size: t is noncentral given it, R - 1 degrees of freedom
    from scipy.integrate import quad
    from scipy.stats import nct, norm
    from scipy.stats import t as student

    x = np.random.default_rng(1).normal(0.3, 1.0, 24)
    high = gaussian_interval(x).high
    size = len(x)
    value = (x.mean() - high) / x.std(ddof=1) * np.sqrt(size)
    top, _ = quad(
        lambda d: nct.pdf(value, size - 1, np.sqrt(size) * d) * norm.pdf(d), -8, 8, limit=200
    )
    assert top / student.pdf(value, size - 1) == pytest.approx(1 / ERROR_BELOW, rel=1e-6)


def test_the_mean_is_hardly_ever_left_at_any_look():
    # 4000 sequences of 64 runs, a look at every R: under 1e-3 of them may leave the mean out
    x = np.random.default_rng(2).normal(size=(4000, 64))
    size = np.arange(1, 65)
    mean = np.cumsum(x, axis=1) / size
    spread = np.sqrt(np.maximum(np.cumsum(x**2, axis=1) / size - mean**2, 0))
    factor = [gaussian_interval(np.array([-1.0, 1.0] * (k // 2))).high for k in range(2, 66, 2)]
    out = np.abs(mean[:, 1::2]) > np.array(factor) * spread[:, 1::2]
    assert out.any(axis=1).mean() <= 3e-3


@pytest.mark.parametrize("size", [1, 2, 4, 6, 7])
def test_few_runs_say_nothing(size):
    found = gaussian_interval(np.arange(size, dtype=float))
    assert (found.low, found.high) == (-np.inf, np.inf)


def test_eight_runs_are_the_fewest_that_say_something():
    # (sqrt(R + 1) / error)^(2/R) < R + 1 first holds at R = 8, of an error of 1e-3
    fits = [(math.sqrt(R + 1) / ERROR_BELOW) ** (2 / R) < R + 1 for R in range(2, 12)]
    assert fits.index(True) + 2 == 8
    found = gaussian_interval(np.arange(8.0))
    assert math.isfinite(found.high - found.low)


@pytest.mark.parametrize("size", [8, 24])
def test_the_limits_solve_the_printed_equation(size):
    x = np.random.default_rng(4).normal(size=size)
    found = gaussian_interval(x)
    y = Decimal((found.high - x.mean()) ** 2 / x.var())
    factor = Decimal(size + 1).sqrt() * ((1 + y / (size + 1)) / (1 + y)) ** (Decimal(size) / 2)
    # the factor falls with y as its power -R/2 or slower, and y is known to some 1e-15
    assert float(factor) == pytest.approx(ERROR_BELOW, rel=size * 1e-14)


def test_shift_scale_and_sign_go_through():
    x = np.random.default_rng(3).normal(size=20)
    base, moved = gaussian_interval(x), gaussian_interval(5 - 3 * x)
    assert moved.low == pytest.approx(5 - 3 * base.high, rel=1e-12)
    assert moved.high == pytest.approx(5 - 3 * base.low, rel=1e-12)
    assert gaussian_interval(np.zeros(9)).high == 0
    assert gaussian_interval(x, 0.1).high > base.high


@pytest.mark.parametrize("values", [[], [1.0, np.inf], [[1.0]]])
def test_bad_samples_are_refused(values):
    with pytest.raises(ValueError, match="gaussian_interval: need a nonempty row"):
        gaussian_interval(np.array(values))
