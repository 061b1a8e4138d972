"""The printed bracket is left behind as alpha -> 1; with K/a~ it is not."""

from sympy import Rational

from theorylab.statements.dfedsgpsm.cor1_growth import STATEMENT


def test_the_verdicts(judged):
    found = judged(STATEMENT)
    # 10 in the limit; steeper while the bracket's other terms fade
    assert 8 < found["printed", "momentum-to-one"].measured < 16


def test_planted_errors_are_refuted(caught):
    terms = {str(k): {"factor of Theorem 1": Rational(k, 10)} for k in (1, 3, 5, 7, 9)}
    assert caught(STATEMENT, "corrected", terms) == set(terms)
