"""Eq. (2): how long the client in the middle waits, by hand."""

import math

import pytest

from theorylab.statements.dfedsgpsm.eq2 import STATEMENT


def test_the_verdicts(judged):
    found = judged(STATEMENT)
    # ten clients on either side: 3 e^-400 ten times, over 10 others, or over those that are left
    ten = found["implied/hears", "ten-neighbours"]
    assert ten.curve.rounds == [2, 20, 200, 800]
    assert ten.curve.measured == sorted(ten.curve.measured)
    ends = [400 - math.log(30 * share) for share in (sum(1 / (10 - k) for k in range(10)), 0.1)]
    assert ten.measured == pytest.approx(sum(ends) / 2, rel=1e-9)
    assert f"the lower limit {ends[0]:.6g} exceeds" in ten.reason


def test_the_wait_of_a_near_one_is_that_of_the_formula(judged):
    found = judged(STATEMENT)["implied/hears", "near"]
    f = [math.log(math.cosh(x)) for x in (0.0, 0.5, 1.0)]
    p = [[math.exp(abs(a - b)) for b in f] for a in f]
    chances = [
        sum(p[i][j] / sum(p[i][k] for k in range(3) if k != i) for i in range(3) if i != j)
        for j in range(3)
    ]
    # steps of 1e-3 move the losses by as much
    assert found.measured == pytest.approx(-math.log(min(chances)), abs=1e-2)


def test_less_is_refuted(missed):
    assert missed(STATEMENT, "implied/hears", {"nothing": lambda term: -term}) == set()
