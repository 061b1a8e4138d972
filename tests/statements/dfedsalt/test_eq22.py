"""Where (22) should stand: read again, faults planted, random instances."""

import pytest

from theorylab.statements import evaluate
from theorylab.statements.dfedalt import _symbols as s
from theorylab.statements.dfedsalt import _instances as made
from theorylab.statements.dfedsalt.eq22 import CORRECTED, STATEMENT
from theorylab.symbols import n, rho

AT = {
    s.eta_u: 0.5, s.eta_v: 0.25, s.K_u: 3, s.K_v: 2, s.L_u: 2, s.L_v: 4, s.L_vu: 5, s.sigma_u: 6,
    s.sigma_v: 7, s.delta: 8, s.lam: 0.5, s.Delta_u: 9, s.Delta_v: 10, s.unit: 1, s.spread: 11,
    s.G: 12, s.wander: 13, s.leap: 14, s.head_leap: 15, s.L_sample: 3, n: 4, rho: 1.5,
}  # fmt: skip


def test_every_check_gets_its_verdict(judged):
    judged(STATEMENT)


def test_corrected_terms_by_hand():
    by_hand = {
        "gain": -0.5 * 3 / 2 * 9,
        "T_1,u": 0.5 * 4 * 13,
        "sharpness": 0.5 * 3 * 9 * 2.25,
        "T_2,u": 14,
    }
    for name, number in by_hand.items():
        assert float(evaluate(CORRECTED[name], AT)) == pytest.approx(number, rel=1e-14), name


def scaled(**factors):
    return {
        k: t * factors.get(k.replace(" ", "_").replace(",", "_"), 1) for k, t in CORRECTED.items()
    }


ONE = {**made.MANY_STEPS, "algorithm": {"eta_u": 0.05, "eta_v": 0.1}}


def test_planted_faults_are_refuted(caught):
    # Not refuted: a factor 1/2 of sharpness or T_1,u.
    faults = {
        "three times the gain": (scaled(gain=3), ONE),
        "no T_2,u": (scaled(T_2_u=0), made.changed(ONE, eta_u=1.5)),
        "half of T_2,u": (scaled(T_2_u=0.5), made.changed(ONE, eta_u=3.0)),
        "no sharpness": (scaled(sharpness=0), made.OUTVOTED),
        "a thirtieth of the sharpness": (scaled(sharpness=1 / 30), made.OUTVOTED),
        "sharpness with eta^2": (scaled(sharpness=s.eta_u * s.L_u), made.OUTVOTED),
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
