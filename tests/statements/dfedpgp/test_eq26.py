"""(26): 40 equal noises against 40 independent ones."""

import pytest

from theorylab.statements.dfedpgp.eq26 import STATEMENT

TERMS = STATEMENT.versions["corrected"].terms


def test_the_verdicts(judged):
    found = judged(STATEMENT)
    # 1/2 (40 eta)^2 over 5/2 40 eta^2
    assert found["printed/line-4", "forty-steps"].ratio == pytest.approx(8, rel=0.01)
    assert found["printed/line-4", "three-steps"].ratio == pytest.approx(0.6, rel=0.01)
    # half of the noise of 80 steps, and AA is not 0: less than 80/(5 2)
    assert 3 < found["printed/line-4", "eighty-steps-of-two"].ratio < 8
    assert found["corrected", "noise-alone"].ratio > 0.99


def test_planted_errors_are_refuted(missed):
    variants = {
        "0.9 of the noise": {**TERMS, "noise": TERMS["noise"] * 0.9},
        "more descent": {**TERMS, "descent": TERMS["descent"] * 2.5},
    }
    assert missed(STATEMENT, "corrected", variants) == set()


def test_drawn_true_instances_are_never_violated(never_violated):
    assert never_violated(STATEMENT, "corrected", range(1, 41, 2), rounds=5) >= 10
