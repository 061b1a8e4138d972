"""kappa is at least n, with equality on static networks."""

from dataclasses import replace

import pytest

from theorylab.statements import Check
from theorylab.statements.pdbo._symbols import kappa
from theorylab.statements.pdbo.eq34 import STATEMENT
from theorylab.symbols import n
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


STATIC = Check("static", {"network": {"name": "complete"}, "clients": 7})
FAULTS = {
    "half": lambda t: t / 2,
    "n kappa for n^2": lambda t: t / n,
    "its root": lambda t: t / kappa**0.5,
    "a thousandth less": lambda t: t * 0.999,
    "kappa - 1": lambda t: t * (kappa - 1) / kappa,
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_smaller_bound_is_refuted(name):
    assert judged("printed", STATIC, FAULTS[name]) == "VIOLATED"


def agree(count):
    for k in range(count):
        network = {"name": ("sto-d", "sto-u")[k % 2], "low": 0.01, "high": 1.0, "seed": k}
        check = Check(str(k), {"network": network, "clients": 2 + k % 7})
        assert judge_check(STATEMENT, "printed", check).verdict == "HOLDS"


def test_twenty_random_networks_hold():
    agree(20)


@pytest.mark.slow
def test_two_hundred_random_networks_hold():
    agree(200)
