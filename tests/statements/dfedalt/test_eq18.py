"""Equation (18): read again, faults planted, random instances."""

import pytest

from theorylab.statements import evaluate
from theorylab.statements.dfedalt import _instances as made
from theorylab.statements.dfedalt import _symbols as s
from theorylab.statements.dfedalt.eq18 import PRINTED, STATEMENT, V_CORRECTED
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
        "v gain": (-0.25 * 2 + 8 / 16 * 4 * 5) * 10,
        "v noise": 4 / 16 * 4 * 49 * 5,
        "v apart": 25 / 0.25 * 18 * 0.25 * 9 * (100 + 18),
    }
    for name, number in by_hand.items():
        assert float(evaluate(PRINTED[name], AT)) == pytest.approx(number, rel=1e-14), name


def scaled(**factors):
    return {
        k: t * factors.get(k.replace(" ", "_").replace(",", "_"), 1) for k, t in V_CORRECTED.items()
    }


FAR = {**made.FAR, "x0": [0.0, 1.0]}
REST = made.changed({**made.SIGNS, "x0": 0.0, "problem": made.scalars(
    1, 1.0, 1.0, sigma_v=1.0, noise="rademacher"), "topology": made.COMPLETE, "clients": 1},
    eta_u=1e-3)  # fmt: skip


def test_planted_faults_are_refuted(caught):
    faults = {
        "12 times the gain": (scaled(v_gain=12), FAR),
        "K^3 in the gain": (scaled(v_gain=s.K_v**2), made.changed(FAR, steps_v=4, eta_v=0.01)),
        "no noise": (scaled(v_noise=0, v_gain=0), REST),
        "half of the noise": (scaled(v_noise=0.5), REST),
        "noise eta^3": (scaled(v_noise=s.eta_v * s.L_v), made.changed(REST, eta_v=0.05)),
        "no apart": (scaled(v_apart=0), made.OPPOSED),
        "a tenth of apart": (scaled(v_apart=0.1), made.OPPOSED),
    }  # fmt: skip
    assert caught(STATEMENT, "corrected", faults) == []


@pytest.mark.parametrize("count", [8, pytest.param(200, marks=pytest.mark.slow)])
def test_random_instances_are_not_violated(never_violated, random_rounds, count):
    for together in (True, False):
        share = never_violated(
            STATEMENT,
            "corrected",
            lambda d, x=together: random_rounds(d, cap=0.24, together=x, sam=False),
            range(count),
        )
        assert share > 0.9


@pytest.mark.parametrize("count", [8, pytest.param(100, marks=pytest.mark.slow)])
def test_the_printed_bound_holds_under_its_caps(never_violated, random_rounds, count):
    def make(draw):
        found = random_rounds(draw, cap=0.2)
        found["topology"] = {"name": "complete"}
        return {**found, "constants": {"dfedalt_unit": 1}}

    assert never_violated(STATEMENT, "printed/cap", make, range(count)) > 0.9
