"""The truncated Neumann series: void on y, geometric on z, and true where only rho < 1."""

from dataclasses import replace

import pytest

from theorylab.statements import Check
from theorylab.statements.pdbo._instances import AVERAGING, OPPOSED, place
from theorylab.statements.pdbo._symbols import norm_A, resolvent, terms
from theorylab.statements.pdbo.eq15 import STATEMENT
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


# A-bar = (1/2) I on the consensus: the geometric bound is attained.
TIGHT = Check("tight", {**place(OPPOSED, AVERAGING, "4a", 0.5), "lam": 0.0})
FAULTS = {
    "half": ("printed/z", lambda t: t / 2),
    "one term more": ("printed/z", lambda t: t * norm_A),
    "no 1/(1 - norm)": ("printed/z", lambda t: t * (1 - norm_A)),
    "twice the terms": ("printed/z", lambda t: t * norm_A**terms),
    "no resolvent": ("corrected", lambda t: t / resolvent),
    "half, corrected": ("corrected", lambda t: t / 2),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_smaller_bound_is_refuted(name):
    version, change = FAULTS[name]
    assert judged(version, TIGHT, change) == "VIOLATED"


def agree(count):
    for k in range(count):
        problem = {"clients": 2 + k % 3, "dim": 1 + k % 2, "hyper": 1, "seed": k}
        network = {"name": ("sto-d", "sto-u")[k % 2], "seed": k}
        step = (0.02, 0.1, 0.4)[k % 3]
        check = Check(str(k), place(problem, network, ("4a", "4b")[k // 2 % 2], step))
        assert judge_check(STATEMENT, "corrected", check).verdict == "HOLDS", check.instance
        found = judge_check(STATEMENT, "printed/z", check).verdict
        assert found in ("HOLDS", "ASSUMPTION_FAILS"), check.instance


def test_twenty_random_instances_hold():
    agree(20)


@pytest.mark.slow
def test_two_hundred_random_instances_hold():
    agree(200)
