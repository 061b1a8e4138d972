"""Appendix C: whole rounds stay within eta_A and eta_B, and A-hat gets there."""

import pytest

from theorylab.statements import Check
from theorylab.statements.pdbo._symbols import eta_A, kappa
from theorylab.statements.pdbo.appc import STATEMENT
from theorylab.statements.pdbo.lem7 import CHECKS
from theorylab.symbols import n
from theorylab.verdicts import judge_check

ALONE = {**CHECKS[3].instance, "eta_A": 0.9}
FAULTS = {
    "half": lambda t: t / 2,
    "a thousandth less": lambda t: t * 0.999,
    "eta_A squared": lambda t: t * eta_A,
    "over 2 kappa n": lambda t: t / (2 * kappa * n),
    "without psi": lambda t: t * kappa / (n + kappa),
}


@pytest.mark.parametrize("version", ["printed/ahat", "printed/bhat"])
def test_smaller_bounds_are_refuted(version, missed):
    # a sample of 16 runs of 11 rounds meets a minibatch of the common sign
    assert missed(STATEMENT, version, FAULTS, at=ALONE, seeds=16) == set()


@pytest.mark.parametrize("count", [20, pytest.param(200, marks=pytest.mark.slow)])
def test_random_instances_hold(count):
    for k in range(count):
        instance = {
            "network": {"name": ("sto-d", "sto-u")[k % 2], "low": 0.05, "high": 0.95, "seed": k},
            "clients": 1 + k % 4, "dim": 1 + k % 3, "terms": [2], "seed": k,
            "family": ("random", "aligned")[k // 2 % 2], "eta_A": 0.05 + 0.9 * (k % 7) / 7,
        }  # fmt: skip
        for version in STATEMENT.versions:
            found = judge_check(STATEMENT, version, Check(str(k), instance), seeds=8, seed=k)
            assert found.verdict == "HOLDS", (version, instance)
