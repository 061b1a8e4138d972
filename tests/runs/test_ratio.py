"""An upper limit for a ratio of means: its chance of error by enumeration, its form, bad input."""

import itertools
import math
import re

import numpy as np
import pytest

from theorylab.runs.ratio import ratio_limit


@pytest.mark.parametrize("chance", [0.5, 0.1, 0.9])
def test_the_limit_is_below_the_ratio_no_more_often_than_it_says(chance):
    """Each run has one of two pairs: all courses of 9 runs, with their exact chances."""
    pairs = ((1.0, 0.25), (0.0, 1.0))  # (above, below) with ``chance``, and otherwise
    ratio = chance / (chance * 0.25 + (1 - chance))
    error, wrong = 0.3, 0.0
    for course in itertools.product((0, 1), repeat=9):
        above, below = np.array([pairs[k] for k in course]).T
        weight = math.prod((chance, 1 - chance)[k] for k in course)
        # at any time: the largest share over all times is what Ville's inequality bounds
        wrong += weight * (ratio_limit(above, below, 1.0, error) < ratio * (1 - 1e-9))
    assert wrong <= error


def test_some_course_is_wrong_so_that_the_chance_is_no_empty_bound():
    above, below = np.zeros(40), np.ones(40)  # as if E above were 0
    assert ratio_limit(above, below, 1.0, 0.3) < 0.1


def test_a_limit_once_reached_stays_while_runs_are_added():
    draw = np.random.default_rng(0)
    above, below = draw.random(200) / 4, draw.random(200)
    limits = [ratio_limit(above[:k], below[:k], 0.25, 0.01) for k in range(5, 200, 5)]
    assert all(a >= b * (1 - 1e-8) for a, b in itertools.pairwise(limits))
    assert 0.25 < limits[-1] < 0.35


def test_the_scale_of_the_errors_plays_no_part():
    draw = np.random.default_rng(1)
    above, below = draw.random(64), draw.random(64)
    want = ratio_limit(above, below, 1.0, 0.01)
    for scale in (1e-200, 1e-9, 1e9):
        got = ratio_limit(scale * above, scale * below, scale, 0.01)
        assert got == pytest.approx(want, rel=1e-6)


def test_what_no_run_shows_has_no_limit():
    none = np.array([])
    assert ratio_limit(none, none, 1.0, 0.01) == math.inf
    assert ratio_limit(np.zeros(50), np.zeros(50), 1.0, 0.01) == math.inf
    assert ratio_limit(np.ones(50), np.zeros(50), 1.0, 0.01) == math.inf


@pytest.mark.parametrize(
    ("above", "below", "ceiling", "line"),
    [
        ([1.0], [1.0, 2.0], 1.0, "two rows of finite numbers"),
        ([np.nan], [1.0], 1.0, "two rows of finite numbers"),
        ([-1.0], [1.0], 1.0, "numbers >= 0"),
        ([1.0], [1.0], 0.0, "a ceiling > 0"),
        ([2.0], [1.0], 1.0, "a run is 2, above the ceiling 1; need none"),
    ],
)
def test_bad_input_is_one_line(above, below, ceiling, line):
    with pytest.raises(ValueError, match=re.escape(line)):
        ratio_limit(np.array(above), np.array(below), ceiling, 0.01)
