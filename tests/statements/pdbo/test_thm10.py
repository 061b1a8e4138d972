"""HGP's bound lacks c^lambda as printed, and holds with it."""

import pytest

from theorylab.statements import Check
from theorylab.statements.pdbo._symbols import edge_swing, phi_A, phi_B
from theorylab.statements.pdbo.thm10 import STATEMENT
from theorylab.verdicts import judge_check

PLANTED = {
    "a twentieth": lambda terms: {k: t / 20 for k, t in terms.items()},
    "no noise term": lambda terms: {"truncation": terms["truncation"]},
    "no phi": lambda terms: {k: t.subs({phi_A: 0, phi_B: 0}) for k, t in terms.items()},
    "no swing": lambda terms: {k: t.subs(edge_swing, 0) for k, t in terms.items()},
    "a thousandth of the noise alone": lambda terms: {"noise": terms["noise"] / 1000},
}


def test_planted_losses_larger_than_the_slack_are_refuted(missed):
    told = STATEMENT.versions["corrected"]
    at = next(c.instance for c in told.checks if c.name == "sgp-4a")
    faults = {name: change(told.terms) for name, change in PLANTED.items()}
    assert missed(STATEMENT, "corrected", faults, at=at) == set()


@pytest.mark.parametrize("outer", [0.0, 1000.0])
def test_what_is_wrong_as_printed_is_the_outer_gradient_in_lambda(outer):
    told = STATEMENT.versions["printed/c1-start"]
    check = Check("outer", {**told.checks[0].instance, "outer": outer})
    verdict = judge_check(STATEMENT, "printed/c1-start", check).verdict
    assert verdict == ("VIOLATED" if outer else "HOLDS")
