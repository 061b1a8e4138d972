"""Equation (27): read again, faults planted, random instances."""

import pytest

from theorylab.statements import evaluate
from theorylab.statements.dfedalt import _symbols as s
from theorylab.statements.dfedsalt import _instances as made
from theorylab.statements.dfedsalt.eq27 import CORRECTED, PRINTED, STATEMENT
from theorylab.symbols import n, rho

AT = {
    s.eta_u: 0.5, s.eta_v: 0.25, s.K_u: 3, s.K_v: 2, s.L_u: 2, s.L_v: 4, s.L_vu: 5, s.sigma_u: 6,
    s.sigma_v: 7, s.delta: 8, s.lam: 0.5, s.Delta_u: 9, s.Delta_v: 10, s.unit: 1, s.spread: 11,
    s.G: 12, s.wander: 13, s.leap: 14, s.head_leap: 15, s.L_sample: 3, n: 4, rho: 1.5,
}  # fmt: skip


def test_every_check_gets_its_verdict(judged):
    judged(STATEMENT)


def test_terms_read_again_from_the_paper():
    bracket = 4 * 2.25 + 9 * 100
    gain = -0.5 * 3 / 2 + 5 / 2 * 0.25 * 3 * 2 + 18 * 0.125 * 9 * 4 * (1 + 5 * 0.5 * 3 * 2) / 0.25
    by_hand = {
        "u gain": gain * 9,
        "u noise": 5 / 2 * 0.25 * 3 * 2 * (4 * 2.25 + 100),
        "consensus": 3 * 0.125 * 3 * 4 / 0.25 * bracket,
        "consensus 2": 15 * 0.0625 * 9 * 8 / 0.25 * bracket,
    }
    assert {k: float(evaluate(v, AT)) for k, v in PRINTED.items()} == by_hand


def scaled(**factors):
    return {
        k: t * factors.get(k.replace(" ", "_").replace(",", "_"), 1) for k, t in CORRECTED.items()
    }


FAR = {**made.MANY_STEPS, "algorithm": {"eta_u": 0.05, "eta_v": 0.1}}


def test_planted_faults_are_refuted(caught):
    # Not refuted: drift and noise, which SAM's part covers.
    faults = {
        "three times the gain": (scaled(u_gain=3), FAR),
        "K^2 in the gain": (scaled(u_gain=s.K_u), made.changed(FAR, steps_u=5, eta_u=0.01)),
        "no sharpness": (scaled(sharpness=0), made.OUTVOTED),
        "a fortieth of the sharpness": (scaled(sharpness=1 / 40), made.OUTVOTED),
        "sharpness eta^2": (scaled(sharpness=s.eta_u * s.L_u), made.OUTVOTED),
    }  # fmt: skip
    assert caught(STATEMENT, "corrected", faults) == []


@pytest.mark.parametrize("count", [8, pytest.param(200, marks=pytest.mark.slow)])
def test_random_instances_are_not_violated(never_violated, random_rounds, count):
    for together in (True, False):
        share = never_violated(
            STATEMENT,
            "corrected",
            lambda d, x=together: random_rounds(d, cap=0.125, together=x, sam=True),
            range(count),
        )
        assert share > 0.9
