"""Lemma 2: false by the square of K_u; corrected, and nearly attained."""

import pytest
import sympy as sp

from theorylab.statements.dfedpgp._symbols import K_u, L_u, eta_u, own_gradient, sigma_g, sigma_u
from theorylab.statements.dfedpgp.lem2 import STATEMENT
from theorylab.statements.dfedsgpsm._symbols import local_step
from theorylab.symbols import delta

STEP = STATEMENT.versions["corrected"].terms["step"]


def test_the_printed_bound_is_the_papers_line():
    at = {K_u: 3, eta_u: sp.Rational(1, 7), sigma_u: 2, sigma_g: 3, own_gradient: 5}
    want = sp.Rational(32 * 3, 49) * (4 + 9 + 5)
    assert STATEMENT.versions["printed"].bound.subs(at) == want


def test_the_verdicts(judged):
    found = judged(STATEMENT)
    # 63 steps of 64 along slopes 1 and 1.001: 63^2/(32 * 64), less sigma_g^2 = 2.5e-7
    assert found["printed", "long-walk"].ratio == pytest.approx(63**2 / (32 * 64), rel=1e-3)


def test_along_the_local_steps_the_ratio_grows_as_they_do(judged):
    curve = judged(STATEMENT)["printed", "along-local-steps"].curve
    assert curve.axis == "steps_u"
    assert curve.rounds == [16, 32, 64, 128, 256, 512]
    for K, measured, bound in zip(curve.rounds, curve.measured, curve.bound, strict=True):
        assert measured / bound == pytest.approx((K - 1) ** 2 / (32 * K), rel=2e-3)


def test_planted_errors_are_refuted(missed):
    variants = {
        "half": {"step": STEP / 2},
        "no square of the steps": {"step": STEP / local_step},
        "one step less": {"step": STEP.subs(local_step, local_step - 1)},
        "no gradient": {"step": STEP.subs(own_gradient, 0)},
        "delta^2 L_u^2 below": {"step": STEP * (eta_u * L_u) ** 2},
        "99/100": {"step": STEP * sp.Rational(99, 100)},
        "a k-th of the way": {"step": STEP / K_u},
    }
    # Not refuted: delta for 1 where P is doubly stochastic; sigma_g or sigma_u left out, as both
    # stand beside a gradient that is larger here.
    assert missed(STATEMENT, "corrected", variants) == set()
    assert delta in STATEMENT.versions["corrected"].free


def test_drawn_true_instances_are_never_violated(never_violated):
    assert never_violated(STATEMENT, "corrected", range(1, 41, 2), rounds=3) >= 8


@pytest.mark.slow
def test_two_hundred_drawn_true_instances_are_never_violated(never_violated):
    assert never_violated(STATEMENT, "corrected", range(1, 401, 2), rounds=3) >= 80
