"""Unbiased local gradients with a minibatch a step, and not with one a round."""

import dataclasses
import math

import pytest

from theorylab.statements import Check
from theorylab.statements.dfedpgp._instances import SIGNS_ONE_BATCH
from theorylab.statements.dfedpgp._symbols import bias_room
from theorylab.statements.dfedpgp.eq23 import STATEMENT
from theorylab.verdicts import judge_check


def test_the_verdicts(judged):
    found = judged(STATEMENT)
    assert found["printed/line-4", "signs-of-two"].measured > 1e-3


def test_the_bias_of_the_second_step_is_the_sum_over_signs_by_hand():
    instance = {**SIGNS_ONE_BATCH, "problem": {
        "name": "sin-sin", "A": [[1.0]], "B": [[2.0]], "c": [0.0], "phases": [[0.0]],
        "a": [[0.0]], "b": [[0.0]], "sigma_v": 1.0, "noise": "state",
    }, "algorithm": {**SIGNS_ONE_BATCH["algorithm"], "steps_u": 1, "steps_v": 2}}  # fmt: skip
    result = judge_check(STATEMENT, "printed/line-4", Check("by-hand", instance, "VIOLATED"))
    v = [0.5 - 0.1 * (2 * 0.5 + s * math.cos(0.5)) for s in (1, -1)]
    assert result.measured == pytest.approx(abs(math.cos(v[0]) - math.cos(v[1])) / 2, rel=1e-12)


def test_planted_errors_are_refuted(missed):
    """One minibatch a round, whatever the allowance: the bias is no rounding."""
    variants = {
        f"1e{k}": ({"rounding": bias_room * 10.0**k}, SIGNS_ONE_BATCH) for k in (-20, -5, 0, 5, 10)
    }
    assert missed(STATEMENT, "printed/line-4", variants) == set()


@pytest.mark.parametrize("k", [5, 20])
def test_rounding_alone_refutes_nothing(k):
    """What is measured with a minibatch a step, 7e-18, is rounding of an exact 0: x^0 in other last
    digits moves it by as much, so an allowance below it is undecided, not refuted."""
    content = STATEMENT.versions["printed"]
    smaller = dataclasses.replace(content, terms={"rounding": bias_room * 10.0**-k})
    statement = dataclasses.replace(STATEMENT, versions={"printed": smaller})
    found = judge_check(statement, "printed", content.checks[0])
    assert found.verdict == "INCONCLUSIVE"
    assert "rounding is amplified" in found.reason
