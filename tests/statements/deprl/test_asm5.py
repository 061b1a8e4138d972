"""Assumption 5: the sup over heads, and numbers below it."""

from theorylab.statements import Check
from theorylab.statements.deprl import _instances as made
from theorylab.statements.deprl._symbols import varsigma
from theorylab.statements.deprl.asm5 import STATEMENT
from theorylab.verdicts import judge_check

MANY = {**made.PROBED, "probes": 512}


def test_half_of_it_is_too_little_somewhere(missed):
    assert missed(STATEMENT, "printed", {"half": {"half": varsigma**2 / 2}}, at=MANY) == set()


def test_the_sup_is_not_reached_by_more_points():
    assert judge_check(STATEMENT, "printed", Check("many", MANY)).verdict == "HOLDS"


def test_a_coupling_however_small_has_no_bound():
    problem = {"name": "coupled-quadratic", "mu_u": 1.0, "L_u": 1.0, "coupling": 1e-6}
    check = Check("coupled", {**made.PROBED, "problem": problem}, "ASSUMPTION_FAILS")
    assert judge_check(STATEMENT, "printed", check).verdict == "ASSUMPTION_FAILS"
