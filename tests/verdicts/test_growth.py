"""The factor per decade: numpy's slope, what fades, what rises at last, and what samples leave."""

import math

import numpy as np
import pytest

from theorylab.verdicts.growth import Limits, growth

DECADES = [10.0, 100.0, 1000.0, 10000.0]


def exact(*ratios):
    return [Limits(r * (1 - 1e-12), r, r * (1 + 1e-12), True) for r in ratios]


def test_the_centre_is_numpys_least_squares_slope():
    values, ratios = [3.0, 5.0, 70.0, 100.0], [2.0, 9.0, 4.0, 50.0]
    slope = np.polyfit(np.log10(values), np.log10(ratios), 1)[0]
    # the slope of four points is right to some 10 roundings
    assert growth("w", values, exact(*ratios)).centre == pytest.approx(10**slope, rel=1e-14)


def test_falling_values_grow_towards_the_last_one():
    rising = growth("w", DECADES, exact(1, 2, 4, 8))
    falling = growth("w", [1 / v for v in DECADES], exact(1, 2, 4, 8))
    assert falling.centre == pytest.approx(rising.centre, rel=1e-14)
    assert rising.centre == pytest.approx(2.0, rel=1e-14)


def test_what_fades_is_at_least_the_last_step_and_what_rises_late_at_most():
    fading = growth("w", DECADES, exact(1, 10, 20, 20.2))
    assert fading.low == pytest.approx(1.01, rel=1e-10)
    rising = growth("w", DECADES, exact(1, 0.5, 0.25, 2.5))
    assert rising.high == pytest.approx(10.0, rel=1e-10)


def test_rounding_goes_to_the_ends_that_move_the_growth_furthest():
    ratios = [Limits(r - 0.1, r, r + 0.1, True) for r in (1.0, 2.0, 4.0, 8.0)]
    found = growth("w", DECADES, ratios)
    # weights of four equal steps: -.3, -.1, .1, .3
    least = (2.1**-0.1) * (1.1**-0.3) * (3.9**0.1) * (7.9**0.3)
    last = 7.9 / 4.1
    assert found.low == pytest.approx(min(least, last), rel=1e-10)


def test_confidence_limits_bound_the_fit_and_centres_the_last_step():
    ratios = [Limits(r / 2, r, 2 * r, False) for r in (1.0, 10.0, 100.0, 100.0)]
    found = growth("w", DECADES, ratios)
    # the fit: 10^.7, a factor 2 at each end with weights .3, .1, .1, .3
    assert found.centre == pytest.approx(10**0.7, rel=1e-12)
    assert found.high == pytest.approx(10**0.7 * 2**0.8, rel=1e-10)
    assert found.low == pytest.approx(1.0, rel=1e-10)  # the last step of the centres


def test_a_lower_limit_of_zero_leaves_the_growth_open_below():
    ratios = [Limits(0.0, r, 2 * r, False) for r in (1.0, 2.0, 4.0, 8.0)]
    found = growth("w", DECADES, ratios)
    assert found.low <= 1e-11
    assert math.isinf(found.high)


@pytest.mark.parametrize(
    ("ratios", "values", "line"),
    [
        (exact(1, 2, 0, 4), DECADES, "w: a left side is 0 within rounding; need > 0"),
        ([*exact(1, 2, 3), Limits(-1e-9, 1e-9, 3e-9, True)], DECADES, "0 within rounding"),
        (exact(1, 2, 4, 8), [1.0, 1.0001, 1.0002, 1.0003], "need values further apart"),
    ],
)
def test_what_has_no_growth_is_one_line(ratios, values, line):
    with pytest.raises(ValueError, match=line):
        growth("w", values, ratios)
