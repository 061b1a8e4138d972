"""(29): heads that move where their gradient at u_i is 0."""

import pytest

from theorylab.statements.dfedpgp.eq29 import STATEMENT

TERMS = STATEMENT.versions["printed/debiased"].terms


def test_the_verdicts(judged):
    found = judged(STATEMENT)
    assert found["printed", "flat-at-the-biased-model"].ratio > 1e6
    assert found["printed/debiased", "flat-at-the-biased-model"].ratio == pytest.approx(1 / 16)


def test_planted_errors_are_refuted(missed):
    variants = {
        "a 20th of the gradient": {**TERMS, "gradient": TERMS["gradient"] / 20},
        "no gradient": {"noise": TERMS["noise"]},
    }
    assert missed(STATEMENT, "printed/debiased", variants) == set()


def test_drawn_true_instances_are_never_violated(never_violated):
    assert never_violated(STATEMENT, "printed/debiased", range(1, 41, 2), rounds=5) >= 10
