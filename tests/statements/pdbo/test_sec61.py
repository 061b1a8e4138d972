"""Sampling A and B in one round leaves HGP unbiased."""

import pytest

from theorylab.kernels import Stream
from theorylab.statements import Check
from theorylab.statements.pdbo._unbiased import instances
from theorylab.statements.pdbo.sec61 import STATEMENT
from theorylab.verdicts import judge_check

CASES = [(name, check) for name, v in STATEMENT.versions.items() for check in v.checks]


@pytest.mark.parametrize(("version", "check"), CASES, ids=[f"{v} {c.name}" for v, c in CASES])
def test_every_check_gets_its_verdict(version, check):
    assert judge_check(STATEMENT, version, check, seeds=16).verdict == check.expect


FAULTS = {
    "delta without its mean under it": {"edges": "undivided"},
    "what really arrives": {"edges": "received"},
    "one draw to the power m": {"reading": "eq9", "together": False, "terms": 3},
    "line 22 of Algorithm 5": {"reading": "alg5"},
    "the four-term recursion of Algorithm 5": {"reading": "alg5", "terms": 3, "alpha": 0.5},
}


@pytest.mark.parametrize("name", FAULTS)
def test_another_recursion_is_refuted(name):
    check = Check(name, {**instances("eq12", together=True, terms=3)["sto-d"], **FAULTS[name]})
    assert judge_check(STATEMENT, "corrected", check).verdict == "VIOLATED"


def agree(count):
    for k in range(count):
        u = Stream(3, "problem").uniform(1, 1, 0, k, 3)[0, 0]
        place = {
            "problem": {"clients": 2, "dim": 1, "hyper": 1, "noise": float(0.8 * u[0]), "seed": k},
            "network": {"name": ("sto-d", "sto-u")[k % 2], "low": 0.1, "high": 0.9, "seed": k},
            "variant": ("4a", "4b")[k // 2 % 2],
            "step": 0.2,
        }
        options = {"place": place, "reading": "eq12", "alpha": float(u[1]), "beta": float(u[2])}
        found = judge_check(STATEMENT, "corrected", Check(str(k), options | {"together": True}))
        assert found.verdict == "HOLDS", options


def test_twenty_random_instances_hold():
    agree(20)


@pytest.mark.slow
def test_two_hundred_random_instances_hold():
    agree(200)


def test_a_bias_is_seen_where_there_is_one():
    """The claim "no longer unbiased" of a recursion that is biased: Algorithm 5's."""
    options = {"reading": "alg5", "terms": 3, "alpha": 0.5}
    check = Check("alg5", {**instances("eq12", together=True)["sto-d"], **options})
    found = judge_check(STATEMENT, "printed", check)
    assert found.verdict == "HOLDS"
    assert found.measured > 1e6 * found.bound > 0
