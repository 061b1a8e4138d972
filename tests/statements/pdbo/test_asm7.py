"""Assumption 7: StoD satisfies it, no StoU does."""

import pytest

from theorylab.statements import Check
from theorylab.statements.pdbo.asm7 import STATEMENT
from theorylab.verdicts import judge_check

CASES = [(name, check) for name, v in STATEMENT.versions.items() for check in v.checks]


@pytest.mark.parametrize(("version", "check"), CASES, ids=[f"{v} {c.name}" for v, c in CASES])
def test_every_check_gets_its_verdict(version, check):
    assert judge_check(STATEMENT, version, check, seeds=16).verdict == check.expect


@pytest.mark.parametrize("q", [0.1, 0.5, 0.99])
def test_the_covariance_of_a_pair_is_q_times_one_minus_q(q):
    network = {"name": "sto-u", "low": q, "high": q}
    check = Check("pair", {"network": network, "clients": 3})
    found = judge_check(STATEMENT, "printed/sto-u", check)
    assert found.verdict == "UNSATISFIABLE"
    assert found.constants["edge_covariance"]["value"] == pytest.approx(q * (1 - q), rel=1e-12)


def test_edges_that_are_always_there_are_no_witness():
    network = {"name": "sto-u", "low": 1.0, "high": 1.0}
    check = Check("certain", {"network": network, "clients": 3})
    assert judge_check(STATEMENT, "printed", check).verdict == "HOLDS"
