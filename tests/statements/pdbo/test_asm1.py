"""Assumption 1's modulus is the smallest eigenvalue of any sample."""

import pytest

from theorylab.statements.pdbo.asm1 import STATEMENT
from theorylab.symbols import L, eta, mu

FAULTS = {
    "half": lambda t: t / 2,
    "L for mu": lambda t: t * mu / L,
    "a thousandth less": lambda t: t * 0.999,
    "times mu eta": lambda t: t * mu * eta,
}


def test_smaller_bounds_are_refuted(missed):
    at = STATEMENT.versions["printed"].checks[0].instance
    assert missed(STATEMENT, "printed", FAULTS, at=at) == set()


def test_a_bound_in_other_units_is_refused(missed):
    with pytest.raises(ValueError, match="does not have the units"):
        missed(STATEMENT, "printed", {"mu for 1/mu": lambda t: t * mu**2})
