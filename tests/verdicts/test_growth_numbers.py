"""Every number of a growth, by hand in 30 digits."""

import math

import mpmath
import numpy as np
import pytest

from theorylab.verdicts.growth import Limits, growth

DECADES = [10.0, 100.0, 1000.0, 10000.0]
SHARES = (-0.3, -0.1, 0.1, 0.3)  # of four equal steps in the least-squares slope


def power(ends):
    """10^slope for these four ratios."""
    with mpmath.workdps(30):
        return float(mpmath.exp(sum(w * mpmath.log(e) for w, e in zip(SHARES, ends, strict=True))))


def limits(ratios, width, exact):
    return [Limits(r - width, r, r + width, exact) for r in ratios]


def test_exact_ratios_with_rounding_have_all_four_numbers():
    found = growth("w", DECADES, limits((1.0, 2.0, 4.0, 9.0), 0.1, True))
    centre = power((1, 2, 4, 9))
    least, most = power((1.1, 2.1, 3.9, 8.9)), power((0.9, 1.9, 4.1, 9.1))
    steps = 8.9 / 4.1, 9.1 / 3.9
    assert found.centre == pytest.approx(centre, rel=1e-13)
    assert found.low == pytest.approx(min(least, steps[0]), rel=1e-11)
    assert found.high == pytest.approx(max(most, steps[1]), rel=1e-11)
    assert found.room == pytest.approx(centre * (max(centre / least, most / centre) - 1), rel=1e-9)


def test_a_fit_that_is_flatter_than_the_last_step_is_the_lower_limit():
    found = growth("w", DECADES, limits((4.0, 4.0, 4.0, 9.0), 0.1, True))
    assert found.low == pytest.approx(power((4.1, 4.1, 3.9, 8.9)), rel=1e-11)
    assert found.high == pytest.approx(9.1 / 3.9, rel=1e-11)


def test_a_fit_that_is_steeper_than_the_last_step_is_the_upper_limit():
    found = growth("w", DECADES, limits((1.0, 4.0, 8.0, 8.0), 0.1, True))
    assert found.low == pytest.approx(7.9 / 8.1, rel=1e-11)
    assert found.high == pytest.approx(power((0.9, 3.9, 8.1, 8.1)), rel=1e-11)


def test_the_last_step_of_samples_counts_above_as_far_as_their_limits_lie_apart():
    found = growth("w", DECADES, limits((1.0, 1.0, 1.0, 100.0), 0.5, False))
    assert found.high == pytest.approx(99.5 / 1.5, rel=1e-11)
    assert found.low == pytest.approx(power((1.5, 1.5, 0.5, 99.5)), rel=1e-11)


def test_without_any_room_twelve_digits_are_left():
    found = growth("w", DECADES, limits((1.0, 2.0, 4.0, 8.0), 0.0, True))
    assert found.low == pytest.approx(2 - 2e-12, abs=5e-14)
    assert found.high == pytest.approx(2 + 2e-12, abs=5e-14)
    assert found.room == pytest.approx(2e-12, rel=1e-3)


def test_an_end_without_weight_has_no_part_though_it_is_infinite():
    ratios = limits((1.0, 2.0, 4.0, 8.0, 16.0), 0.0, False)
    ratios[2] = Limits(0.0, 4.0, 8.0, False)  # the middle of five
    found = growth("w", [*DECADES, 1e5], ratios)
    assert found.low == pytest.approx(2.0, rel=1e-10)
    assert found.high == pytest.approx(2.0, rel=1e-10)


def test_samples_may_leave_no_upper_limit_that_float64_holds():
    near = [1.0, 1.001, 1.002, 1.003]
    found = growth("w", near, [Limits(0.5, 1.0, 2.0, False)] * 4)
    assert found.centre == pytest.approx(1.0, rel=1e-9)
    assert found.high == math.inf
    assert found.room == math.inf


@pytest.mark.parametrize("exact", [True, False])
def test_a_slope_beyond_float64_is_one_line(exact):
    values = [1.0, 1.0 + 1e-4, 1.0 + 2e-4, 1.0 + 3e-4]
    with pytest.raises(
        ValueError, match=r"^w: it gives a factor of 10\^6\.93e\+03 per decade"
    ) as told:
        growth("w", values, limits((1.0, 2.0, 4.0, 8.0), 0.0, exact))
    assert "\n" not in str(told.value)


@pytest.mark.parametrize(
    ("ratio", "refused"),
    [
        (Limits(-0.1, 0.0, 0.1, False), True),
        (Limits(0.0, 0.1, 0.2, False), False),
        (Limits(0.0, 0.1, 0.2, True), True),
        (Limits(1e-300, 1e-299, 1.0, True), False),
    ],
)
def test_a_ratio_of_zero_has_no_logarithm(ratio, refused):
    ratios = [Limits(1.0, 1.0, 1.0, True), ratio, *[Limits(1.0, 1.0, 1.0, True)] * 2]
    if not refused:
        assert np.isfinite(growth("w", DECADES, ratios).centre)
        return
    with pytest.raises(ValueError, match=r"^w: a left side is 0 within rounding"):
        growth("w", DECADES, ratios)


def test_a_last_step_of_two_decades_counts_by_the_decade():
    found = growth("w", [1.0, 100.0, 1e4, 1e6], limits((1.0, 100.0, 400.0, 900.0), 0.0, True))
    assert found.low == pytest.approx(1.5, rel=1e-10)  # 900/400 in two decades
    samples = growth("w", [1.0, 100.0, 1e4, 1e6], limits((1.0, 100.0, 400.0, 900.0), 0.0, False))
    assert samples.low == pytest.approx(1.5, rel=1e-10)
