"""Equation (15): read again, faults planted, random instances."""

import pytest

from theorylab.statements import evaluate
from theorylab.statements.dfedalt import _instances as made
from theorylab.statements.dfedalt import _symbols as s
from theorylab.statements.dfedalt.eq15 import CORRECTED, PRINTED, STATEMENT
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
        "gain": -0.5 * 10,
        "T_3,v": 25 / 2 * 11,
        "T_2,v": 15 / 2,
    }
    for name, number in by_hand.items():
        assert float(evaluate(PRINTED[name], AT)) == pytest.approx(number, rel=1e-14), name


def test_corrected_terms_by_hand():
    by_hand = {
        "gain": -0.25 * 10,
        "apart": 0.25 * 25 * 11,
        "drift": 16 / 64 * 4 * 16 * 2 * 10 / 3,
        "noise": 16 / 64 * 4 * 16 * 49 / 2,
    }
    for name, number in by_hand.items():
        assert float(evaluate(CORRECTED[name], AT)) == pytest.approx(number, rel=1e-14), name


def scaled(**factors):
    return {
        k: t * factors.get(k.replace(" ", "_").replace(",", "_"), 1) for k, t in CORRECTED.items()
    }


STEEP = made.STEEP_HEADS
TURNED = made.changed(STEEP, eta_v=0.15, steps_v=4)  # every step turns the gradient around


def test_planted_faults_are_refuted(caught):
    # Not refuted: the noise, which has no slope of its own to be pushed along.
    faults = {
        "three times the gain": (scaled(gain=3), STEEP),
        "twice the gain": (scaled(gain=2), made.changed(STEEP, eta_v=0.001)),
        "K^2 in the gain": (scaled(gain=s.K_v), STEEP),
        "no drift": (scaled(drift=0, noise=0), TURNED),
        "1e-5 of the drift": (scaled(drift=1e-5), TURNED),
        "no apart": (scaled(apart=0), made.OPPOSED),
        "a tenth of apart": (scaled(apart=0.1), made.OPPOSED),
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
