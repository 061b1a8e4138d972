"""Unbiased local gradients: not with one minibatch a round."""

import dataclasses
import math

import pytest

from theorylab.statements.dfedpgp._places import SIGNS_ONE_BATCH
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
    """One minibatch a round, whatever the allowance: the bias is no rounding."""
    variants = {
        f"1e{k}": ({"rounding": bias_room * 10.0**k}, SIGNS_ONE_BATCH) for k in (-20, -5, 0, 5, 10)
    }
    assert missed(STATEMENT, "printed", variants) == set()


@pytest.mark.parametrize("k", [5, 20])
def test_rounding_alone_refutes_nothing(k):
    """What is measured for the corrected claim, 7e-18, is rounding of an exact 0: x^0 in other last
    digits moves it by as much, so an allowance below it is undecided, not refuted."""
    content = STATEMENT.versions["corrected"]
    smaller = dataclasses.replace(content, terms={"rounding": bias_room * 10.0**-k})
    statement = dataclasses.replace(STATEMENT, versions={"corrected": smaller})
    found = judge_check(statement, "corrected", content.checks[0])
    assert found.verdict == "INCONCLUSIVE"
    assert "rounding is amplified" in found.reason
