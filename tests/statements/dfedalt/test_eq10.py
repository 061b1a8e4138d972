"""Equation (10): read again, faults planted, random instances."""

import pytest

from theorylab.statements import evaluate
from theorylab.statements.dfedalt import _instances as made
from theorylab.statements.dfedalt import _symbols as s
from theorylab.statements.dfedalt.eq10 import PRINTED, STATEMENT
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
        "apart": 2 * 4 * 11,
        "Delta_u": 18,
    }
    for name, number in by_hand.items():
        assert float(evaluate(PRINTED[name], AT)) == pytest.approx(number, rel=1e-14), name


def scaled(**factors):
    return {
        k: t * factors.get(k.replace(" ", "_").replace(",", "_"), 1) for k, t in PRINTED.items()
    }


def test_planted_faults_are_refuted(caught):
    faults = {
        "no Delta_u": (scaled(Delta_u=0), made.MANY_STEPS),
        "a quarter of Delta_u": (scaled(Delta_u=0.25), made.MANY_STEPS),
        "no apart": (scaled(apart=0), made.OPPOSED),
        "a twentieth of apart": (scaled(apart=0.05), made.OPPOSED),
        "apart with lambda^5": (scaled(apart=s.lam**5), made.OPPOSED),
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
