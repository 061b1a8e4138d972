"""Reduction of a metric's rows over a law."""

import math

import numpy as np
import pytest

from theorylab.runs import Expected, Row, reduced
from theorylab.runs.rounding import squared_room

CHANCES = np.array([0.5, 0.25, 0.25])


def test_means_are_taken_of_values_and_of_random_symbols():
    root = Expected(np.array([16.0, 0.0, 4.0]), math.sqrt)
    row = Row([4.0, 0.0, 8.0], {"t": 3, "g": np.array([1.0, 3.0, 5.0]), "root": root})
    (found,) = reduced([([row], CHANCES)])
    assert found.values.tolist() == [4.0]
    assert found.at == {"t": 3, "g": 2.5, "root": 3.0}


def test_chunks_add_up():
    parts = [([Row([4.0, 0.0])], CHANCES[:2]), ([Row([8.0])], CHANCES[2:])]
    assert reduced(parts)[0].values.tolist() == [4.0]
    kept = reduced(parts, keep=True)[0]
    assert kept.values.tolist() == [4.0, 0.0, 8.0]
    assert kept.weights.tolist() == CHANCES.tolist()


def test_the_norm_of_a_mean_is_no_mean_of_norms():
    sides = np.array([[[3.0, 0.0], [0.0, 0.0]], [[5.0, 0.0], [8.0, 0.0]]])
    row = Row([[3.0, 0.0], [-3.0, 8.0]], reduction="norm of the mean", sides=sides)
    (found,) = reduced([([row], np.array([0.5, 0.5]))])
    assert found.values.tolist() == [4.0]
    assert found.relative_error == 1.0  # of sides (4, 0) and (4, 0)


def test_rounding_of_squares_is_that_of_the_reduced_value():
    row = Row([4.0, 0.0, 8.0], off=1e-8, rounding=1e-3)
    (found,) = reduced([([row], CHANCES)])
    assert found.rounding == squared_room(4.0, 1e-8) + 1e-3
    (sample,) = reduced([([row], None)])
    assert sample.values.tolist() == [4.0, 0.0, 8.0]
    assert sample.rounding == squared_room(8.0, 1e-8) + 1e-3


def test_places_that_differ_from_chunk_to_chunk_are_refused():
    with pytest.raises(ValueError, match="different places"):
        reduced([([Row([1.0])], CHANCES[:1]), ([], CHANCES[1:])])
