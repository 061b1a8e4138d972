"""(8): 4 <= 3 at K_v = 2; with the sum that the steps make, true and nearly attained."""

from fractions import Fraction

import pytest

from theorylab.statements import Check
from theorylab.statements.dfedpgp._causes import SUM_TWICE
from theorylab.statements.dfedpgp.eq8 import STATEMENT
from theorylab.symbols import K
from theorylab.verdicts import judge_check

TERM = STATEMENT.versions["corrected"].bound


def sides(steps, count):
    """The sum of the first ``count`` powers of 1 + 2/(K_v-1), and the power K_v - 1."""
    r = 1 + Fraction(2, steps - 1)
    return sum(r**k for k in range(count)), r ** (steps - 1)


@pytest.mark.parametrize("steps", [2, 4, 10])
def test_both_sides_are_the_powers_added_by_hand(steps):
    left, right = sides(steps, steps)
    found = judge_check(STATEMENT, "printed", Check("one", {"steps": [steps]}))
    # fractions, each rounded once; the bound in 50 digits
    assert (found.measured, found.bound) == (float(left), pytest.approx(float(right), rel=1e-15))
    assert found.verdict == "VIOLATED"
    less, right = sides(steps, steps - 1)
    found = judge_check(STATEMENT, "corrected", Check("one", {"steps": [steps]}))
    assert found.measured == float(less * Fraction(2, steps - 1)) == float(right - 1)


def test_at_two_steps_it_reads_four_at_most_three():
    assert sides(2, 2) == (4, 3)


@pytest.mark.parametrize("steps", [2, 3, 10, 100])
def test_the_chain_of_8_holds_as_it_is_repaired(steps):
    # sums to K_v - 2, the base 1 + 2/(K_v - 1), and A/2 (K_v - 1) before the last power alone
    first, last = sides(steps, steps - 1)
    assert first <= Fraction(steps - 1, 2) * last
    assert "k = K_v - 2, with the base 1 + 2/(K_v - 1)" in SUM_TWICE.repair


def test_planted_errors_are_refuted(missed):
    variants = {
        "0.9": {"a": TERM * 0.9 - 0.9},
        "a power less": {"a": TERM / (1 + 2 / (K - 1))},
        "e^2 at most": {"a": TERM * 0 + 5},
    }
    assert missed(STATEMENT, "corrected", variants) == set()
