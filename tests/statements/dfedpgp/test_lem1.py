"""Lemma 1: the verdicts, faults, random instances."""

import pytest

from theorylab.statements.dfedpgp._symbols import K_v, eta_v, head_gradient
from theorylab.statements.dfedpgp.lem1 import STATEMENT

TERMS = STATEMENT.versions["printed/all-steps"].terms


def test_the_verdicts_and_the_printed_numbers(judged):
    found = judged(STATEMENT)
    # 64 steps of size 1e-6 on a slope of 1: (63 eta)^2 (1 - O(64 eta)) of 16 (64 eta)^2
    assert abs(found["printed", "long-walk"].ratio / ((63 / 64) ** 2 / 16) - 1) < 1e-3
    assert abs(found["printed/all-steps", "long-walk"].ratio * 16 - 1) < 1e-3
    terms = STATEMENT.versions["printed"].terms
    at = {eta_v: 1, K_v: 3, head_gradient: 5}
    assert terms["gradient"].subs(at) == 16 * 9 * 5


def test_planted_errors_are_refuted(missed):
    # Not refuted: half of it, or 3/4: the lemma is loose by 16 and by 8.
    gradient, noise = TERMS["gradient"], TERMS["noise"]
    variants = {
        "K_v for K_v^2": {"gradient": gradient / K_v, "noise": noise},
        "no gradient": {"noise": noise},
        "1/20": {"gradient": gradient / 20, "noise": noise / 20},
        "no noise": {"gradient": gradient},
        "a root of 1/400": {"gradient": gradient / 400, "noise": noise},
    }
    assert missed(STATEMENT, "printed/all-steps", variants) <= {"no noise"}


def test_drawn_true_instances_are_never_violated(never_violated):
    # odd ones have no noise, so that their law is one outcome
    assert never_violated(STATEMENT, "printed/all-steps", range(1, 41, 2), rounds=3) >= 15


@pytest.mark.slow
def test_two_hundred_drawn_true_instances_are_never_violated(never_violated):
    assert never_violated(STATEMENT, "printed/all-steps", range(1, 401, 2), rounds=3) >= 80
