"""Limits that must hold at every number of runs, checked by how often they ever fail."""

from dataclasses import replace

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from theorylab.runs import (
    confidence,
    mean_interval,
    point,
    quantile_interval,
    runs_needed,
    unseen,
)

ROW = 40
SEQUENCES = 400


def skewed(rng, size):
    """Mean 0.1, mostly 0, seldom 1: what breaks a normal interval."""
    return (rng.random((SEQUENCES, size)) < 0.1).astype(float)


def ever_wrong(limit, draw, true_mean, wrong):
    rng = np.random.default_rng(3)
    rows = draw(rng, ROW)
    looks = (2, 4, 8, 16, 24, 32, ROW)
    return sum(any(wrong(limit(row[:k]), true_mean) for k in looks) for row in rows)


@pytest.mark.parametrize("error", [0.05, 0.01])
def test_the_lower_limit_is_ever_wrong_no_more_often_than_it_says(error):
    count = ever_wrong(
        lambda row: confidence._lower_limit(row, error), skewed, 0.1, lambda lim, mean: lim > mean
    )
    assert count <= binom.ppf(1 - 1e-6, SEQUENCES, error)


def test_the_upper_limit_is_ever_wrong_no_more_often_than_it_says():
    count = ever_wrong(
        lambda row: mean_interval(row, 1.0).high, skewed, 0.1, lambda lim, mean: lim < mean
    )
    assert count <= binom.ppf(1 - 1e-6, SEQUENCES, confidence.ERROR_ABOVE)


def test_a_fixed_sample_normal_limit_would_fail_this_very_test():
    # the check above has power: 3 standard errors, looked at again and again, fail far more often
    def normal(row):
        return row.mean() + 2.33 * row.std() / np.sqrt(len(row))

    count = ever_wrong(normal, skewed, 0.1, lambda lim, mean: lim < mean)
    assert count > binom.ppf(1 - 1e-6, SEQUENCES, confidence.ERROR_ABOVE)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30), st.floats(0.1, 100))
def test_limits_enclose_the_sample_mean_and_scale_with_the_data(values, factor):
    row = np.array(values)
    interval = mean_interval(row, 1.0)
    assert 0 <= interval.low <= row.mean() * (1 + 1e-9)
    assert row.mean() - 1e-9 <= interval.high <= 1 + 1e-12
    scaled = mean_interval(row * factor, factor)
    # the root finder stops at a relative 1e-12; the limits then move by 1e-9 outward
    assert scaled.low == pytest.approx(interval.low * factor, rel=1e-6, abs=1e-9 * factor)
    assert scaled.high == pytest.approx(interval.high * factor, rel=1e-6, abs=1e-9 * factor)


def test_the_interval_shrinks_like_one_over_runs_when_the_runs_agree():
    widths = [mean_interval(np.full(k, 0.2), 1.0) for k in (16, 64, 256)]
    spans = [w.high - w.low for w in widths]
    assert spans[0] > 2 * spans[1] > 4 * spans[2]
    # factors 1 - c + c mu/m: the lower limit is mu / (1 + (log(1000)/R)/c) to first order
    assert widths[2].low == pytest.approx(0.2 / (1 + np.log(1000) / 256 / 0.9), rel=0.01)


@pytest.mark.parametrize("size", [1, 2, 16, 4096])
def test_without_a_ceiling_no_number_of_runs_has_an_upper_limit(size):
    # runs that agree, too: with chance .01 the mean lies in runs that no sample has
    for row in (np.full(size, 0.5), np.zeros(size), np.arange(size, dtype=float)):
        found = mean_interval(row)
        assert found.high == np.inf
        assert found.rigorous
        assert found.method.endswith("floor 0, no ceiling")


