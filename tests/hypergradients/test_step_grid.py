"""A grid that goes on while its largest size is the best."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from theorylab.hypergradients.table_rows import best_step


def peak(at):
    return lambda eta: -abs(math.log(eta / at))


def seen(steps, larger, score):
    tried = []

    def noted(eta):
        tried.append(eta)
        return score(eta)

    return best_step(steps, larger, noted), tried


@pytest.mark.parametrize(
    ("at", "larger", "best", "tried"),
    [
        (0.1, 2, 0.1, [0.02, 0.1, 0.5]),  # interior: nothing more is tried
        (0.5, 2, 0.5, [0.02, 0.1, 0.5, 1.0]),
        (1.0, 2, 1.0, [0.02, 0.1, 0.5, 1.0, 2.0]),
        (99.0, 2, 2.0, [0.02, 0.1, 0.5, 1.0, 2.0]),  # as far as it may
        (99.0, 0, 0.5, [0.02, 0.1, 0.5]),
        (1e-3, 2, 0.02, [0.02, 0.1, 0.5]),
    ],
)
def test_the_grid_goes_on_upward_until_the_best_is_inside(at, larger, best, tried):
    assert seen([0.1, 0.02, 0.5], larger, peak(at)) == (best, tried)


def test_a_size_that_diverges_is_passed_over_and_ends_the_grid():
    assert seen([0.1, 0.5], 2, lambda eta: eta if eta <= 0.5 else None) == (0.5, [0.1, 0.5, 1.0])
    assert seen([0.1, 0.5], 2, lambda eta: eta if eta < 0.5 else None) == (0.1, [0.1, 0.5])
    assert seen([0.1, 0.5], 2, lambda eta: None) == (None, [0.1, 0.5])


def test_of_equals_the_smallest_is_taken():
    assert best_step([0.5, 0.1], 2, lambda eta: 1.0) == 0.1


@given(
    st.lists(st.floats(1e-3, 1), min_size=1, max_size=4, unique=True),
    st.floats(1e-4, 1e4),
    st.integers(0, 3),
)
def test_the_best_is_the_best_of_what_was_tried(steps, at, larger):
    best, tried = seen(steps, larger, peak(at))
    assert best == max(tried, key=peak(at))
    assert len(tried) <= len(steps) + larger
    assert {*steps} <= {*tried}
