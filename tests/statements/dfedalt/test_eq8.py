"""Equation (8): read again, faults planted, random instances."""

import pytest

from theorylab.statements.dfedalt import _instances as made
from theorylab.statements.dfedalt import _symbols as s
from theorylab.statements.dfedalt.eq8 import PRINTED, STATEMENT


def test_terms_read_again_from_the_paper(read_again):
    by_hand = {
        "gain": -0.5 * 3 / 2 * 9,
        "T_1,u": 0.5 * 4 / 2 * 13,
        "T_2,u": 14,
    }
    read_again(PRINTED, by_hand)


ONE = {**made.FAR, "x0": [1.0, 0.0]}


def test_planted_faults_are_refuted(missed, scaling):
    scaled = scaling(PRINTED)
    faults = {
        "three times the gain": (scaled(gain=3), ONE),
        "no T_2,u": (scaled(T_2_u=0), made.changed(ONE, eta_u=1.5)),
        "half of T_2,u": (scaled(T_2_u=0.5), made.changed(ONE, eta_u=3.0)),
        "no T_1,u": (scaled(T_1_u=0), made.TILTED),
        "a tenth of T_1,u": (scaled(T_1_u=0.1), made.TILTED),
        "T_1,u / K": (scaled(T_1_u=1 / s.K_u), made.TILTED),
        "K^2 in the gain": (scaled(gain=s.K_u), made.changed(ONE, steps_u=5, eta_u=0.01)),
    }  # fmt: skip
    assert missed(STATEMENT, "printed", faults) == set()


@pytest.mark.parametrize("count", [8, pytest.param(200, marks=pytest.mark.slow)])
def test_random_instances_are_not_violated(holds_in_rounds, count):
    assert holds_in_rounds(STATEMENT, "printed", range(count), cap=3.0) > 0.9
