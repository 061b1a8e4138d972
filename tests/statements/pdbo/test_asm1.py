"""Assumption 1's modulus is the smallest eigenvalue of any sample."""

from dataclasses import replace

import pytest

from theorylab.statements.pdbo.asm1 import STATEMENT
from theorylab.symbols import L, eta, mu
from theorylab.verdicts import judge_check

CASES = [(name, check) for name, v in STATEMENT.versions.items() for check in v.checks]


@pytest.mark.parametrize(("version", "check"), CASES, ids=[f"{v} {c.name}" for v, c in CASES])
def test_every_check_gets_its_verdict(version, check):
    assert judge_check(STATEMENT, version, check, seeds=16).verdict == check.expect


def judged(version, check, change):
    """The verdict with the bound changed by ``change``."""
    terms = {name: change(term) for name, term in STATEMENT.versions[version].terms.items()}
    changed = replace(STATEMENT.versions[version], terms=terms)
    planted = replace(STATEMENT, versions={**STATEMENT.versions, version: changed})
    return judge_check(planted, version, check, seeds=8).verdict


FAULTS = {
    "half": lambda t: t / 2,
    "mu for 1/mu": lambda t: t * mu**2 * 1.0,
    "L for mu": lambda t: t * mu / L,
    "a thousandth less": lambda t: t * 0.999,
    "times mu eta": lambda t: t * mu * eta,
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_smaller_bound_is_refuted(name):
    # units change with the second and the last, so the statement itself has to refuse them
    check = STATEMENT.versions["printed"].checks[0]
    if name in ("mu for 1/mu",):
        with pytest.raises(ValueError, match="does not have the units"):
            judged("printed", check, FAULTS[name])
    else:
        assert judged("printed", check, FAULTS[name]) == "VIOLATED"
