"""The quotients of Corollary 1's orders, and an order that is not dominated."""

from dataclasses import replace

import pytest

from theorylab.statements.deprl.cor1_dominated import STATEMENT
from theorylab.symbols import T, n
from theorylab.verdicts import judge_check


@pytest.mark.parametrize(
    ("version", "check", "growth"),
    [
        ("printed", "rounds", 10**-0.5),
        ("printed", "clients", 1.0),
        ("printed", "tau", 1.0),
        ("printed/tau", "rounds", 1.0),
        ("printed/tau", "clients", 1.0),
        ("printed/tau", "tau", 0.1),
    ],
)
def test_the_growths_are_the_powers(judged, version, check, growth):
    assert judged(STATEMENT)[version, check].measured == pytest.approx(growth, rel=1e-9)


def test_an_order_that_is_not_dominated_does_not_hold(planted):
    version = STATEMENT.versions["printed"]
    wrong = planted(
        STATEMENT, "printed", {"order": replace(version.order, left=1 / (n * T) ** 0.25)}
    )
    assert judge_check(wrong, "printed", version.checks[0]).verdict != "HOLDS"
