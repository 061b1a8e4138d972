"""Assumption 1's modulus is the smallest eigenvalue of any sample."""

from dataclasses import replace

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


def test_a_bound_in_other_units_is_told():
    printed = STATEMENT.versions["printed"]
    changed = {name: term * mu**2 for name, term in printed.terms.items()}
    told = STATEMENT.mixed_units(replace(printed, terms=changed))
    assert "has the units" in told[0]
    assert not any("has the units" in clause for clause in STATEMENT.mixed_units(printed))
