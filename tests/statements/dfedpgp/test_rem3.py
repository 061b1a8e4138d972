"""The share of the terms in 1/T: it vanishes with T, with L_u only where the sigmas stay."""

import dataclasses

import pytest

from theorylab.statements.dfedpgp import _instances as made
from theorylab.statements.dfedpgp.rem3 import STATEMENT
from theorylab.verdicts import judge_check


def test_the_verdicts(judged):
    found = judged(STATEMENT)
    # sigma_u fixed: 1/L_u against F(1) - F*, which grows as L_u: 1/100 a decade
    assert abs(found["printed", "smoothness"].measured / 1e-2 - 1) < 0.05
    # 1/T of 1/sqrt T; what is transient is gone to 5 %
    for name in ("rounds", "rounds-noise-of-u-alone"):
        assert found["printed", name].measured == pytest.approx(10**-0.5, rel=0.05)
    # with noise of u alone every term has 1/L_u: nothing changes along L_u
    assert found["printed", "noise-of-u-alone"].measured == pytest.approx(1, rel=1e-9)


def test_the_exceptions_are_no_violation_of_the_remark():
    checks = {check.name: check for check in STATEMENT.versions["printed"].checks}
    against = [c for c in checks.values() if c.expect == "VIOLATED"]
    assert [(c.name, c.control) for c in against] == [("noise-of-u-alone", True)]
    assert checks["rounds-noise-of-u-alone"].instance["problem"] == made.SHARE_ALONE["problem"]


def test_a_faster_fall_is_refuted(missed):
    content = STATEMENT.versions["printed"]
    windowed = dataclasses.replace(content, order=dataclasses.replace(content.order, window=True))
    statement = dataclasses.replace(STATEMENT, versions={"window": windowed})
    variants = {f"{b}": {"vanishes": content.bound * b} for b in (1e-6, 1e-5, 1e-4, 1e-3, 1e-2)}
    assert missed(statement, "window", variants) == set()


def test_a_share_that_does_not_fall_in_a_window_refutes_no_limit():
    content = STATEMENT.versions["printed"]
    check = next(c for c in content.checks if c.control)
    alone = judge_check(STATEMENT, "printed", dataclasses.replace(check, control=False))
    assert alone.verdict == "INCONCLUSIVE"
    assert "a window proves nothing" in alone.reason
