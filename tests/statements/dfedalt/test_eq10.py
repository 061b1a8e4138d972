"""Equation (10): read again, faults planted, random instances."""

import pytest

from theorylab.statements.dfedalt import _instances as made
from theorylab.statements.dfedalt import _symbols as s
from theorylab.statements.dfedalt.eq10 import PRINTED, STATEMENT


def test_terms_read_again_from_the_paper(read_again):
    by_hand = {
        "apart": 2 * 4 * 11,
        "Delta_u": 18,
    }
    read_again(PRINTED, by_hand)


def test_planted_faults_are_refuted(missed, scaling):
    scaled = scaling(PRINTED)
    faults = {
        "no Delta_u": (scaled(Delta_u=0), made.MANY_STEPS),
        "a quarter of Delta_u": (scaled(Delta_u=0.25), made.MANY_STEPS),
        "no apart": (scaled(apart=0), made.OPPOSED),
        "a twentieth of apart": (scaled(apart=0.05), made.OPPOSED),
        "apart with lambda^5": (scaled(apart=s.lam**5), made.OPPOSED),
    }  # fmt: skip
    assert missed(STATEMENT, "printed", faults) == set()


@pytest.mark.parametrize("count", [8, pytest.param(200, marks=pytest.mark.slow)])
def test_random_instances_are_not_violated(holds_in_rounds, count):
    assert holds_in_rounds(STATEMENT, "printed", range(count), cap=3.0) > 0.9
