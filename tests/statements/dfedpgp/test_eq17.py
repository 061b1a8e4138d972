"""(17): the factor 2 of a square of a sum is missing; with it, attained."""

import pytest
import sympy as sp

from theorylab.statements.dfedpgp._symbols import L_u, gradient, own_apart
from theorylab.statements.dfedpgp.eq17 import STATEMENT

TERMS = STATEMENT.versions["corrected"].terms


def test_the_bounds_are_the_paper_s_line():
    at = {L_u: 3, own_apart: sp.Rational(1, 2), gradient: 5}
    assert STATEMENT.versions["printed"].bound.subs(at) == sp.Rational(9, 2) + 5
    assert STATEMENT.versions["corrected"].bound.subs(at) == 9 + 10


def test_the_verdicts(judged):
    found = judged(STATEMENT)
    assert found["printed", "from-zero"].ratio > 1.05
    # z = 1, ubar = .505
    want = 1 / (0.495**2 + 0.505**2)
    assert found["printed", "nearly-halfway"].ratio == pytest.approx(want, rel=1e-9)
    assert found["corrected", "nearly-halfway"].ratio == pytest.approx(want / 2, rel=1e-9)


def test_planted_errors_are_refuted(missed):
    apart, mean = TERMS.values()
    variants = {
        "as printed": {"a": apart / 2, "b": mean / 2},
        "0.99": {"a": apart * 0.99, "b": mean * 0.99},
        "no disagreement": {"b": mean},
        "no gradient": {"a": apart},
        "one factor 2": {"a": apart, "b": mean / 2},
        "the other": {"a": apart / 2, "b": mean},
    }
    assert missed(STATEMENT, "corrected", variants) == set()


@pytest.mark.parametrize(
    "part", [range(1, 41, 2), pytest.param(range(41, 401, 2), marks=pytest.mark.slow)]
)
def test_drawn_true_instances_are_never_violated(part, never_violated):
    assert never_violated(STATEMENT, "corrected", part, rounds=5) >= 0.4 * len(part)
