"""Equation (15): read again, faults planted, random instances."""

import pytest

from theorylab.statements.dfedalt import _instances as made
from theorylab.statements.dfedalt import _symbols as s
from theorylab.statements.dfedalt.eq15 import CORRECTED, PRINTED, STATEMENT


def test_terms_read_again_from_the_paper(read_again):
    by_hand = {
        "gain": -0.5 * 10,
        "T_3,v": 25 / 2 * 11,
        "T_2,v": 15 / 2,
    }
    read_again(PRINTED, by_hand)


def test_corrected_terms_by_hand(read_again):
    by_hand = {
        "gain": -0.25 * 10,
        "apart": 0.25 * 25 * 11,
        "drift": 16 / 64 * 4 * 16 * 2 * 10 / 3,
        "noise": 16 / 64 * 4 * 16 * 49 / 2,
    }
    read_again(CORRECTED, by_hand)


STEEP = made.STEEP_HEADS
TURNED = made.changed(STEEP, eta_v=0.15, steps_v=4)  # every step turns the gradient around


def test_planted_faults_are_refuted(missed, scaling):
    scaled = scaling(CORRECTED)
    # Not refuted: the noise, which has no slope of its own to be pushed along.
    faults = {
        "three times the gain": (scaled(gain=3), STEEP),
        "twice the gain": (scaled(gain=2), made.changed(STEEP, eta_v=0.001)),
        "K^2 in the gain": (scaled(gain=s.K_v), STEEP),
        "no drift": (scaled(drift=0, noise=0), TURNED),
        "1e-5 of the drift": (scaled(drift=1e-5), TURNED),
        "no apart": (scaled(apart=0), made.OPPOSED),
        "a tenth of apart": (scaled(apart=0.1), made.OPPOSED),
    }  # fmt: skip
    assert missed(STATEMENT, "corrected", faults) == set()


@pytest.mark.parametrize("count", [8, pytest.param(200, marks=pytest.mark.slow)])
def test_random_instances_are_not_violated(holds_in_rounds, count):
    assert holds_in_rounds(STATEMENT, "corrected", range(count), cap=3.0) > 0.9
