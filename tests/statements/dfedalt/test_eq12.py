"""Equation (12): read again, faults planted, random instances."""

import pytest

from theorylab.statements import evaluate
from theorylab.statements.dfedalt import _instances as made
from theorylab.statements.dfedalt import _symbols as s
from theorylab.statements.dfedalt.eq12 import CORRECTED, PRINTED, STATEMENT
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
        "noise and diversity": 4 * 0.25 * 3 * 100,
        "apart": 4 * 0.25 * 3 * 4 * 11,
        "Delta_u": 4 * 0.25 * 3 * 9,
    }
    for name, number in by_hand.items():
        assert float(evaluate(PRINTED[name], AT)) == pytest.approx(number, rel=1e-14), name


def test_corrected_terms_by_hand():
    by_hand = {
        "gradient": 4 * 0.25 * 9 * 9,
        "wander": 4 * 0.25 * 3 * 4 * 13,
        "noise": 2 * 0.25 * 3 * 36 / 4,
    }
    for name, number in by_hand.items():
        assert float(evaluate(CORRECTED[name], AT)) == pytest.approx(number, rel=1e-14), name


def scaled(**factors):
    return {
        k: t * factors.get(k.replace(" ", "_").replace(",", "_"), 1) for k, t in CORRECTED.items()
    }


REST = {**made.SIGNS, "x0": 0.0, "topology": made.COMPLETE, "clients": 3, "problem": made.scalars(
    3, 1.0, 1.0, sigma_u=1.0, noise="rademacher")}  # fmt: skip
REST = made.changed(REST, eta_u=1e-3)


def test_planted_faults_are_refuted(caught):
    # Not refuted: no wander (it needs third derivatives and a slope of 0 at the average).
    faults = {
        "no gradient": (scaled(gradient=0), made.MANY_STEPS),
        "a fifth of the gradient": (scaled(gradient=0.2), made.MANY_STEPS),
        "K for K^2": (scaled(gradient=1 / s.K_u), made.MANY_STEPS),
        "no noise": (scaled(noise=0), REST),
        "a third of the noise": (scaled(noise=1 / 3), REST),
        "noise / m^2": (scaled(noise=1 / n), REST),
        "noise without K": (scaled(noise=1 / s.K_u), REST),
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
