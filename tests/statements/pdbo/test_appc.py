"""Appendix C: whole rounds stay within eta_A and eta_B, and A-hat gets there."""

from dataclasses import replace

import pytest

from theorylab.statements import Check
from theorylab.statements.pdbo._symbols import eta_A, kappa
from theorylab.statements.pdbo.appc import STATEMENT
from theorylab.statements.pdbo.lem7 import CHECKS
from theorylab.symbols import n
from theorylab.verdicts import judge_check

CASES = [(name, check) for name, v in STATEMENT.versions.items() for check in v.checks]


@pytest.mark.parametrize(("version", "check"), CASES, ids=[f"{v} {c.name}" for v, c in CASES])
def test_every_check_gets_its_verdict(version, check):
    assert judge_check(STATEMENT, version, check, seeds=16).verdict == check.expect


def judged(version, check, change, seeds=16):
    """The verdict with the bound changed by ``change``."""
    terms = {name: change(term) for name, term in STATEMENT.versions[version].terms.items()}
    changed = replace(STATEMENT.versions[version], terms=terms)
    planted = replace(STATEMENT, versions={**STATEMENT.versions, version: changed})
    return judge_check(planted, version, check, seeds=seeds).verdict


ALONE = Check("alone", {**CHECKS[3].instance, "eta_A": 0.9})
FAULTS = {
    "half": lambda t: t / 2,
    "a thousandth less": lambda t: t * 0.999,
    "eta_A squared": lambda t: t * eta_A,
    "over 2 kappa n": lambda t: t / (2 * kappa * n),
    "without psi": lambda t: t * kappa / (n + kappa),
}


@pytest.mark.parametrize("version", ["printed/ahat", "printed/bhat"])
@pytest.mark.parametrize("name", FAULTS)
def test_a_smaller_bound_is_refuted(version, name):
    # a sample of 16 runs of 11 rounds meets a minibatch of the common sign
    assert judged(version, ALONE, FAULTS[name]) == "VIOLATED"


def agree(count):
    for k in range(count):
        instance = {
            "network": {"name": ("sto-d", "sto-u")[k % 2], "low": 0.05, "high": 0.95, "seed": k},
            "clients": 1 + k % 4, "dim": 1 + k % 3, "terms": [2], "seed": k,
            "family": ("random", "aligned")[k // 2 % 2], "eta_A": 0.05 + 0.9 * (k % 7) / 7,
        }  # fmt: skip
        for version in STATEMENT.versions:
            found = judge_check(STATEMENT, version, Check(str(k), instance), seeds=8, seed=k)
            assert found.verdict == "HOLDS", (version, instance)


def test_twenty_random_instances_hold():
    agree(20)


@pytest.mark.slow
def test_two_hundred_random_instances_hold():
    agree(200)
