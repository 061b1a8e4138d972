"""Equation (16): read again, faults planted, random instances."""

import pytest

from theorylab.statements.dfedalt import _instances as made
from theorylab.statements.dfedalt import _symbols as s
from theorylab.statements.dfedalt.eq16 import PRINTED, STATEMENT


def test_terms_read_again_from_the_paper(read_again):
    by_hand = {
        "gradient": 16 / 16 * 4 * 10,
        "noise": 8 / 16 * 4 * 49,
    }
    read_again(PRINTED, by_hand)


REST = {**made.SIGNS, "x0": 0.0, "problem": made.scalars(
    2, 1.0, 1.0, sigma_v=1.0, noise="rademacher")}  # fmt: skip
REST = made.changed(REST, eta_v=1e-3)
PULL = made.changed(made.STEEP_HEADS, eta_v=1e-4)


def test_planted_faults_are_refuted(missed, scaling):
    scaled = scaling(PRINTED)
    # The slack is 16 before the gradient and 8 K_v before the noise.
    faults = {
        "no gradient": (scaled(gradient=0), PULL),
        "a twentieth of the gradient": (scaled(gradient=0.05), PULL),
        "eta^3 before the gradient": (scaled(gradient=s.eta_v * s.L_v), PULL),
        "no noise": (scaled(noise=0), REST),
        "a thirtieth of the noise": (scaled(noise=1 / 30), REST),
        "eta^3 before the noise": (scaled(noise=s.eta_v * s.L_v), REST),
    }  # fmt: skip
    assert missed(STATEMENT, "printed", faults) == set()


@pytest.mark.parametrize("count", [8, pytest.param(200, marks=pytest.mark.slow)])
def test_random_instances_are_not_violated(holds_in_rounds, count):
    assert holds_in_rounds(STATEMENT, "printed", range(count), cap=0.5) > 0.9
