"""Arithmetic from texts: numbers come out, and no code runs."""

import math

import pytest

from theorylab.arithmetic import LONGEST, evaluated

NUMBERS = {"tau": 2.0, "K": 16.0, "problem.L": 3.0}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1/(tau*sqrt(K))", 1 / 8),
        ("-tau**3 + +1", -7.0),
        ("problem.L - 1e-3", 3.0 - 1e-3),
        ("max(floor(2.9), ceil(1.1), min(1, K))", 2.0),
        ("exp(log(tau))", math.exp(math.log(2.0))),
        (" 7 ", 7.0),
    ],
)
def test_arithmetic_is_pythons_in_floats(text, value):
    assert evaluated(text, NUMBERS) == value


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("__import__('os')", "__import__ is no function; need one of sqrt"),
        ("(1).real", "need a name"),
        ("tau.__class__", "'tau.__class__' is no number"),
        ("[1][0]", "came; need numbers"),
        ("True", "came; need numbers"),
        ("'a'", "came; need numbers"),
        ("1j", "came; need numbers"),
        ("lambda: 1", "came; need numbers"),
        ("sqrt(x=2)", "came; need numbers"),
        ("sqrt()", "argument"),
        ("q", "'q' is no number; need one of K, problem.L, tau"),
        ("1 +", "no arithmetic"),
        ("", "no arithmetic"),
        ("1/0", "division by zero"),
        ("(-1)**.5", "need a finite real number"),
        ("9**9**9", "out of range"),
        ("sqrt(-1)", "math domain|nonnegative"),
        ("1e999", "gives inf"),
        ("1" * (LONGEST + 1), f"need at most {LONGEST}"),
        ("(" * 99 + "1" + ")" * 99, None),
        ("\0", "no arithmetic|null"),
    ],
)
def test_anything_else_is_refused_in_one_line(text, line):
    if line is None:
        assert evaluated(text, NUMBERS) == 1.0
        return
    with pytest.raises(ValueError, match=line) as caught:
        evaluated(text, NUMBERS)
    assert "\n" not in str(caught.value)
