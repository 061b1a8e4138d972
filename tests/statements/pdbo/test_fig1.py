"""mu_{alpha,beta} is three times smaller than mu_{1,0} for (0.9, 0.1), everywhere."""

from dataclasses import replace

import pytest
import sympy as sp

from theorylab.statements.pdbo._mu import MU, MU_HGP
from theorylab.statements.pdbo._symbols import eta_A, vr_alpha, vr_beta
from theorylab.statements.pdbo.fig1 import STATEMENT
from theorylab.verdicts import judge_check

CASES = [(name, check) for name, v in STATEMENT.versions.items() for check in v.checks]


@pytest.mark.parametrize(("version", "check"), CASES, ids=[f"{v} {c.name}" for v, c in CASES])
def test_every_check_gets_its_verdict(version, check):
    assert judge_check(STATEMENT, version, check).verdict == check.expect


def test_a_third_holds_at_every_eta_and_not_only_on_the_grid():
    eta = sp.Symbol("e")
    at = {eta_A: eta, vr_alpha: sp.Rational(9, 10), vr_beta: sp.Rational(1, 10)}
    top, bottom = sp.fraction(sp.together((MU_HGP**2 - 9 * MU**2).subs(at)))
    top, bottom = (sp.Poly(sp.expand(part), eta) for part in (top, bottom))
    edge = sp.Rational(1, 10**9)
    assert top.count_roots(edge, 1 - edge) == bottom.count_roots(edge, 1 - edge) == 0
    middle = sp.Rational(1, 2)
    assert top.eval(middle) / bottom.eval(middle) > 0


@pytest.mark.parametrize("divisor", [4, 10])
def test_more_than_a_few_is_refuted(divisor):
    told = STATEMENT.versions["printed"]
    false = replace(told, terms={"a few times": sp.Rational(1, divisor)})
    planted = replace(STATEMENT, versions={"printed": false})
    assert judge_check(planted, "printed", told.checks[0]).verdict == "VIOLATED"
