"""(31): flat heads, a stationary point, and what the sum really is."""

import pytest

from theorylab.statements.dfedpgp.eq31 import STATEMENT

TERMS = STATEMENT.versions["corrected"].terms


def test_the_verdicts(judged):
    found = judged(STATEMENT)
    # L/2 eta^2 over 4 eta^2 L^2 (1 + L), L = .01
    flat = found["printed/debiased", "flat-heads"]
    assert flat.ratio == pytest.approx(1 / (8 * 0.01 * 1.01), rel=1e-9)
    assert found["printed/sum", "flat-heads"].ratio == pytest.approx(flat.ratio * 1e-4, rel=1e-9)
    still = found["printed", "stationary-point"]
    assert still.measured == 0
    assert still.bound < 0


def test_planted_errors_are_refuted(missed):
    variants = {
        "half the noise": {**TERMS, "noise": TERMS["noise"] / 2},
        "four times the descent": {**TERMS, "descent": TERMS["descent"] * 4},
    }
    assert missed(STATEMENT, "corrected", variants) == set()


def test_drawn_true_instances_are_never_violated(never_violated):
    assert never_violated(STATEMENT, "corrected", range(1, 41, 2), rounds=5) >= 10
