"""Equation (27): read again, faults planted, random instances."""

import pytest

from theorylab.statements import evaluate
from theorylab.statements.dfedalt import _symbols as s
from theorylab.statements.dfedsalt import _instances as made
from theorylab.statements.dfedsalt.eq27 import CORRECTED, PRINTED, STATEMENT


def test_terms_read_again_from_the_paper(one_round):
    bracket = 4 * 2.25 + 9 * 100
    gain = -0.5 * 3 / 2 + 5 / 2 * 0.25 * 3 * 2 + 18 * 0.125 * 9 * 4 * (1 + 5 * 0.5 * 3 * 2) / 0.25
    by_hand = {
        "u gain": gain * 9,
        "u noise": 5 / 2 * 0.25 * 3 * 2 * (4 * 2.25 + 100),
        "consensus": 3 * 0.125 * 3 * 4 / 0.25 * bracket,
        "consensus 2": 15 * 0.0625 * 9 * 8 / 0.25 * bracket,
    }
    assert {k: float(evaluate(v, one_round)) for k, v in PRINTED.items()} == by_hand


FAR = made.changed(made.MANY_STEPS, eta_u=0.05, steps_u=1, rho=0.0)


def test_planted_faults_are_refuted(missed, scaling):
    scaled = scaling(CORRECTED)
    # Not refuted: drift and noise, which SAM's part covers.
    faults = {
        "three times the gain": (scaled(u_gain=3), FAR),
        "K^2 in the gain": (scaled(u_gain=s.K_u), made.changed(FAR, steps_u=5, eta_u=0.01)),
        "no sharpness": (scaled(sharpness=0), made.OUTVOTED),
        "a fortieth of the sharpness": (scaled(sharpness=1 / 40), made.OUTVOTED),
        "sharpness eta^2": (scaled(sharpness=s.eta_u * s.L_u), made.OUTVOTED),
    }  # fmt: skip
    assert missed(STATEMENT, "corrected", faults) == set()


@pytest.mark.parametrize("count", [8, pytest.param(200, marks=pytest.mark.slow)])
def test_random_instances_are_not_violated(holds_in_rounds, count):
    assert holds_in_rounds(STATEMENT, "corrected", range(count), cap=0.125, sam=True) > 0.9
