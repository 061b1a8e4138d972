"""Equations (23), (25): read again, faults planted, random instances."""

import pytest

from theorylab.statements.dfedalt import _symbols as s
from theorylab.statements.dfedsalt import _instances as made
from theorylab.statements.dfedsalt.eq23 import CORRECTED, PRINTED, PRINTED_25, STATEMENT


def test_terms_read_again_from_the_paper(read_again):
    by_hand = {
        "sharpness": 6 * 0.25 * 3 / 0.25 * 4 * 2.25,
        "noise and diversity": 18 * 0.25 * 9 / 0.25 * 100,
        "T_3,u": 18 * 0.25 * 9 / 0.25 * 12,
    }
    read_again(PRINTED, by_hand)


def test_corrected_terms_by_hand(read_again):
    by_hand = {
        "apart": 66,
        "drift": 8 / 3 * 64 * 0.25 * 27 * (64 + 12 + 9 * 2.25),
        "noise": 4 * 64 * 0.25 * 9 * 36,
    }
    read_again(CORRECTED, by_hand)


def test_equation_25_has_the_gradient_at_the_average(read_again):
    read_again(PRINTED_25, {"Delta_u": 18 * 0.25 * 9 / 0.25 * 2 * 9})


APART = made.changed(made.APART, eta_u=1e-4)


def test_planted_faults_are_refuted(missed, scaling):
    scaled = scaling(CORRECTED)
    faults = {
        "no apart": (scaled(apart=0), APART),
        "a quarter of apart": (scaled(apart=0.25), APART),
        "no drift": (scaled(drift=0), made.MANY_STEPS),
        "a tenth of the drift": (scaled(drift=0.1), made.MANY_STEPS),
        "K^2 for K^3": (scaled(drift=1 / s.K_u), made.MANY_STEPS),
        "K^2 rho^2": (scaled(drift=1 / s.K_u), made.NEAR),
    }  # fmt: skip
    assert missed(STATEMENT, "corrected", faults) == set()


@pytest.mark.parametrize("count", [8, pytest.param(200, marks=pytest.mark.slow)])
def test_random_instances_are_not_violated(holds_in_rounds, count):
    assert holds_in_rounds(STATEMENT, "corrected", range(count), cap=3.0, sam=True) > 0.9
