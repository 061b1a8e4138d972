"""The limit from the law of Gaussian draws, against closed forms of chi-square laws."""

import math

import mpmath
import numpy as np
import pytest

from theorylab.runs import mean_interval
from theorylab.runs.self_bound import self_bound_limit


def laplace(s, variances, means):
    """E exp(-s X), X = sum_k (means_k + sqrt(variances_k) g_k)^2 / 2, in closed form."""
    made = mpmath.mpf(1)
    for v, m in zip(variances, means, strict=True):
        made *= mpmath.exp(-s * m**2 / (2 * (1 + s * v))) / mpmath.sqrt(1 + s * v)
    return made


@pytest.mark.parametrize("s", ["1e-6", "0.01", "0.3", "1", "20", "1e5"])
@pytest.mark.parametrize(
    ("variances", "means"),
    [((1,), (0,)), ((1,), (3,)), ((1, 1, 1), (0, 0, 0)), ((2, 0.1), (0, 5)), ((4,) * 9, (1,) * 9)],
)
def test_a_bet_is_fair_or_worse_under_squares_of_gaussian_numbers(s, variances, means):
    # |grad X|^2 = sum v (m + sqrt(v) g)^2 <= 2 c X for c = max v
    with mpmath.workdps(40):
        s, c = mpmath.mpf(s), max(mpmath.mpf(v) for v in variances)
        mean = (
            sum(mpmath.mpf(v) + mpmath.mpf(m) ** 2 for v, m in zip(variances, means, strict=True))
            / 2
        )
        assert laplace(s, variances, means) <= mpmath.exp(-s * mean / (1 + c * s))


def test_with_a_smaller_c_a_bet_would_be_better_than_fair():
    with mpmath.workdps(40):
        assert laplace(1, (1,), (0,)) > mpmath.exp(-mpmath.mpf(1) / 2 / (1 + mpmath.mpf("0.1")))


def test_the_limit_is_the_mean_against_which_the_capital_reaches_what_it_has_to():
    # written out once more, run by run: the first run stakes nothing, the others what is best for
    # the mean of those before them
    row, c, error = np.random.default_rng(8).exponential(size=90), 0.7, 0.01
    told = mpmath.log(1 / mpmath.mpf(error))

    def capital(mean):
        money, most = mpmath.mpf(0), mpmath.mpf("-inf")
        for i, x in enumerate(row.tolist()):
            if i:
                before = mpmath.fsum(row[:i].tolist()) / i
                s = mpmath.sqrt(told / (max(i + 1, 64) * c * before))
                money += -s * x + s * mean / (1 + c * s)
            most = max(most, money)
        return most

    limit = self_bound_limit(row, c, error)
    assert capital(limit * (1 - mpmath.mpf("2e-9"))) < told < capital(limit)
    assert limit > row.mean()


def test_one_run_has_no_limit_and_equal_runs_have_one_that_falls_to_them():
    assert self_bound_limit(np.array([1.0]), 1.0, 0.01) == math.inf
    limits = [self_bound_limit(np.ones(k), 0.5, 0.01) for k in (16, 64, 1024, 16384)]
    assert limits == sorted(limits, reverse=True)
    # (1 + c s)(1 + log(100)/(64 s)) at its best s
    assert limits[1] == pytest.approx((1 + math.sqrt(0.5 * math.log(100) / 64)) ** 2, rel=0.02)
    assert 1 < limits[3] < 1.1
    assert 0 < self_bound_limit(np.zeros(64), 1.0, 0.01) < 1


def test_units_do_not_matter_and_a_floor_is_where_it_starts():
    row = np.random.default_rng(9).exponential(size=64)
    limit = self_bound_limit(row, 0.5, 0.01)
    for unit in (1e-100, 1e100):
        assert self_bound_limit(row * unit, 0.5 * unit, 0.01) == pytest.approx(limit * unit)
    found = mean_interval(row - 3, self_bound=0.5, floor=-3.0)
    assert found.high == pytest.approx(limit - 3, abs=1e-12)
    assert found.method.endswith("floor -3, Gaussian draws")
    both = mean_interval(row, 50.0, self_bound=0.5)
    assert both.high == self_bound_limit(row, 0.5, 0.005)
    assert mean_interval(row, self_bound=0.5, floor=None).high == math.inf
