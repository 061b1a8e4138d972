"""Equation (32): read again, faults planted, random instances."""

import pytest

from theorylab.statements.dfedalt import _symbols as s
from theorylab.statements.dfedalt._descent import V_STEP as V_CORRECTED
from theorylab.statements.dfedsalt import _instances as made
from theorylab.statements.dfedsalt.eq32 import PRINTED, STATEMENT


def test_terms_read_again_from_the_paper(read_again):
    by_hand = {
        "v gain": (-0.25 * 2 + 8 / 16 * 4 * 5) * 10,
        "v noise": 4 / 16 * 4 * 49 * 5,
        "v apart": 25 / 0.25 * (3 * 0.25 * 3 * 4 * 2.25 + 9 * 0.25 * 9 * (100 + 18)),
    }
    read_again(PRINTED, by_hand)


FAR = made.changed(made.STEEP_HEADS, steps_v=1)


def test_planted_faults_are_refuted(missed, scaling):
    scaled = scaling(V_CORRECTED)
    faults = {
        "12 times the gain": (scaled(v_gain=12), FAR),
        "K^3 in the gain": (scaled(v_gain=s.K_v**2), made.changed(FAR, steps_v=4, eta_v=1e-3)),
        "no apart": (scaled(v_apart=0), made.OPPOSED),
        "a tenth of apart": (scaled(v_apart=0.1), made.OPPOSED),
        "apart eta^2": (scaled(v_apart=s.eta_v * s.L_v), made.OPPOSED),
    }  # fmt: skip
    assert missed(STATEMENT, "corrected", faults) == set()


@pytest.mark.parametrize("count", [8, pytest.param(200, marks=pytest.mark.slow)])
def test_random_instances_are_not_violated(holds_in_rounds, count):
    assert holds_in_rounds(STATEMENT, "corrected", range(count), cap=0.24, sam=True) > 0.9
