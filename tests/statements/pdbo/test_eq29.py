"""Eq. (29): zero means if edges and minibatches are independent within a round, else not."""

from dataclasses import replace

import pytest

from theorylab.statements import Check
from theorylab.statements.pdbo.eq29 import STATEMENT
from theorylab.verdicts import judge_check

# The same claim of edges that depend on the minibatch of their round: no claim of the paper's.
ANY = replace(STATEMENT, versions={"printed": replace(STATEMENT.versions["printed"], assumes=())})
CASES = [(name, check) for name, v in STATEMENT.versions.items() for check in v.checks]


@pytest.mark.parametrize(("version", "check"), CASES, ids=[f"{v} {c.name}" for v, c in CASES])
def test_every_check_gets_its_verdict(version, check):
    assert judge_check(STATEMENT, version, check, seeds=16).verdict == check.expect


@pytest.mark.parametrize("coupling", [-0.5, 0.01, 0.5])
def test_any_dependence_is_refuted(coupling):
    network = {"name": "sto-d", "seed": 1, "high": 0.6}
    check = Check("coupled", {"network": network, "terms": [2], "coupling": coupling})
    assert judge_check(ANY, "printed", check).verdict == "VIOLATED"
    assert judge_check(STATEMENT, "printed", check).verdict == "ASSUMPTION_FAILS"


def test_an_edge_that_is_always_there_has_nothing_to_depend_on():
    check = Check("static", {"network": {"name": "complete"}, "terms": [2], "coupling": 0.5})
    assert judge_check(ANY, "printed", check).verdict == "HOLDS"


def agree(count):
    for k in range(count):
        instance = {
            "network": {"name": ("sto-d", "sto-u")[k % 2], "low": 0.1, "high": 0.9, "seed": k},
            "clients": 2 + k % 2, "dim": 1 + k % 3, "terms": [1 + k % 3], "seed": k,
        }  # fmt: skip
        for version in ("printed", "printed/y"):
            found = judge_check(STATEMENT, version, Check(str(k), instance), seeds=2, seed=k)
            assert found.verdict == "HOLDS", (version, instance)


def test_twenty_random_instances_hold():
    agree(20)


@pytest.mark.slow
def test_two_hundred_random_instances_hold():
    agree(200)
