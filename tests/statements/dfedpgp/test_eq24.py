"""(24): nothing stands on the right for one client; the corrected bound is nearly attained."""

import pytest

from theorylab.statements import Check
from theorylab.statements.dfedpgp import _instances as made
from theorylab.statements.dfedpgp._symbols import K_u, apart
from theorylab.statements.dfedpgp.eq24 import STATEMENT
from theorylab.verdicts import judge_check

TERM = STATEMENT.versions["corrected"].terms["drift and consensus"]


def test_one_client_alone_is_a_network_without_a_neighbor():
    found = judge_check(STATEMENT, "printed/theorem1-constants", Check("alone", made.SIGNS_SMALL))
    assert found.verdict == "ASSUMPTION_FAILS"
    assert "more than one client" in found.reason


def test_planted_errors_are_refuted(missed):
    # one step: the left side is D, and so is the right one
    variants = {"0.99": ({"drift": TERM * 0.99}, made.PULLED)}
    variants["no drift"] = {"consensus": K_u * apart}
    assert missed(STATEMENT, "corrected", variants) == set()


def test_the_walk_alone(judged):
    # 64 steps along slopes of 1 and 1.001 from one point: sum k^2 = 63 64 127/6 against 64 63^2
    found = judged(STATEMENT)["corrected", "long-walk"]
    assert found.measured == pytest.approx(1e-12 * 63 * 64 * 127 / 6, rel=3e-3)


def test_drawn_true_instances_are_never_violated(never_violated):
    assert never_violated(STATEMENT, "corrected", range(1, 41, 2), rounds=5) >= 10
