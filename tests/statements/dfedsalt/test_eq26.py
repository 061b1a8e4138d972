"""Equation (26): read again, faults planted, random instances."""

import pytest

from theorylab.statements.dfedalt import _symbols as s
from theorylab.statements.dfedsalt import _instances as made
from theorylab.statements.dfedsalt.eq26 import CORRECTED, PRINTED, STATEMENT


def test_terms_read_again_from_the_paper(read_again):
    by_hand = {
        "sharpness": 5 * 0.25 * 3 * 4 * 2.25,
        "noise and diversity": 5 * 0.25 * 3 * 100,
        "apart": 5 * 0.25 * 3 * 4 * 11,
        "Delta_u": 5 * 0.25 * 3 * 9,
    }
    read_again(PRINTED, by_hand)


def test_corrected_terms_by_hand(read_again):
    by_hand = {
        "gradient": 6 * 0.25 * 9 * 9,
        "wander": 6 * 0.25 * 3 * 4 * 13,
        "sharpness": 6 * 0.25 * 9 * 9 * 2.25,
        "noise": 2 * 0.25 * 3 * 36 / 4,
    }
    read_again(CORRECTED, by_hand)


def test_planted_faults_are_refuted(missed, scaling):
    scaled = scaling(CORRECTED)
    # Not refuted: no wander, no noise (SAM's own change is as large).
    faults = {
        "no gradient": (scaled(gradient=0), made.MANY_STEPS),
        "an eighth of the gradient": (scaled(gradient=0.125), made.MANY_STEPS),
        "K for K^2": (scaled(gradient=1 / s.K_u), made.MANY_STEPS),
        "no sharpness": (scaled(sharpness=0), made.NEAR),
        "a tenth of the sharpness": (scaled(sharpness=0.1), made.NEAR),
        "K rho^2": (scaled(sharpness=1 / s.K_u), made.NEAR),
    }  # fmt: skip
    assert missed(STATEMENT, "corrected", faults) == set()


@pytest.mark.parametrize("count", [8, pytest.param(200, marks=pytest.mark.slow)])
def test_random_instances_are_not_violated(holds_in_rounds, count):
    assert holds_in_rounds(STATEMENT, "corrected", range(count), cap=3.0, sam=True) > 0.9
