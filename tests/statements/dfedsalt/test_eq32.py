"""Equation (32): read again, faults planted, random instances."""

import pytest

from theorylab.statements import evaluate
from theorylab.statements.dfedalt import _symbols as s
from theorylab.statements.dfedsalt import _instances as made
from theorylab.statements.dfedsalt.eq32 import PRINTED, STATEMENT, V_CORRECTED
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
        "v gain": (-0.25 * 2 + 8 / 16 * 4 * 5) * 10,
        "v noise": 4 / 16 * 4 * 49 * 5,
        "v apart": 25 / 0.25 * (3 * 0.25 * 3 * 4 * 2.25 + 9 * 0.25 * 9 * (100 + 18)),
    }
    for name, number in by_hand.items():
        assert float(evaluate(PRINTED[name], AT)) == pytest.approx(number, rel=1e-14), name


def scaled(**factors):
    return {
        k: t * factors.get(k.replace(" ", "_").replace(",", "_"), 1) for k, t in V_CORRECTED.items()
    }


FAR = made.changed(made.STEEP_HEADS, steps_v=1)


def test_planted_faults_are_refuted(caught):
    faults = {
        "12 times the gain": (scaled(v_gain=12), FAR),
        "K^3 in the gain": (scaled(v_gain=s.K_v**2), made.changed(FAR, steps_v=4, eta_v=1e-3)),
        "no apart": (scaled(v_apart=0), made.OPPOSED),
        "a tenth of apart": (scaled(v_apart=0.1), made.OPPOSED),
        "apart eta^2": (scaled(v_apart=s.eta_v * s.L_v), made.OPPOSED),
    }  # fmt: skip
    assert caught(STATEMENT, "corrected", faults) == []


@pytest.mark.parametrize("count", [8, pytest.param(200, marks=pytest.mark.slow)])
def test_random_instances_are_not_violated(never_violated, random_rounds, count):
    for together in (True, False):
        share = never_violated(
            STATEMENT,
            "corrected",
            lambda d, x=together: random_rounds(d, cap=0.24, together=x, sam=True),
            range(count),
        )
        assert share > 0.9
