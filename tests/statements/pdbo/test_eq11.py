"""Eq. (11) from received messages: exact on undirected edges, biased on directed ones."""

import pytest

from theorylab.statements import Check
from theorylab.statements.pdbo._unbiased import instances
from theorylab.statements.pdbo.eq11 import STATEMENT
from theorylab.verdicts import judge_check

CASES = [(name, check) for name, v in STATEMENT.versions.items() for check in v.checks]


def test_what_the_paper_does_not_claim_is_a_control():
    assert all(check.control for check in STATEMENT.versions["printed/directed"].checks)
    found = judge_check(STATEMENT, *CASES[-1], seeds=16)
    assert found.control


FAULTS = {
    "undivided": {"edges": "undivided"},
    "one draw to the power m": {"reading": "eq9", "edges": "", "terms": 3},
    "line 22 of Algorithm 5": {"reading": "alg5"},
    "directed edges": instances("eq11", edges="received")["sto-d"],
    "directed edges, Eq. (4a)": instances("eq11", edges="received")["sto-d-4a"],
}


@pytest.mark.parametrize("name", FAULTS)
def test_another_recursion_is_refuted(name):
    check = Check(name, {**instances("eq11", edges="received")["sto-u"], **FAULTS[name]})
    assert judge_check(STATEMENT, "printed/directed", check).verdict == "VIOLATED"
