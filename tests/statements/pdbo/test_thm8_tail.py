"""The truncated series: tight for one client, and the whole bias."""

import pytest

from theorylab.statements.pdbo._symbols import eta_A, terms
from theorylab.statements.pdbo.thm8_tail import STATEMENT

PLANTED = {
    "half": lambda e: e / 2,
    "one-power-more": lambda e: e * eta_A,
    "power-doubled": lambda e: e * eta_A**terms,
    "no-geometric-sum": lambda e: e * (1 - eta_A),
    "0.999": lambda e: e * 0.999,
}


@pytest.mark.parametrize("version", ["printed", "printed/bias"])
def test_planted_factors_are_refuted_by_one_client(version, missed):
    told = STATEMENT.versions[version]
    faults = {
        name: {"planted": change(told.terms["truncation"])} for name, change in PLANTED.items()
    }
    assert missed(STATEMENT, version, faults, at=told.checks[0].instance) == set()
