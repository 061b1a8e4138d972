"""Slopes stay below L and come near it."""

from theorylab.statements.dfedsgpsm.asm2 import STATEMENT
from theorylab.symbols import L


def test_the_verdicts(judged):
    assert judged(STATEMENT)["printed", "log-cosh"].ratio > 0.8


def test_a_smaller_L_is_refuted(missed):
    variants = {str(k): {"L": L * k / 10} for k in (1, 3, 5, 7, 8)}
    assert missed(STATEMENT, "printed", variants) == set()
