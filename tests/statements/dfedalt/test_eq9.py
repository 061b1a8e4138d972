"""Equations (9), (11): read again, faults planted, random instances."""

import pytest

from theorylab.statements import evaluate
from theorylab.statements.dfedalt import _instances as made
from theorylab.statements.dfedalt import _symbols as s
from theorylab.statements.dfedalt.eq9 import CORRECTED, PRINTED, PRINTED_11, STATEMENT
from theorylab.symbols import n

AT = {
    s.eta_u: 0.5, s.eta_v: 0.25, s.K_u: 3, s.K_v: 2, s.L_u: 2, s.L_v: 4, s.L_vu: 5, s.sigma_u: 6,
    s.sigma_v: 7, s.delta: 8, s.lam: 0.5, s.Delta_u: 9, s.Delta_v: 10, s.unit: 1, s.spread: 11,
    s.G: 12, s.wander: 13, s.leap: 14, s.head_leap: 15, s.L_sample: 3, n: 4,
}  # fmt: skip


def test_every_check_gets_its_verdict(judged):
    judged(STATEMENT)


def test_terms_read_again_from_the_paper():
    by_hand = {
        "noise and diversity": 18 * 0.25 * 9 / 0.25 * 100,
        "T_3,u": 18 * 0.25 * 9 / 0.25 * 12,
    }
    for name, number in by_hand.items():
        assert float(evaluate(PRINTED[name], AT)) == pytest.approx(number, rel=1e-14), name


def test_corrected_terms_by_hand():
    by_hand = {
        "apart": 2 * 3 * 11,
        "drift": 2 * 64 * 0.25 * 27 * (64 + 12),
        "noise": 3 * 64 * 0.25 * 9 * 36,
    }
    for name, number in by_hand.items():
        assert float(evaluate(CORRECTED[name], AT)) == pytest.approx(number, rel=1e-14), name


def test_equation_11_has_the_gradient_at_the_average():
    assert float(evaluate(PRINTED_11["Delta_u"], AT)) == 18 * 0.25 * 9 / 0.25 * 2 * 9


def scaled(**factors):
    return {
        k: t * factors.get(k.replace(" ", "_").replace(",", "_"), 1) for k, t in CORRECTED.items()
    }


APART = made.changed(made.APART, eta_u=1e-4)
REST = {**made.SIGNS, "x0": 0.0, "problem": made.scalars(
    2, 1.0, 1.0, sigma_u=1.0, noise="rademacher")}  # fmt: skip
REST = made.changed(REST, eta_u=1e-3)


def test_planted_faults_are_refuted(caught):
    # A factor 1/2 of drift and noise is within the slack of the three squares.
    faults = {
        "no apart": (scaled(apart=0), APART),
        "a quarter of apart": (scaled(apart=0.25), APART),
        "apart without K": (scaled(apart=1 / s.K_u), APART),
        "no drift": (scaled(drift=0), made.MANY_STEPS),
        "a tenth of the drift": (scaled(drift=0.1), made.MANY_STEPS),
        "K^2 for K^3": (scaled(drift=1 / s.K_u), made.MANY_STEPS),
        "no noise": (scaled(noise=0), REST),
        "a tenth of the noise": (scaled(noise=0.1), REST),
    }  # fmt: skip
    assert caught(STATEMENT, "corrected", faults) == []


@pytest.mark.parametrize("count", [8, pytest.param(200, marks=pytest.mark.slow)])
def test_random_instances_are_not_violated(never_violated, random_rounds, count):
    for together in (True, False):
        share = never_violated(
            STATEMENT,
            "corrected",
            lambda d, x=together: random_rounds(d, cap=3.0, together=x, sam=False),
            range(count),
        )
        assert share > 0.9
