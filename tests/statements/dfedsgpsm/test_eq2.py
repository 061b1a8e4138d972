"""Eq. (2): its exponents, and how long the client in the middle waits, by hand."""

import math

import pytest

from theorylab.statements.dfedsgpsm.eq2 import STATEMENT


def test_the_verdicts(judged):
    found = judged(STATEMENT)
    # log cosh 800 = 800 - log 2
    assert found["implied", "far"].measured == pytest.approx(800 - math.log(2), rel=1e-5)
    assert found["implied", "far"].bound == pytest.approx(math.log(2.0) * 1024, rel=1e-15)
    with pytest.raises(OverflowError):
        math.exp(found["implied", "far"].measured)
    farther = found["implied/heard", "farther"]
    # losses 0, 400 - log 2 and 800 - log 2: chances of e^-400 and 2 e^-400
    assert farther.measured == pytest.approx(400 - math.log(3), rel=1e-5)
    assert farther.curve.rounds == [2, 20, 200, 800]
    assert farther.curve.measured == sorted(farther.curve.measured)


def test_the_wait_of_a_near_one_is_that_of_the_formula(judged):
    found = judged(STATEMENT)["implied/heard", "near"]
    f = [math.log(math.cosh(x)) for x in (0.0, 0.5, 1.0)]
    p = [[math.exp(abs(a - b)) for b in f] for a in f]
    chances = [
        sum(p[i][j] / sum(p[i][k] for k in range(3) if k != i) for i in range(3) if i != j)
        for j in range(3)
    ]
    # steps of 1e-3 move the losses by as much
    assert found.measured == pytest.approx(-math.log(min(chances)), abs=1e-2)


def test_less_is_refuted(missed):
    variants = {"a little": lambda term: term / 10000}
    assert missed(STATEMENT, "implied", variants) == set()
    assert missed(STATEMENT, "implied/heard", {"nothing": lambda term: -term}) == set()
