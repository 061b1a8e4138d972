"""The likeliest outcomes, against all outcomes in the order of their chances."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from theorylab.runs.likeliest import likeliest

DRAWS = {
    "rare": [[0.99, 0.01], [0.9, 0.04, 0.06], [0.98, 0.02]],
    "alike": [[0.5, 0.5], [1.0], [0.125, 0.875], [0.25, 0.25, 0.5]],
    "many": [[0.9, 0.1]] * 6,
}


@pytest.mark.parametrize("name", DRAWS)
@pytest.mark.parametrize("count", [1, 5, 1000])
def test_they_are_those_of_the_largest_chances_and_none_comes_twice(name, count):
    draws = DRAWS[name]
    exact = {
        way: float(np.prod([Fraction(row[k]) for row, k in zip(draws, way, strict=True)]))
        for way in itertools.product(*(range(len(row)) for row in draws))
    }
    table, weights = likeliest([np.array(row) for row in draws], count)
    assert len(weights) == min(count, len(exact))
    found = [tuple(row) for row in table.tolist()]
    assert len(set(found)) == len(found)
    assert weights == pytest.approx([exact[way] for way in found], rel=1e-14)
    assert weights == pytest.approx(sorted(exact.values(), reverse=True)[:count], rel=1e-14)


def test_nothing_is_said_where_a_few_tell_next_to_nothing():
    assert likeliest([np.array([0.5, 0.5])] * 6, 10) is None
    assert likeliest([np.array([0.9, 0.1])] * 3, 0) is None
    assert likeliest([np.array([1 - 1e-6, 1e-6])] * 1100, 4000) is None  # no room for the table
