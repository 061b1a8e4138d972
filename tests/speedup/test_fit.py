"""A slope with its interval, and the power that it is."""

import numpy as np
import pytest

from theorylab.speedup import Slope, power_of, slope_of
from theorylab.speedup.fit import why_no_power

SIZES = [4, 8, 16, 32]


def test_a_power_is_found_to_the_last_digits():
    found = slope_of(SIZES, [np.array([3.0 * n**-1.5]) for n in SIZES], [0.0] * 4, True)
    assert found.centre == pytest.approx(-1.5, abs=1e-12)
    assert found.low <= -1.5 <= found.high
    assert power_of(found) == -1.5


def test_rounding_widens_an_exact_slope_and_hides_a_small_error():
    values = [np.array([1.0 / n]) for n in SIZES]
    wide = slope_of(SIZES, values, [1e-3] * 4, True)
    assert wide.high - wide.low > 1e-3
    assert slope_of(SIZES, values, [1.0] * 4, True) is None


def test_pairs_narrow_the_interval():
    draw = np.random.default_rng(1)
    shared = draw.gamma(4.0, size=64)  # of mean 4, the same at every n
    paired = slope_of(SIZES, [shared / n for n in SIZES], [0.0] * 4, False)
    apart = slope_of(SIZES, [draw.gamma(4.0, size=64) / n for n in SIZES], [0.0] * 4, False)
    assert paired.high - paired.low < 1e-9 < 0.1 < apart.high - apart.low


def test_the_interval_misses_the_slope_no_more_often_than_it_says():
    draw, missed = np.random.default_rng(2), 0
    for _ in range(300):
        values = [draw.gamma(2.0, size=32) / n for n in SIZES]
        found = slope_of(SIZES, values, [0.0] * 4, False)
        missed += not found.low <= -1 <= found.high
    assert missed <= 9  # 1 %: 10 or more of 300 have a chance below .002


@pytest.mark.parametrize(
    ("low", "high", "power"),
    [
        (-1.02, -0.97, -1.0),
        (-0.54, -0.4, -0.5),
        (-0.1, 0.2, 0.0),
        (-1.1, -0.5, None),
        (-0.8, -0.7, None),
    ],
)
def test_the_rule_names_the_one_power_inside(low, high, power):
    assert power_of(Slope(low, (low + high) / 2, high, False)) == power


def test_a_sweep_that_is_too_short_says_how_long_it_must_be():
    text = why_no_power(Slope(-1.4, -0.9, -0.4, False), 4, 8)
    assert "n^-0.5, n^-1" in text
    assert "need about a factor 2.38" in text  # 2^(.5 / .4): the half width has to be .4
