"""Ends of a bound whose numbers are known up to half an ulp, where its terms cancel.

Right values: fractions, at 9 points of each span.
"""

import itertools
from fractions import Fraction

import pytest
import sympy as sp

from theorylab.statements import BITS, enclosed
from theorylab.statements.pdbo._symbols import eta_A, rounds_left, term_index, vr_alpha
from theorylab.statements.pdbo.lem6 import R1, R3
from theorylab.verdicts.bound import _narrowed, _span


def near(x):
    half = Fraction(x) / 2**53
    return Fraction(x) - half, Fraction(x) + half


SPANS = {
    vr_alpha: near(0.9108855750263138), eta_A: near(0.9906057533072055),
    rounds_left: (Fraction(4), Fraction(4)), term_index: (Fraction(0), Fraction(0)),
}  # fmt: skip
BENT = (eta_A - vr_alpha) * (vr_alpha + eta_A - Fraction(2 * 0.9906057533072055)) / (1 - eta_A)


def exact(expr, point):
    at = {s: sp.Rational(x.numerator, x.denominator) for s, x in point.items()}
    return Fraction(str(expr.subs(at)))


def rational(x):
    size = Fraction(int(x.man_exp[0])) * Fraction(2) ** int(x.man_exp[1])  # without the sign
    return size if x >= 0 else -size


@pytest.mark.parametrize("bound", [R3, R1, BENT])
def test_the_ends_contain_every_value_and_are_close_to_them(bound):
    ball = enclosed(bound, SPANS, BITS[0])
    low, high = _narrowed(bound, SPANS, ball)
    grid = [[a + (b - a) * Fraction(k, 8) for k in range(9)] for a, b in SPANS.values()]
    values = [exact(bound, dict(zip(SPANS, point, strict=True)))
              for point in itertools.product(*(sorted(set(each)) for each in grid))]  # fmt: skip
    ends = [rational(x) for x in (low, high)]
    assert ends[0] <= min(values) <= max(values) <= ends[1]
    last_digits = max(map(abs, values)) / 2**51  # of the ends, which have 53 bits
    assert ends[1] - ends[0] <= Fraction(101, 100) * (max(values) - min(values)) + last_digits


def test_a_corner_keeps_the_ball():
    corner = sp.Max(vr_alpha, Fraction(0.9108855750263138)) - eta_A
    ball = enclosed(corner, SPANS, BITS[0])
    assert _narrowed(corner, SPANS, ball) == _span(ball)
