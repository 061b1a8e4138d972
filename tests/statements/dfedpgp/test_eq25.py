"""(25): K_u is missing; with it, nearly attained."""

import pytest

from theorylab.statements.dfedpgp._symbols import K_u, eta_u
from theorylab.statements.dfedpgp.eq25 import STATEMENT

TERM = STATEMENT.versions["corrected"].terms["squares"]


def test_the_verdicts(judged):
    found = judged(STATEMENT)
    # 64 alike gradients on both clients: 64^2 over 64
    assert found["printed", "long-walk"].ratio == pytest.approx(64, rel=1e-3)


def test_planted_errors_are_refuted(missed):
    variants = {
        "no K_u": {"squares": TERM / K_u},
        "half": {"squares": TERM / 2},
        "sqrt K_u": {"squares": TERM / K_u**0.5},
        "0.99": {"squares": TERM * 0.99},
        "K_u - 1": {"squares": TERM * (K_u - 1) / K_u},
    }
    assert missed(STATEMENT, "corrected", variants) == set()
    assert eta_u in STATEMENT.versions["corrected"].free


def test_drawn_true_instances_are_never_violated(never_violated):
    assert never_violated(STATEMENT, "corrected", range(1, 41, 2), rounds=5) >= 15


@pytest.mark.slow
def test_two_hundred_drawn_true_instances_are_never_violated(never_violated):
    assert never_violated(STATEMENT, "corrected", range(1, 401, 2), rounds=5) >= 80
