"""Corollary 1's O(.): exponents, and controls that must fail."""

from dataclasses import replace

import pytest

from theorylab.statements import Check
from theorylab.statements.deprl import _instances as made
from theorylab.statements.deprl.cor1_rate import STATEMENT
from theorylab.verdicts import judge_check

CASES = [(name, check) for name, v in STATEMENT.versions.items() for check in v.checks]


@pytest.mark.parametrize(("version", "check"), CASES, ids=[f"{v} {c.name}" for v, c in CASES])
def test_every_check_gets_its_verdict(version, check):
    assert judge_check(STATEMENT, version, check, seeds=16).verdict == check.expect


CONTROLS = {
    "K^(-3/4) for K^(-1/2)": {**made.RATE_ROUNDS, "exponent": 1.5},
    "K^(-.6) for K^(-1/2)": {**made.RATE_ROUNDS, "exponent": 1.2},
    "(NK)^(-3/4) along N": {**made.RATE_CLIENTS, "exponent": 1.5},
    "no self-loops": made.RATE_RING_OF_FOUR,
    "line 10, one step": {
        **made.RATE_ROUNDS,
        "algorithm": {"tau": 1, "head": "printed"},
        "problem": made.scalars(2, 1.0, 1.0, b=[1.0, 1.0]),
    },
}


@pytest.mark.parametrize("control", CONTROLS)
def test_a_control_fails(control):
    content = STATEMENT.versions["printed"]
    content = replace(content, assumes=())
    planted = replace(STATEMENT, versions={"printed": content})
    check = Check("control", CONTROLS[control], "VIOLATED")
    assert judge_check(planted, "printed", check).verdict == "VIOLATED"


def test_on_the_ring_of_four_the_ratio_grows_as_the_root_of_K():
    check = Check("ring", made.RATE_RING_OF_FOUR, "VIOLATED")
    found = judge_check(STATEMENT, "printed", check)
    # 10^(1/2); K^(-1) terms of the bracket at K = 1e8 and the curvature 1e-9 leave a thousandth
    assert found.measured == pytest.approx(10**0.5, rel=2e-3)
