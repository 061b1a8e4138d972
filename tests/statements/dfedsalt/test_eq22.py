"""Where (22) should stand: read again, faults planted, random instances."""

import pytest

from theorylab.statements.dfedalt import _symbols as s
from theorylab.statements.dfedsalt import _instances as made
from theorylab.statements.dfedsalt.eq22 import CORRECTED, STATEMENT


def test_corrected_terms_by_hand(read_again):
    by_hand = {
        "gain": -0.5 * 3 / 2 * 9,
        "T_1,u": 0.5 * 4 * 13,
        "sharpness": 0.5 * 3 * 9 * 2.25,
        "T_2,u": 14,
    }
    read_again(CORRECTED, by_hand)


ONE = made.changed(made.MANY_STEPS, eta_u=0.05, steps_u=1, rho=0.0)


def test_planted_faults_are_refuted(missed, scaling):
    scaled = scaling(CORRECTED)
    # Not refuted: a factor 1/2 of sharpness or T_1,u.
    faults = {
        "three times the gain": (scaled(gain=3), ONE),
        "no T_2,u": (scaled(T_2_u=0), made.changed(ONE, eta_u=1.5)),
        "half of T_2,u": (scaled(T_2_u=0.5), made.changed(ONE, eta_u=3.0)),
        "no sharpness": (scaled(sharpness=0), made.OUTVOTED),
        "a thirtieth of the sharpness": (scaled(sharpness=1 / 30), made.OUTVOTED),
        "sharpness with eta^2": (scaled(sharpness=s.eta_u * s.L_u), made.OUTVOTED),
    }  # fmt: skip
    assert missed(STATEMENT, "corrected", faults) == set()


@pytest.mark.parametrize("count", [8, pytest.param(200, marks=pytest.mark.slow)])
def test_random_instances_are_not_violated(holds_in_rounds, count):
    assert holds_in_rounds(STATEMENT, "corrected", range(count), cap=3.0, sam=True) > 0.9
