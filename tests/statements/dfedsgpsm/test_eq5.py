"""An identity with line 9's gradient, up to rounding."""

import pytest

from theorylab.statements.dfedsgpsm.eq5 import STATEMENT


def test_the_verdicts(judged):
    # rounding is seen, and it is below what is allowed
    assert 0 < judged(STATEMENT)["printed", "six-clients"].ratio < 1


def test_less_than_rounding_is_refuted(missed):
    term = STATEMENT.versions["printed"].terms["rounding"]
    variants = {"a hundredth": {"rounding": term / 100}, "nothing": {"rounding": 0 * term}}
    assert missed(STATEMENT, "printed", variants) == set()


def test_drawn_true_instances_are_never_violated(never_violated):
    assert never_violated(STATEMENT, "printed", 20, noise=True) >= 18


@pytest.mark.slow
def test_two_hundred_drawn_true_instances_are_never_violated(never_violated):
    assert never_violated(STATEMENT, "printed", 200, noise=True) >= 18 * 9
