"""A slope with its interval, and the power that it is."""

import numpy as np
import pytest

from theorylab.runs.confidence import ERROR_ABOVE, ERROR_BELOW
from theorylab.runs.ratio import ratio_limit
from theorylab.speedup import Slope, power_of, slope_of, speedup
from theorylab.verdicts.arms import Side, judged
from theorylab.verdicts.power import why_no_power

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
    shared = draw.gamma(4.0, size=256)  # of mean 4, the same at every n
    paired = slope_of(SIZES, [shared / n for n in SIZES], [0.0] * 4, False)
    apart = slope_of(SIZES, [draw.gamma(4.0, size=256) / n for n in SIZES], [0.0] * 4, False)
    assert paired.high - paired.low < 0.8 * (apart.high - apart.low)


def test_the_first_runs_choose_where_errors_are_clipped_and_serve_nothing_else():
    draw = np.random.default_rng(2)
    values = [draw.gamma(9.0, size=64) / n for n in SIZES]
    top = 1.25 * max(v[:8].max() for v in values)
    found = slope_of(SIZES, values, [0.0] * 4, False)
    given = slope_of(SIZES, [np.minimum(v[8:], top) for v in values], [0.0] * 4, False, top)
    assert found == given
    eight = slope_of(SIZES, [v[:8] for v in values], [0.0] * 4, False)
    assert (eight.low, eight.high) == (-np.inf, np.inf)


def test_a_slope_has_no_limits_where_clipping_takes_a_part_of_the_mean():
    """The rare error is of the order of a hundred means, and falls like 1/n; the others stay."""
    values = [np.ones(128) for _ in SIZES]
    for v, n in zip(values, SIZES, strict=True):
        v[20::20] = 400.0 / n
    found = slope_of(SIZES, values, [0.0] * 4, False)
    assert (found.low, found.high) == (-np.inf, np.inf)


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


def test_limits_below_a_ceiling_need_no_gaussian_runs():
    """Most runs are 0 and a rare one is at the ceiling: pairs of the others see nothing of it."""
    rare, missed = np.random.default_rng(3), 0
    for _ in range(100):
        values = [4 * (rare.random(64) < 0.02) + 0.05 / n for n in SIZES]
        found = slope_of(SIZES, values, [0.0] * 4, False, ceiling=5.0)
        true = np.polyfit(np.log(SIZES), np.log([0.08 + 0.05 / n for n in SIZES]), 1)[0]
        missed += not found.low <= true <= found.high
    assert missed <= 6  # each has a chance below .011: 7 or more of 100 one below 1e-4


def test_a_ceiling_narrows_with_the_runs_and_equal_runs_prove_little():
    draw = np.random.default_rng(4)
    wide, close = (
        slope_of(SIZES, [draw.gamma(40.0, 1 / 40, size) / n for n in SIZES], [0.0] * 4, False, 3.0)
        for size in (64, 1024)
    )
    assert -1.1 < close.low < -1 < close.high < -0.75
    assert wide.low < close.low
    assert close.high < wide.high
    same = slope_of(SIZES, [np.full(16, 1.0 / n) for n in SIZES], [0.0] * 4, False, 3.0)
    assert same.high - same.low > 0.5


@pytest.mark.parametrize(
    ("power", "clipped", "told"),
    [
        (0.0, (1, 1, 1), "but runs are clipped (1 at n = 4, 1 at n = 8, 1 at n = 16)"),
        (0.0, (0, 0, 0), "excludes n^-1 and contains n^0"),
        (-1.0, (0, 1, 1), "more runs are clipped at more clients"),
        (-1.0, (1, 0, 0), "contains n^-1"),
    ],
)
def test_no_verdict_rests_on_what_a_ceiling_made(power, clipped, told):
    """Clipped runs make a slope flat, or more of them at more clients steep."""
    room, drawn = dict.fromkeys((4, 8, 16), 0.0), np.random.default_rng(0)
    values = {n: float(n) ** power * drawn.uniform(0.9, 1.0, 4096) for n in room}
    for n, count in zip(values, clipped, strict=True):
        values[n][:count] = 3.0
    main = Side(values, room, False, 3.0)
    flat = Side({n: np.array([1.0]) for n in room}, room, True)
    found = judged(-1.0, main, flat, None)
    assert told in found.reason
    assert (found.verdict.name == "INCONCLUSIVE") == ("clipped" in told)


def test_an_open_study_says_how_many_runs_decide_and_these_do():
    given = {"problem": "log-cosh", "problem_options": {"sigma": 2.0}, "options": {"eta": 0.05}}
    given |= {"clients": [4, 8, 16], "rounds": 256, "topology": "complete", "measure": "clients"}
    few = speedup("sgp", seeds=16, transient=False, **given)
    assert (few.verdict.name, few.needs) == ("INCONCLUSIVE", 128)
    many = speedup("sgp", seeds=few.needs, transient=False, **given)
    assert (many.verdict.name, many.needs) == ("HOLDS", 0)


def test_the_ratios_of_a_slope_share_the_chance_that_one_is_wrong():
    # The weights of 4, 8, 16, 32 are -3, -1, 1, 3 over 10 log 2: two ratios, half the chance each.
    values = [np.random.default_rng(k).gamma(4.0, size=128) / n for k, n in enumerate(SIZES)]
    few, some, more, most = values
    top = max(map(np.max, values))
    ends = [(3, most, few), (1, more, some)]
    high = sum(w * np.log(ratio_limit(a, b, top, ERROR_ABOVE / 2)) for w, a, b in ends)
    low = -sum(w * np.log(ratio_limit(b, a, top, ERROR_BELOW / 2)) for w, a, b in ends)
    found = slope_of(SIZES, values, [0.0] * 4, False, ceiling=top)
    assert (found.low, found.high) == pytest.approx(
        (low / (10 * np.log(2)), high / (10 * np.log(2)))
    )
