"""Equations (9), (11): read again, faults planted, random instances."""

import pytest

from theorylab.statements.dfedalt import _instances as made
from theorylab.statements.dfedalt import _symbols as s
from theorylab.statements.dfedalt.eq9 import CORRECTED, PRINTED, PRINTED_11, STATEMENT


def test_terms_read_again_from_the_paper(read_again):
    by_hand = {
        "noise and diversity": 18 * 0.25 * 9 / 0.25 * 100,
        "T_3,u": 18 * 0.25 * 9 / 0.25 * 12,
    }
    read_again(PRINTED, by_hand)


def test_corrected_terms_by_hand(read_again):
    by_hand = {
        "apart": 2 * 3 * 11,
        "drift": 2 * 64 * 0.25 * 27 * (64 + 12),
        "noise": 3 * 64 * 0.25 * 9 * 36,
    }
    read_again(CORRECTED, by_hand)


def test_equation_11_has_the_gradient_at_the_average(read_again):
    read_again(PRINTED_11, {"Delta_u": 18 * 0.25 * 9 / 0.25 * 2 * 9})


APART = made.changed(made.APART, eta_u=1e-4)
REST = {**made.SIGNS, "x0": 0.0, "problem": made.scalars(
    2, 1.0, 1.0, sigma_u=1.0, noise="rademacher")}  # fmt: skip
REST = made.changed(REST, eta_u=1e-3)


def test_planted_faults_are_refuted(missed, scaling):
    scaled = scaling(CORRECTED)
    # A factor 1/2 of drift and noise is within the slack of the three squares.
    faults = {
        "no apart": (scaled(apart=0), APART),
        "a quarter of apart": (scaled(apart=0.25), APART),
        "apart without K": (scaled(apart=1 / s.K_u), APART),
        "no drift": (scaled(drift=0), made.MANY_STEPS),
        "a tenth of the drift": (scaled(drift=0.1), made.MANY_STEPS),
        "K^2 for K^3": (scaled(drift=1 / s.K_u), made.MANY_STEPS),
        "no noise": (scaled(noise=0), REST),
        "a tenth of the noise": (scaled(noise=0.1), REST),
    }  # fmt: skip
    assert missed(STATEMENT, "corrected", faults) == set()


@pytest.mark.parametrize("count", [8, pytest.param(200, marks=pytest.mark.slow)])
def test_random_instances_are_not_violated(holds_in_rounds, count):
    assert holds_in_rounds(STATEMENT, "corrected", range(count), cap=3.0) > 0.9
