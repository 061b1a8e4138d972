"""Printed: false with SAM's pinwheel, else true. Corrected: true, and tight at the first step."""

from fractions import Fraction

import pytest
from sympy import Float, Rational

from theorylab.statements.dfedsgpsm._symbols import local_step
from theorylab.statements.dfedsgpsm.lem2 import STATEMENT
from theorylab.symbols import B, L_sample, alpha, eta, sigma_l

TERMS = STATEMENT.versions["corrected"].terms
STEP = TERMS["step"]


def test_the_printed_bound_is_the_papers_line():
    eta_, s, b, a = (Fraction(v) for v in ("1/100", "4", "3", "1/2"))
    at = {eta: Float("0.01", 50), sigma_l: 4, B: 3, alpha: Rational(1, 2)}
    want = (2 * eta_**2 * s**2 + 2 * eta_**2 * b**2) / (1 - a) ** 2
    found = STATEMENT.versions["printed"].bound.subs(at)
    assert float(found) == pytest.approx(float(want), rel=1e-15, abs=0)


def test_the_verdicts(judged):
    found = judged(STATEMENT)
    # d = 64: E|g|^2 = eps^2 + A^2 against 2 eps^2 + A^2 / d and B^2 = 1e-6 d
    ratio = (1e-6 + 1) / (2e-6 + 1 / 64 + 2 * 64e-6) * 0.99**2
    assert ratio > 60
    assert found["printed", "pinwheel"].ratio == pytest.approx(ratio, rel=1e-4)
    assert found["corrected", "far-from-the-centers"].ratio > 0.999


def test_with_assumption_3_for_line_9_a_smaller_bound_is_refuted(missed):
    terms = STATEMENT.versions["printed/line-9"].terms
    none = {name: term * (1 - alpha) ** 2 / 2 for name, term in terms.items()}
    assert missed(STATEMENT, "printed/line-9", {"no 1 - alpha": none}) == set()


def test_planted_errors_are_refuted(missed):
    variants = {
        "half": {"step": STEP / 2},
        "no 1 - alpha": {"step": STEP * (1 - alpha) ** 2},
        "one step of momentum less": {"step": STEP.subs(local_step, local_step - 1)},
        "no sigma": {"step": STEP.subs(sigma_l, 0)},
        "no L_xi rho": {"step": STEP.subs(L_sample, 0)},
        "1 - alpha to the first power": {"step": STEP * (1 - alpha)},
    }
    assert missed(STATEMENT, "corrected", variants) == set()


def test_drawn_true_instances_are_never_violated(never_violated):
    assert never_violated(STATEMENT, "corrected", 20, noise=True) >= 15


@pytest.mark.slow
def test_two_hundred_drawn_true_instances_are_never_violated(never_violated):
    assert never_violated(STATEMENT, "corrected", 200, noise=True) >= 15 * 9
