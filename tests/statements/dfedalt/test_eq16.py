"""Equation (16): read again, faults planted, random instances."""

import pytest

from theorylab.statements import evaluate
from theorylab.statements.dfedalt import _instances as made
from theorylab.statements.dfedalt import _symbols as s
from theorylab.statements.dfedalt.eq16 import PRINTED, STATEMENT
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
        "gradient": 16 / 16 * 4 * 10,
        "noise": 8 / 16 * 4 * 49,
    }
    for name, number in by_hand.items():
        assert float(evaluate(PRINTED[name], AT)) == pytest.approx(number, rel=1e-14), name


def scaled(**factors):
    return {
        k: t * factors.get(k.replace(" ", "_").replace(",", "_"), 1) for k, t in PRINTED.items()
    }


REST = {**made.SIGNS, "x0": 0.0, "problem": made.scalars(
    2, 1.0, 1.0, sigma_v=1.0, noise="rademacher")}  # fmt: skip
REST = made.changed(REST, eta_v=1e-3)
PULL = made.changed(made.STEEP_HEADS, eta_v=1e-4)


def test_planted_faults_are_refuted(caught):
    # The slack is 16 before the gradient and 8 K_v before the noise.
    faults = {
        "no gradient": (scaled(gradient=0), PULL),
        "a twentieth of the gradient": (scaled(gradient=0.05), PULL),
        "eta^3 before the gradient": (scaled(gradient=s.eta_v * s.L_v), PULL),
        "no noise": (scaled(noise=0), REST),
        "a thirtieth of the noise": (scaled(noise=1 / 30), REST),
        "eta^3 before the noise": (scaled(noise=s.eta_v * s.L_v), REST),
    }  # fmt: skip
    assert caught(STATEMENT, "printed", faults) == []


@pytest.mark.parametrize("count", [8, pytest.param(200, marks=pytest.mark.slow)])
def test_random_instances_are_not_violated(never_violated, random_rounds, count):
    for together in (True, False):
        share = never_violated(
            STATEMENT,
            "printed",
            lambda d, x=together: random_rounds(d, cap=0.5, together=x, sam=False),
            range(count),
        )
        assert share > 0.9