@pytest.mark.parametrize("size", [2, 3, 5, 64, 900])
def test_the_asymptotic_upper_limit_is_that_of_its_formula(size):
    # mean + s sqrt(2 (R/16 + 1) / (R^2/16) log(1 + sqrt(R/16 + 1) / (2 error)))
    row = np.random.default_rng(size).exponential(size=size)
    error = mpmath.mpf("0.01")
    mean = mpmath.fsum(row) / size
    spread = mpmath.sqrt(mpmath.fsum((x - mean) ** 2 for x in row.tolist()) / size)
    grow = mpmath.mpf(size) / 16 + 1
    width = mpmath.sqrt(
        2 * grow / (mpmath.mpf(size) ** 2 / 16) * mpmath.log(1 + mpmath.sqrt(grow) / (2 * error))
    )
    normal = mpmath.sqrt(2) * mpmath.erfinv(1 - 2 * error) / mpmath.sqrt(size)
    assert width > normal  # as z^2 <= 2 log(1 / (2 error)): it is valid at one look, too
    found = confidence._asymptotic_upper(row, 0.01)
    assert found == pytest.approx(float(mean + spread * width), rel=1e-12)


def test_limits_of_next_to_nothing_are_nothing():
    assert mean_interval(np.zeros(9)).low == 0.0
    assert mean_interval(np.full(9, 1e-295)).low == 0.0  # too small to be divided by
    assert mean_interval(np.full(99, 5e-291)).low == 0.0
    assert 0 < mean_interval(np.full(99, 5e-290)).low < 5e-290
    # one run in 80 is not 0: no mean above 0 can be excluded
    assert mean_interval(np.r_[1.0, np.zeros(79)]).low == 0.0


def test_a_value_at_the_ceiling_up_to_rounding_is_taken_and_one_above_it_is_not():
    for most in (1 + 0.5e-9, 1 + 1e-9):
        assert mean_interval(np.array([0.5, most]), 1.0).high <= 1.0
    with pytest.raises(ValueError, match="above the ceiling 1; need a ceiling= that no run is"):
        mean_interval(np.array([0.5, 1 + 2e-9]), 1.0)


