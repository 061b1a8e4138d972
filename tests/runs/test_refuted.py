"""What blocks of draws refute is false, with a chance of error that every law keeps."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest

from theorylab.runs.refuted import blocks_needed, louder, off_center


def of_hits(share, draws, true):
    """The chance that the number of events among ``draws``, each of chance ``share``, is one for
    which ``true`` holds: exact."""
    return sum(
        comb(draws, k) * share**k * (1 - share) ** (draws - k) for k in range(draws + 1) if true(k)
    )


@pytest.mark.parametrize("draws", [1, 4, 16])
@pytest.mark.parametrize(
    "share", [Fraction(1, 2), Fraction(1, 4), Fraction(1, 64), Fraction(1, 2000)]
)
def test_every_block_errs_with_chance_a_quarter_at_most(draws, share):
    # up in a share p, else down: E xi = 0, E xi^2 = 1
    up, down = float((1 - share) / share) ** 0.5, -(float(share / (1 - share)) ** 0.5)
    mean = lambda k: np.array([[(k * up + (draws - k) * down) / draws]])  # noqa: E731
    square = lambda k: np.array([(k * up**2 + (draws - k) * down**2) / draws])  # noqa: E731
    assert of_hits(share, draws, lambda k: off_center(mean(k), 1.0, draws)) <= Fraction(1, 4)
    assert of_hits(share, draws, lambda k: louder(square(k), 1.0)) <= Fraction(1, 4)


@pytest.mark.parametrize("questions", [1, 2, 3, 16, 1000])
def test_the_blocks_are_enough_and_no_more_than_that(questions):
    blocks = blocks_needed(questions)
    billionth = Fraction(1, 10**9)
    assert questions * Fraction(1, 4) ** blocks <= billionth
    assert questions * Fraction(1, 4) ** (blocks - 1) > billionth


def test_one_block_that_is_near_refutes_nothing():
    far = np.full((15, 2), 3.0)
    assert off_center(far, 1.0, 1)
    far[7] = 0.0
    assert not off_center(far, 1.0, 1)
    loud = np.full(15, 4.1)
    assert louder(loud, 1.0)
    loud[3] = 4.0
    assert not louder(loud, 1.0)
    assert not louder(np.full(15, 4.1), 1.0, room=0.1)
