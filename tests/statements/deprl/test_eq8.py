"""Equation (8): the printed sum is along a common shift; the gradient by all heads is another."""

import pytest

from theorylab.statements import Check
from theorylab.statements.deprl import _instances as made
from theorylab.statements.deprl.eq8 import STATEMENT
from theorylab.verdicts import judge_check


def test_two_heads_that_pull_opposite_ways_cancel_in_the_printed_sum():
    # F_i = (theta_i - b_i)^2/2, b = +-1: at theta = 0 the sum is 0, each gradient has length 1
    problem = made.scalars(2, 1.0, 1.0, b=[1.0, -1.0])
    instance = {**made.PROBED, "problem": problem, "clients": 2, "reach": 1e-9}
    of_all, of_shift = (
        judge_check(STATEMENT, version, Check("opposite", instance)).measured
        for version in ("corrected", "printed")
    )
    # (1/N^2) (1 + 1) = 1/2 and 0; central differences of a quadratic are off by eps / step
    assert of_all == pytest.approx(0.5, rel=1e-8)
    assert of_shift == pytest.approx(0.0, abs=1e-12)


FAULTS = {
    "1/N for 1/N^2": lambda t: t * 0.5,
    "no square": lambda t: t * 0.9,
    "a head forgotten": lambda t: t * 0.75,
    "a part in a hundred thousand": lambda t: t * (1 - 1e-5),  # an equality is told from it
}


def test_less_than_the_blocks_is_refuted(missed):
    assert missed(STATEMENT, "corrected", FAULTS, at=made.PROBED_UNCOUPLED) == set()


def test_a_common_shift_is_the_printed_sum_and_not_less(missed, scaling):
    scaled = scaling(STATEMENT.versions["printed"].terms)
    faults = {"half": scaled(sum=0.5), "nearly": scaled(sum=0.99)}
    assert missed(STATEMENT, "printed", faults, at=made.PROBED_UNCOUPLED) == set()


@pytest.mark.parametrize(
    "made_of", [made.PROBED, made.PROBED_UNCOUPLED], ids=["sines", "quadratic"]
)
@pytest.mark.parametrize("version", ["printed", "corrected"])
def test_losses_far_away_leave_it_open(version, made_of, left_open):
    # what losses of 1e16 may lose, over a step of 1e-4, is no millionth of gradients of 1e8
    left_open(STATEMENT, {**made_of, "reach": 1e8}, [version])


def test_with_aligned_heads_the_printed_sum_is_the_larger():
    # F_i = (theta_i - 1)^2/2 at theta = 0: the sum is 1, the gradient (1/2, 1/2) is 1/2 squared
    problem = made.scalars(2, 1.0, 1.0, b=[1.0, 1.0])
    instance = {**made.PROBED, "problem": problem, "clients": 2, "reach": 1e-9}
    of_all, of_shift = (
        judge_check(STATEMENT, version, Check("aligned", instance)).measured
        for version in ("corrected", "printed")
    )
    assert of_shift == pytest.approx(2 * of_all, rel=1e-7)