def test_the_forecast_doubles_and_says_when_it_gives_up():
    row = np.array([0.0, 1.0] * 8)
    needed = runs_needed(row, 0.75, 1.0, 1 << 10)
    assert needed in (32, 64, 128, 256)
    assert mean_interval(np.resize(row, needed), 1.0).high < 0.75
    assert mean_interval(np.resize(row, needed // 2), 1.0).high >= 0.75
    assert (
        runs_needed(row, 0.25, 1.0, 1 << 10) == needed
    )  # the same from below, or one doubling away
    assert runs_needed(row, 0.5, 1.0, most=1 << 10) == 1 << 10  # the mean itself: never
    assert runs_needed(row, 0.75, 1.0, most=16) == 16
    assert runs_needed(np.full(16, 0.1), 0.75, 1.0, most=32) == 32
    assert runs_needed(np.full(16, 0.1), 0.75, 1.0, most=16) == 16


def test_the_forecast_of_runs_decides_when_it_is_followed():
    row = np.random.default_rng(2).random(16) * 0.2
    need = runs_needed(row, 0.2, 1.0, 1 << 10)
    assert mean_interval(np.resize(row, need), 1.0).high < 0.2
    assert mean_interval(np.resize(row, need // 2), 1.0).high >= 0.2


def test_a_point_is_widened_by_rounding_only():
    interval = point(2.0, 1e-9)
    assert interval.low < 2.0 < interval.high
    assert interval.high - interval.low == pytest.approx(4e-9, rel=1e-6, abs=0)
    assert interval.low + interval.high == 4.0
    assert point(-2.0, 0.25) == replace(interval, low=-2.5, high=-1.5, method=point(1, 0.25).method)
    assert interval.rigorous
    assert quantile_interval(np.ones(9), 0.5).rigorous


@pytest.mark.parametrize("bad", [[], [1.0, np.nan], [1.0, np.inf], [[1.0]]])
def test_bad_samples_are_refused(bad):
    with pytest.raises(ValueError, match="need a nonempty row of finite numbers"):
        mean_interval(np.array(bad, dtype=float))


@pytest.mark.parametrize("bad", [[-1.0], [-1.0, 1.0], [1.0, -2e-9]])
def test_a_value_below_the_floor_is_refused_beyond_rounding(bad):
    with pytest.raises(ValueError, match=r"below the floor 0; need a floor= that no run is below"):
        mean_interval(np.array(bad), room=1e-9)
    assert mean_interval(np.array(bad), floor=min(bad)).low >= min(bad)
    for floor in (None, -np.inf):
        assert mean_interval(np.array(bad), floor=floor).low == -np.inf
    assert mean_interval(np.array([1.0, -1e-9]), room=1e-9).low == 0.0


def test_a_value_above_the_ceiling_is_refused():
    with pytest.raises(ValueError, match="a run is 2, above the ceiling 1; need a ceiling="):
        mean_interval(np.array([0.5, 2.0]), 1.0)
    assert mean_interval(np.array([0.5, 2.0]), 1.0, room=1.0).high <= 1.0


def test_a_floor_is_where_the_lower_limit_starts_and_without_one_there_is_none():
    row = np.random.default_rng(4).random(64)
    lower, moved = mean_interval(row, 1.0), mean_interval(row - 5, -4.0, floor=-5.0)
    assert (moved.low, moved.high) == pytest.approx((lower.low - 5, lower.high - 5), abs=1e-12)
    below = mean_interval(row - 5, -4.0, floor=None)
    assert (below.low, below.high) == (-np.inf, moved.high)
    assert mean_interval(row - 5, floor=None).method.endswith("no floor, no ceiling")


def test_what_an_unseen_event_may_have_for_a_chance_is_exact():
    for runs in (1, 16, 64, 1000):
        assert (1 - unseen(runs)) ** runs == pytest.approx(0.01, rel=1e-12)


@pytest.mark.parametrize("chance", [0.01, 0.05, 0.3])
@pytest.mark.parametrize("size", [1, 5, 64, 600])
def test_quantile_limits_are_the_order_statistics_of_exact_binomial_tails(size, chance):
    found = quantile_interval(np.arange(1.0, size + 1), chance)
    k = np.arange(1, size + 1)
    lows = k[binom.cdf(k - 1, size, 1 - chance) <= 0.001]
    highs = k[binom.sf(k - 1, size, 1 - chance) <= 0.01]
    assert found.low == (lows.max() if len(lows) else -np.inf)
    assert found.high == (highs.min() if len(highs) else np.inf)


def test_quantile_limits_are_wrong_no_more_often_than_they_say():
    rng = np.random.default_rng(5)
    rows = rng.random((4000, 300))  # the .9-quantile is .9
    found = [quantile_interval(row, 0.1) for row in rows]
    assert sum(f.low > 0.9 for f in found) <= binom.ppf(1 - 1e-6, 4000, confidence.ERROR_BELOW)
    assert sum(f.high < 0.9 for f in found) <= binom.ppf(1 - 1e-6, 4000, confidence.ERROR_ABOVE)
    assert sum(f.high < 0.9 for f in found) > 0  # not for want of a limit


@pytest.mark.parametrize(
    ("values", "chance"),
    [([], 0.1), ([1.0], 0.0), ([1.0], 1.0), ([1.0, np.nan], 0.1), ([[1.0]], 0.1)],
)
def test_quantile_limits_refuse_what_has_none(values, chance):
    with pytest.raises(ValueError, match="quantile_interval"):
        quantile_interval(np.array(values), chance)


def test_intervals_made_together_are_wider():
    values = np.random.default_rng(1).random(64)
    one, shared = mean_interval(values, 1.0), mean_interval(values, 1.0, share=0.1)
    assert shared.low < one.low < one.high < shared.high
