"""The truncated series: tight for one client, and the whole bias."""

from dataclasses import replace

import pytest

from theorylab.statements.pdbo._symbols import eta_A, terms
from theorylab.statements.pdbo.thm8_tail import STATEMENT
from theorylab.verdicts import judge_check

CASES = [(name, check) for name, v in STATEMENT.versions.items() for check in v.checks]


@pytest.mark.parametrize(("version", "check"), CASES, ids=[f"{v} {c.name}" for v, c in CASES])
def test_every_check_gets_its_verdict(version, check):
    assert judge_check(STATEMENT, version, check).verdict == check.expect


PLANTED = {
    "half": lambda e: e / 2,
    "one-power-more": lambda e: e * eta_A,
    "power-doubled": lambda e: e * eta_A**terms,
    "no-geometric-sum": lambda e: e * (1 - eta_A),
    "0.999": lambda e: e * 0.999,
}


@pytest.mark.parametrize("version", ["printed", "printed/bias"])
@pytest.mark.parametrize("name", PLANTED)
def test_every_planted_factor_is_refuted_by_one_client(name, version):
    told = STATEMENT.versions[version]
    false = replace(told, terms={"planted": PLANTED[name](told.terms["truncation"])})
    planted = replace(STATEMENT, versions={version: false})
    assert judge_check(planted, version, told.checks[0]).verdict == "VIOLATED"
