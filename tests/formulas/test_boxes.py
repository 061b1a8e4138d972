"""Intervals against fractions: each end lies outside, and not at all where it is exact."""

import operator
from fractions import Fraction

import numpy as np
import pytest

from theorylab.formulas.boxes import Box, box

DRAW = np.random.default_rng(3)
PAIRS = [(0.1, 0.2), (3.0, 0.5), (1e16, 1.0), (-0.1, 0.3), (1e-9, 7.0), *DRAW.normal(size=(60, 2))]


@pytest.mark.parametrize("of", [operator.add, operator.sub, operator.mul, operator.truediv])
def test_a_number_in_the_reals_lies_within_and_an_exact_one_is_itself(of):
    for a, b in PAIRS:
        exact, made = of(Fraction(a), Fraction(b)), of(box(a), b)
        low, high = Fraction(float(made.low)), Fraction(float(made.high))
        assert low <= exact <= high
        if Fraction(float(exact)) != exact:
            assert low < exact < high
        elif of is not operator.truediv:
            assert low == exact == high


def test_an_infinite_end_times_nothing_is_nothing():
    made = Box(-np.inf, np.inf) * box(0.0)
    assert (float(made.low), float(made.high)) == (0.0, 0.0)
    half = 1 / Box(0.0, 2.0)
    assert (float(half.low), float(half.high)) == (0.5, np.inf)
