"""Unbiased local gradients: not with one minibatch a round."""

import math

import pytest

from theorylab.statements.dfedpgp._symbols import bias_room
from theorylab.statements.dfedpgp.eq23 import STATEMENT
from theorylab.verdicts import judge_check


def test_the_verdicts(judged):
    found = judged(STATEMENT)
    assert found["printed", "signs"].measured > 1e-3


def test_the_bias_of_the_second_step_is_the_sum_over_signs_by_hand():
    check = next(c for c in STATEMENT.versions["printed"].checks if c.name == "signs")
    instance = {**check.instance, "problem": {
        "name": "sin-sin", "A": [[1.0]], "B": [[2.0]], "c": [0.0], "phases": [[0.0]],
        "a": [[0.0]], "b": [[0.0]], "sigma_v": 1.0, "noise": "state",
    }, "algorithm": {**check.instance["algorithm"], "steps_u": 1, "steps_v": 2}}  # fmt: skip
    result = judge_check(STATEMENT, "printed", type(check)("by-hand", instance, "VIOLATED"))
    v = [0.5 - 0.1 * (2 * 0.5 + s * math.cos(0.5)) for s in (1, -1)]
    assert result.measured == pytest.approx(abs(math.cos(v[0]) - math.cos(v[1])) / 2, rel=1e-12)


def test_planted_errors_are_refuted(missed):
    # 1e-5 of the allowance is below what rounding does here
    variants = {f"1e-{k}": {"rounding": bias_room * 10.0**-k} for k in (5, 6, 8, 10, 20)}
    assert missed(STATEMENT, "corrected", variants) == set()
