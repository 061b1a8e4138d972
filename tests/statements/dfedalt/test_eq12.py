"""Equation (12): read again, faults planted, random instances."""

import pytest

from theorylab.statements.dfedalt import _instances as made
from theorylab.statements.dfedalt import _symbols as s
from theorylab.statements.dfedalt.eq12 import CORRECTED, PRINTED, STATEMENT
from theorylab.symbols import n


def test_terms_read_again_from_the_paper(read_again):
    by_hand = {
        "noise and diversity": 4 * 0.25 * 3 * 100,
        "apart": 4 * 0.25 * 3 * 4 * 11,
        "Delta_u": 4 * 0.25 * 3 * 9,
    }
    read_again(PRINTED, by_hand)


def test_corrected_terms_by_hand(read_again):
    by_hand = {
        "gradient": 4 * 0.25 * 9 * 9,
        "wander": 4 * 0.25 * 3 * 4 * 13,
        "noise": 2 * 0.25 * 3 * 36 / 4,
    }
    read_again(CORRECTED, by_hand)


REST = {**made.SIGNS, "x0": 0.0, "topology": made.COMPLETE, "clients": 3, "problem": made.scalars(
    3, 1.0, 1.0, sigma_u=1.0, noise="rademacher")}  # fmt: skip
REST = made.changed(REST, eta_u=1e-3)


def test_planted_faults_are_refuted(missed, scaling):
    scaled = scaling(CORRECTED)
    # Not refuted: no wander (it needs third derivatives and a slope of 0 at the average).
    faults = {
        "no gradient": (scaled(gradient=0), made.MANY_STEPS),
        "a fifth of the gradient": (scaled(gradient=0.2), made.MANY_STEPS),
        "K for K^2": (scaled(gradient=1 / s.K_u), made.MANY_STEPS),
        "no noise": (scaled(noise=0), REST),
        "a third of the noise": (scaled(noise=1 / 3), REST),
        "noise / m^2": (scaled(noise=1 / n), REST),
        "noise without K": (scaled(noise=1 / s.K_u), REST),
    }  # fmt: skip
    assert missed(STATEMENT, "corrected", faults) == set()


@pytest.mark.parametrize("count", [8, pytest.param(200, marks=pytest.mark.slow)])
def test_random_instances_are_not_violated(holds_in_rounds, count):
    assert holds_in_rounds(STATEMENT, "corrected", range(count), cap=3.0) > 0.9
