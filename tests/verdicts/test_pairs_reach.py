"""For which of the valid pairs (C, q) a violation stands: of others the claim says nothing."""

import math

import pytest
import sympy as sp

from theorylab.known import How, Known
from theorylab.runs.confidence import point
from theorylab.statements import Assumption, Check, Version
from theorylab.symbols import C, q
from theorylab.verdicts.case import Place
from theorylab.verdicts.pairs import reach


class Line:
    """C = 1 with every q."""

    def C(self, q):
        return 1.0

    def rates(self):
        return [0.5, 0.6, 0.7, 0.8, 0.9]


def said(bound, assumes=(), low=1.0, given=0.5):
    pair = {
        C: Known(1.0, How.UPPER, "given", pairs=LINE),
        q: Known(given, How.UPPER, "given", pairs=LINE),
    }
    version = Version(terms={"bound": bound}, assumes=assumes, checks=(Check("x", {}),))
    return reach(version, Place([low], low, point(low, 0.0), True, pair), low)


LINE = Line()
EVERY = "this holds for the smallest valid C of every q"
EACH = "this holds for the smallest valid C of each q"


def test_a_violation_stands_as_far_as_the_bound_is_below():
    assert said(C * (q + sp.Rational(1, 4))) == f"{EACH} up to 0.700"
    assert said(C * q) == EVERY
    assert said(C * q, given=0.6) == EVERY
    # at q = .9 the bound is not below .9, but equal
    assert said(C * q, low=0.9) == f"{EACH} up to 0.800"


def test_a_pair_that_breaks_an_assumption_refutes_nothing():
    # 1/(3/4 - q) is negative, so below everything, where the assumption fails
    bound, positive = (
        C / (sp.Rational(3, 4) - q),
        Assumption("positive", rule=q < sp.Rational(3, 4)),
    )
    assert said(bound, (positive,), low=5.0) == f"{EACH} up to 0.500"
    assert said(bound, (positive,), low=math.inf) == EVERY
    # the pair that the violation was seen with is one of them, whatever it breaks
    assert said(C * q, (positive,), given=0.9) == EVERY


def test_where_small_q_make_the_bound_large_both_ends_are_told():
    bound = C * 50 * (q - sp.Rational(7, 10)) ** 2
    expected = f"{EACH} from 0.600 up to 0.800"
    assert said(bound, given=0.7) == expected


@pytest.mark.parametrize("low", [0.51, 0.75, 2.0])
def test_a_bound_without_a_pair_has_no_reach(low):
    assert said(sp.Rational(1, 2), low=low) == ""
