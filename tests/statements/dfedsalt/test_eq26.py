"""Equation (26): read again, faults planted, random instances."""

import pytest

from theorylab.statements import evaluate
from theorylab.statements.dfedalt import _symbols as s
from theorylab.statements.dfedsalt import _instances as made
from theorylab.statements.dfedsalt.eq26 import CORRECTED, PRINTED, STATEMENT
from theorylab.symbols import n, rho

AT = {
    s.eta_u: 0.5, s.eta_v: 0.25, s.K_u: 3, s.K_v: 2, s.L_u: 2, s.L_v: 4, s.L_vu: 5, s.sigma_u: 6,
    s.sigma_v: 7, s.delta: 8, s.lam: 0.5, s.Delta_u: 9, s.Delta_v: 10, s.unit: 1, s.spread: 11,
    s.G: 12, s.wander: 13, s.leap: 14, s.head_leap: 15, s.L_sample: 3, n: 4, rho: 1.5,
}  # fmt: skip


def test_every_check_gets_its_verdict(judged):
    judged(STATEMENT)


def test_terms_read_again_from_the_paper():
    by_hand = {
        "sharpness": 5 * 0.25 * 3 * 4 * 2.25,
        "noise and diversity": 5 * 0.25 * 3 * 100,
        "apart": 5 * 0.25 * 3 * 4 * 11,
        "Delta_u": 5 * 0.25 * 3 * 9,
    }
    for name, number in by_hand.items():
        assert float(evaluate(PRINTED[name], AT)) == pytest.approx(number, rel=1e-14), name


def test_corrected_terms_by_hand():
    by_hand = {
        "gradient": 6 * 0.25 * 9 * 9,
        "wander": 6 * 0.25 * 3 * 4 * 13,
        "sharpness": 6 * 0.25 * 9 * 9 * 2.25,
        "noise": 2 * 0.25 * 3 * 36 / 4,
    }
    for name, number in by_hand.items():
        assert float(evaluate(CORRECTED[name], AT)) == pytest.approx(number, rel=1e-14), name


def scaled(**factors):
    return {
        k: t * factors.get(k.replace(" ", "_").replace(",", "_"), 1) for k, t in CORRECTED.items()
    }


def test_planted_faults_are_refuted(caught):
    # Not refuted: no wander, no noise (SAM's own change is as large).
    faults = {
        "no gradient": (scaled(gradient=0), made.MANY_STEPS),
        "an eighth of the gradient": (scaled(gradient=0.125), made.MANY_STEPS),
        "K for K^2": (scaled(gradient=1 / s.K_u), made.MANY_STEPS),
        "no sharpness": (scaled(sharpness=0), made.NEAR),
        "a tenth of the sharpness": (scaled(sharpness=0.1), made.NEAR),
        "K rho^2": (scaled(sharpness=1 / s.K_u), made.NEAR),
    }  # fmt: skip
    assert caught(STATEMENT, "corrected", faults) == []


@pytest.mark.parametrize("count", [8, pytest.param(200, marks=pytest.mark.slow)])
def test_random_instances_are_not_violated(never_violated, random_rounds, count):
    for together in (True, False):
        share = never_violated(
            STATEMENT,
            "corrected",
            lambda d, x=together: random_rounds(d, cap=3.0, together=x, sam=True),
            range(count),
        )
        assert share > 0.9
