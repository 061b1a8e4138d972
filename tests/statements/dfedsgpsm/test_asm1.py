"""A window too small is told from one that is large enough."""

from sympy import Rational

from theorylab.statements.dfedsgpsm.asm1 import STATEMENT


def test_the_verdicts(judged):
    found = judged(STATEMENT)
    assert found["printed", "one-peer-window-2"].place.startswith("l=")


def test_less_than_one_component_is_refuted(missed):
    variants = {str(k): {"one": Rational(k, 10)} for k in (0, 1, 5, 8, 9)}
    assert missed(STATEMENT, "printed", variants) == set()
