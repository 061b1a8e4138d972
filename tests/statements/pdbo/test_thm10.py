"""HGP's bound lacks c^lambda as printed, and holds with it."""

from dataclasses import replace

import pytest

from theorylab.statements import Check
from theorylab.statements.pdbo._symbols import edge_spread, phi_A, phi_B
from theorylab.statements.pdbo.thm10 import STATEMENT
from theorylab.verdicts import judge_check

CASES = [(name, check) for name, v in STATEMENT.versions.items() for check in v.checks]


@pytest.mark.parametrize(("version", "check"), CASES, ids=[f"{v} {c.name}" for v, c in CASES])
def test_every_check_gets_its_verdict(version, check):
    assert judge_check(STATEMENT, version, check).verdict == check.expect


PLANTED = {
    "a hundredth": lambda terms: {k: t / 100 for k, t in terms.items()},
    "no noise term": lambda terms: {"truncation": terms["truncation"]},
    "no phi": lambda terms: {k: t.subs({phi_A: 0, phi_B: 0}) for k, t in terms.items()},
    "no spread": lambda terms: {k: t.subs(edge_spread, 0) for k, t in terms.items()},
    "a thousandth of the noise alone": lambda terms: {"noise": terms["noise"] / 1000},
}


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_loss_larger_than_the_slack_is_refuted(name):
    told = STATEMENT.versions["corrected"]
    check = next(c for c in told.checks if c.name == "sgp-4a")
    planted = replace(
        STATEMENT, versions={"corrected": replace(told, terms=PLANTED[name](told.terms))}
    )
    assert judge_check(planted, "corrected", check).verdict == "VIOLATED"


@pytest.mark.parametrize("outer", [0.0, 1000.0])
def test_what_is_wrong_as_printed_is_the_outer_gradient_in_lambda(outer):
    told = STATEMENT.versions["printed"]
    check = Check("outer", {**told.checks[0].instance, "outer": outer})
    verdict = judge_check(STATEMENT, "printed", check).verdict
    assert verdict == ("VIOLATED" if outer else "HOLDS")
