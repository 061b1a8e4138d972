"""An identity, up to rounding."""

import pytest

from theorylab.statements.dfedsgpsm.eq3 import STATEMENT


def test_the_verdict(judged):
    assert judged(STATEMENT)["printed", "six-clients"].measured < 1e-15


def test_less_than_rounding_is_refuted(missed):
    term = STATEMENT.versions["printed"].terms["rounding"]
    variants = {"a hundredth": {"rounding": term / 100}, "nothing": {"rounding": 0 * term}}
    assert missed(STATEMENT, "printed", variants) == set()


def test_drawn_true_instances_are_never_violated(never_violated):
    assert never_violated(STATEMENT, "printed", 20, noise=False) >= 18


@pytest.mark.slow
def test_two_hundred_drawn_true_instances_are_never_violated(never_violated):
    assert never_violated(STATEMENT, "printed", 200, noise=False) >= 18 * 9
