"""Equation (19): read again, faults planted, random instances."""

import dataclasses

import pytest

from theorylab.statements import evaluate
from theorylab.statements.dfedalt import _instances as made
from theorylab.statements.dfedalt import _symbols as s
from theorylab.statements.dfedalt.eq19 import CORRECTED, PRINTED, STATEMENT
from theorylab.symbols import n

AT = {
    s.eta_u: 0.5, s.eta_v: 0.25, s.K_u: 3, s.K_v: 2, s.L_u: 2, s.L_v: 4, s.L_vu: 5, s.sigma_u: 6,
    s.sigma_v: 7, s.delta: 8, s.lam: 0.5, s.Delta_u: 9, s.Delta_v: 10, s.unit: 1, s.spread: 11,
    n: 4,
}  # fmt: skip
NOISE_U = made.changed({**made.SIGNS, "x0": 0.0, "problem": made.scalars(
    1, 1.0, 1.0, sigma_u=1.0, noise="rademacher"), "topology": made.COMPLETE, "clients": 1},
    eta_u=1e-3)  # fmt: skip
NOISE_V = {**NOISE_U, "problem": made.scalars(1, 1.0, 1.0, sigma_v=1.0, noise="rademacher")}
U_FAR = {**made.FAR, "x0": [1.0, 0.0]}
V_FAR = {**made.FAR, "x0": [0.0, 1.0]}


def test_terms_read_again_from_the_paper():
    S = 36 + 64
    u_gain = (-0.5 * 3 / 2 + 2 * 0.25 * 3 * 2 + 18 * 0.25 * 9 * (2 + 0.5 * 4) / 0.25) * 9
    by_hand = {
        "u gain": u_gain,
        "u noise": 2 * 0.25 * 3 * 2 * S,
        "consensus": 9 * 0.25 * 9 * (2 + 0.5 * 4) / 0.25 * S,
        "v gain": (-0.25 * 2 + 8 * 0.0625 * 4 * (4 + 1)) * 10,
        "v noise": 4 * 0.0625 * 4 * 49 * (4 + 1),
        "v apart": 18 * 0.25 * 25 * 9 * (S + 2 * 9) / 0.25,
    }
    assert {k: float(evaluate(v, AT)) for k, v in PRINTED.items()} == by_hand


def test_planted_faults_are_refuted(missed, scaling):
    scaled = scaling(CORRECTED)
    # Not refuted: the drift dropped (it needs third derivatives), the disagreement's factors.
    faults = {
        "three times the u gain": (scaled(u_gain=3), U_FAR),
        "12 times the v gain": (scaled(v_gain=12), V_FAR),
        "K^2 in the u gain": (scaled(u_gain=s.K_u), made.changed(U_FAR, steps_u=5, eta_u=0.01)),
        "no u noise": (scaled(u_noise=0, drift=0), NOISE_U),
        "a quarter of the u noise": (scaled(u_noise=0.25, drift=0), NOISE_U),
        "no v noise": (scaled(v_noise=0, v_gain=0), NOISE_V),
        "half of the v noise": (scaled(v_noise=0.5), NOISE_V),
        "v noise eta^3": (
            scaled(v_noise=s.eta_v * s.L_v), made.changed(NOISE_V, eta_v=0.05)
        ),
        "the v step alone": (scaled(v_apart=0, u_gain=0, u_apart=0, v_gain=12), V_FAR),
    }  # fmt: skip
    assert missed(STATEMENT, "corrected", faults) == set()


def test_a_step_ten_times_too_large_is_refuted(missed):
    content = STATEMENT.versions["corrected"]
    rest = tuple(a for a in content.assumes if "eta_u K_u" not in a.name)
    above = made.changed(U_FAR, eta_u=3.0)
    faults = {"any step": ({"assumes": rest}, above)}
    assert missed(STATEMENT, "corrected", faults) == set()
    assert dataclasses.replace(content, assumes=rest).checks == content.checks


@pytest.mark.parametrize("count", [10, pytest.param(200, marks=pytest.mark.slow)])
def test_random_instances_are_not_violated(holds_in_rounds, count):
    assert holds_in_rounds(STATEMENT, "corrected", range(count), cap=0.25) > 0.9
