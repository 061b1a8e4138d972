"""mu_{alpha,beta} is three times smaller than mu_{1,0} for (0.9, 0.1), everywhere."""

import pytest
import sympy as sp

from theorylab.experiments import experiment
from theorylab.statements import Check
from theorylab.statements.pdbo._mu import MU, MU_HGP
from theorylab.statements.pdbo._symbols import eta_A, vr_alpha, vr_beta
from theorylab.statements.pdbo.fig1 import ETA, PAPER, STATEMENT
from theorylab.verdicts import judge_check


def test_a_third_holds_at_every_eta_and_not_only_on_the_grid():
    eta = sp.Symbol("e")
    at = {eta_A: eta, vr_alpha: sp.Rational(9, 10), vr_beta: sp.Rational(1, 10)}
    top, bottom = sp.fraction(sp.together((MU_HGP**2 - 9 * MU**2).subs(at)))
    top, bottom = (sp.Poly(sp.expand(part), eta) for part in (top, bottom))
    edge = sp.Rational(1, 10**9)
    assert top.count_roots(edge, 1 - edge) == bottom.count_roots(edge, 1 - edge) == 0
    middle = sp.Rational(1, 2)
    assert top.eval(middle) / bottom.eval(middle) > 0


WIDE = {"wide": {"assumes": STATEMENT.versions["printed"].assumes[:1]}}


def test_with_beta_not_close_to_zero_it_is_false(missed):
    for beta in (0.3, 0.5):
        check = Check("wide", {**PAPER, "beta": beta})
        assert missed(STATEMENT, "printed", WIDE, at=check.instance) == set()
        assert judge_check(STATEMENT, "printed", check).verdict == "ASSUMPTION_FAILS"


@pytest.mark.parametrize("last", [1, 8000])
def test_how_many_terms_are_added_up_does_not_matter(last, missed):
    # at last = 1 the ratio of the partial sums is .287 where that of the limits is .707
    few = {"eta": [0.999], "alpha": 0.9, "beta": 0.5, "last": last}
    assert missed(STATEMENT, "printed", WIDE, at=few) == set()


def test_nine_tenths_and_one_tenth_are_the_worst_of_what_is_close():
    eta, alpha, beta = sp.symbols("e a b", positive=True)
    mu = (MU**2).subs({eta_A: eta, vr_alpha: alpha, vr_beta: beta})
    falls, grows = (sp.lambdify((eta, alpha, beta), sp.diff(mu, by)) for by in (alpha, beta))
    for e in ETA:
        for a in (0.9, 0.93, 0.97, 0.999):
            for b in (0.1, 0.05, 0.01, 0.001):
                assert falls(e, a, b) < 0 < grows(e, a, b)


def test_what_is_measured_is_the_quotient_of_the_printed_closed_forms():
    rows = experiment("hgp-series", **PAPER).observe("ratio", range(1), 0).rows
    for eta, row in zip(ETA, rows, strict=True):
        at = {
            eta_A: sp.Rational(str(eta)),
            vr_alpha: sp.Rational(9, 10),
            vr_beta: sp.Rational("0.1"),
        }
        # the decimals are rounded to floats: the quotient makes 1 / (1 - eta) roundings of that
        room = row.rounding + 2.0**-50 / (1 - eta)
        assert abs(row.values[0] - float((MU / MU_HGP).subs(at))) <= room


@pytest.mark.parametrize("divisor", [4, 10])
def test_more_than_a_few_is_refuted(divisor, missed):
    at = STATEMENT.versions["printed"].checks[0].instance
    fault = {"a few times": sp.Rational(1, divisor)}
    assert missed(STATEMENT, "printed", {"more": fault}, at=at) == set()
