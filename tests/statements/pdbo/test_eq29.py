"""Eq. (29): zero means if edges and minibatches are independent within a round, else not."""

import pytest

from theorylab.statements import Check
from theorylab.statements.pdbo.eq29 import STATEMENT
from theorylab.verdicts import judge_check


@pytest.fixture
def dependent(planted):
    """The same claim of edges that depend on the minibatch of their round: none of the paper's."""
    return planted(STATEMENT, "printed", {"assumes": ()})


@pytest.mark.parametrize("coupling", [-0.5, 0.01, 0.5])
def test_any_dependence_is_refuted(coupling, dependent):
    network = {"name": "sto-d", "seed": 1, "high": 0.6}
    check = Check("coupled", {"network": network, "terms": [2], "coupling": coupling})
    assert judge_check(dependent, "printed", check).verdict == "VIOLATED"
    assert judge_check(STATEMENT, "printed", check).verdict == "ASSUMPTION_FAILS"


def test_an_edge_that_is_always_there_has_nothing_to_depend_on(dependent):
    check = Check("static", {"network": {"name": "complete"}, "terms": [2], "coupling": 0.5})
    assert judge_check(dependent, "printed", check).verdict == "HOLDS"


@pytest.mark.parametrize("count", [20, pytest.param(200, marks=pytest.mark.slow)])
def test_random_instances_hold(count):
    for k in range(count):
        instance = {
            "network": {"name": ("sto-d", "sto-u")[k % 2], "low": 0.1, "high": 0.9, "seed": k},
            "clients": 2 + k % 2, "dim": 1 + k % 3, "terms": [1 + k % 3], "seed": k,
        }  # fmt: skip
        for version in ("printed", "printed/y"):
            found = judge_check(STATEMENT, version, Check(str(k), instance), seeds=2, seed=k)
            assert found.verdict == "HOLDS", (version, instance)
