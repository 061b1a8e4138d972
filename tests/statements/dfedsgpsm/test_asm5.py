"""Bounded gradients of log cosh; quadratics fail."""

from theorylab.statements.dfedsgpsm.asm5 import STATEMENT
from theorylab.symbols import B


def test_the_verdicts(judged):
    found = judged(STATEMENT)
    assert "unbounded" in found["printed", "quadratic"].reason


def test_a_smaller_B_is_refuted(missed):
    variants = {str(k): {"B": B * k / 100} for k in (10, 50, 80, 90, 99)}
    assert missed(STATEMENT, "printed", variants) == set()
