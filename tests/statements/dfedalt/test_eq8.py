"""Equation (8): read again, faults planted, random instances."""

import pytest

from theorylab.statements import evaluate
from theorylab.statements.dfedalt import _instances as made
from theorylab.statements.dfedalt import _symbols as s
from theorylab.statements.dfedalt.eq8 import PRINTED, STATEMENT
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
        "gain": -0.5 * 3 / 2 * 9,
        "T_1,u": 0.5 * 4 / 2 * 13,
        "T_2,u": 14,
    }
    for name, number in by_hand.items():
        assert float(evaluate(PRINTED[name], AT)) == pytest.approx(number, rel=1e-14), name


def scaled(**factors):
    return {
        k: t * factors.get(k.replace(" ", "_").replace(",", "_"), 1) for k, t in PRINTED.items()
    }


ONE = {**made.FAR, "x0": [1.0, 0.0]}


def test_planted_faults_are_refuted(caught):
    faults = {
        "three times the gain": (scaled(gain=3), ONE),
        "no T_2,u": (scaled(T_2_u=0), made.changed(ONE, eta_u=1.5)),
        "half of T_2,u": (scaled(T_2_u=0.5), made.changed(ONE, eta_u=3.0)),
        "no T_1,u": (scaled(T_1_u=0), made.TILTED),
        "a tenth of T_1,u": (scaled(T_1_u=0.1), made.TILTED),
        "T_1,u / K": (scaled(T_1_u=1 / s.K_u), made.TILTED),
        "K^2 in the gain": (scaled(gain=s.K_u), made.changed(ONE, steps_u=5, eta_u=0.01)),
    }  # fmt: skip
    assert caught(STATEMENT, "printed", faults) == []


@pytest.mark.parametrize("count", [8, pytest.param(200, marks=pytest.mark.slow)])
def test_random_instances_are_not_violated(never_violated, random_rounds, count):
    for together in (True, False):
        share = never_violated(
            STATEMENT,
            "printed",
            lambda d, x=together: random_rounds(d, cap=3.0, together=x, sam=False),
            range(count),
        )
        assert share > 0.9
