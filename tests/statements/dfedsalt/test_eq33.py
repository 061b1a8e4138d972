"""Equation (33): read again, faults planted, random instances."""

import pytest

from theorylab.statements import evaluate
from theorylab.statements.dfedalt import _symbols as s
from theorylab.statements.dfedsalt import _instances as made
from theorylab.statements.dfedsalt.eq33 import CORRECTED, EQ27, PRINTED, STATEMENT
from theorylab.symbols import n, rho

AT = {
    s.eta_u: 0.5, s.eta_v: 0.25, s.K_u: 3, s.K_v: 2, s.L_u: 2, s.L_v: 4, s.L_vu: 5, s.sigma_u: 6,
    s.sigma_v: 7, s.delta: 8, s.lam: 0.5, s.Delta_u: 9, s.Delta_v: 10, s.unit: 1, s.spread: 11,
    n: 4, rho: 3, s.L_sample: 7,
}  # fmt: skip


def test_every_check_gets_its_verdict(judged):
    found = judged(STATEMENT)
    worst = found["printed", "outvoted"]
    # -eta g (g + rho/3), g = -.8/3, rho = 2, up to eta
    g = -0.8 / 3
    assert worst.measured == pytest.approx(-1e-4 * g * (g + 2 / 3), rel=1e-3)


def test_terms_read_again_from_the_paper():
    S, sharp = 36 + 64, 4 * 9
    v = {
        "v gain": (-0.25 * 2 + 8 * 0.0625 * 4 * (4 + 1)) * 10,
        "v noise": 4 * 0.0625 * 4 * 49 * (4 + 1),
        "v apart": 25 / 0.25 * (3 * 0.25 * 3 * sharp + 9 * 0.25 * 9 * (S + 2 * 9)),
    }
    printed = {
        "u gain": (0.25 - 1.5 + 54 * 0.125 * 27 * 4 / 0.25) * 9,
        "u noise": 2.5 * 0.25 * 3 * 2 * (sharp + S),
        "consensus": 3 * 0.5 * 3 * 4 / (2 * 0.25) * (6 * 0.25 * 3 * sharp + 18 * 0.25 * 9 * S),
    }
    eq27 = {
        "u gain": (-0.75 + 2.5 * 0.25 * 3 * 2 + 18 * 0.125 * 9 * 4 * (1 + 5 * 3) / 0.25) * 9,
        "u noise": printed["u noise"],
        "consensus": 3 * 0.125 * 3 * 4 / 0.25 * (sharp + 9 * S),
        "consensus 2": 15 * 0.0625 * 9 * 8 / 0.25 * (sharp + 9 * S),
    }
    for terms, by_hand in ((PRINTED, printed | v), (EQ27, eq27 | v)):
        found = {k: float(evaluate(term, AT)) for k, term in terms.items()}
        assert found == pytest.approx(by_hand, rel=1e-14)


def test_planted_faults_are_refuted(missed, scaling):
    scaled = scaling(CORRECTED)
    # Not refuted: half of the sharpness: at its worst, g = -rho L (1 - 2/m)/2, -g^2 + ... leaves
    # 1/4 of L^2 rho^2 for m -> infinity, here 1/36 (m = 3).
    out = made.OUTVOTED
    faults = {
        "no sharpness": (scaled(sharpness=0), out),
        "a hundredth of it": (scaled(sharpness=0.01), out),
        "eta^2 before rho^2": (scaled(sharpness=s.eta_u * s.L_u), out),
        "rho^2 as (33) has it": (
            scaled(sharpness=40 / 17 * s.eta_u * s.L_u), made.changed(out, eta_u=1e-5)
        ),
        "half of the gain, no rho": (scaled(sharpness=0, u_gain=0.5), out),
        "rho^2/K": (scaled(sharpness=1 / s.K_u**2), made.changed(out, steps_u=8, eta_u=1e-6)),
    }  # fmt: skip
    assert missed(STATEMENT, "corrected", faults) == set()


@pytest.mark.parametrize("count", [10, pytest.param(200, marks=pytest.mark.slow)])
def test_random_instances_are_not_violated(holds_in_rounds, count):
    assert holds_in_rounds(STATEMENT, "corrected", range(count), cap=0.25, sam=True) > 0.9
