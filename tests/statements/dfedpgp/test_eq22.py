"""The descent over a round: the verdicts, faults, random instances."""

import pytest

from theorylab.statements import Check
from theorylab.statements.dfedpgp import _instances as made
from theorylab.statements.dfedpgp._instances import changed
from theorylab.statements.dfedpgp._symbols import linear_part
from theorylab.statements.dfedpgp.eq22 import STATEMENT
from theorylab.verdicts import judge_check

TERMS = STATEMENT.versions["printed"].terms


def test_loud_noise_refutes_nothing_for_each_path_has_its_own_right_side():
    # the largest change of F, 13.2, is above the mean of the right sides, 3.0
    loud = {**made.SIGNS, "problem": {**made.SIGNS["problem"], "sigma_u": 20.0, "sigma_v": 20.0}}
    found = judge_check(STATEMENT, "printed", Check("loud", loud))
    assert found.verdict == "HOLDS", found.reason
    assert found.places == 8


def test_planted_errors_are_refuted(missed):
    variants = {
        "half of both squares": {**TERMS, "v-step": TERMS["v-step"] / 2,
                                 "u-step": TERMS["u-step"] / 2},
        "no v-step": {k: t for k, t in TERMS.items() if k != "v-step"},
        "no u-step": {k: t for k, t in TERMS.items() if k != "u-step"},
        "twice the linear part": {**TERMS, "linear": 2 * linear_part},
        "0.9 of both squares": {**TERMS, "v-step": 0.9 * TERMS["v-step"],
                                "u-step": 0.9 * TERMS["u-step"]},
    }  # fmt: skip
    # gradient steps on quadratics of curvature L attain the descent lemma
    attained = [changed(m, eta_u=0.01, eta_v=0.01) for m in (made.LONG_WALK, made.LONG_HEAD_WALK)]
    there = [missed(STATEMENT, "printed", variants, at=instance) for instance in attained]
    assert missed(STATEMENT, "printed", variants).intersection(*there) == set()


def test_drawn_true_instances_are_never_violated(never_violated):
    # quadratics attain it, which leaves equality within rounding undecided
    assert never_violated(STATEMENT, "printed", range(1, 41, 2), rounds=5) >= 15


@pytest.mark.slow
def test_two_hundred_drawn_true_instances_are_never_violated(never_violated):
    assert never_violated(STATEMENT, "printed", range(1, 401, 2), rounds=5) >= 80
