"""Equation (18): read again, faults planted, random instances."""

import pytest

from theorylab.statements.dfedalt import _instances as made
from theorylab.statements.dfedalt import _symbols as s
from theorylab.statements.dfedalt._descent import V_STEP as V_CORRECTED
from theorylab.statements.dfedalt.eq18 import PRINTED, STATEMENT


def test_terms_read_again_from_the_paper(read_again):
    by_hand = {
        "v gain": (-0.25 * 2 + 8 / 16 * 4 * 5) * 10,
        "v noise": 4 / 16 * 4 * 49 * 5,
        "v apart": 25 / 0.25 * 18 * 0.25 * 9 * (100 + 18),
    }
    read_again(PRINTED, by_hand)


FAR = {**made.FAR, "x0": [0.0, 1.0]}
REST = made.changed({**made.SIGNS, "x0": 0.0, "problem": made.scalars(
    1, 1.0, 1.0, sigma_v=1.0, noise="rademacher"), "topology": made.COMPLETE, "clients": 1},
    eta_u=1e-3)  # fmt: skip


def test_planted_faults_are_refuted(missed, scaling):
    scaled = scaling(V_CORRECTED)
    faults = {
        "12 times the gain": (scaled(v_gain=12), FAR),
        "K^3 in the gain": (scaled(v_gain=s.K_v**2), made.changed(FAR, steps_v=4, eta_v=0.01)),
        "no noise": (scaled(v_noise=0, v_gain=0), REST),
        "half of the noise": (scaled(v_noise=0.5), REST),
        "noise eta^3": (scaled(v_noise=s.eta_v * s.L_v), made.changed(REST, eta_v=0.05)),
        "no apart": (scaled(v_apart=0), made.OPPOSED),
        "a tenth of apart": (scaled(v_apart=0.1), made.OPPOSED),
    }  # fmt: skip
    assert missed(STATEMENT, "corrected", faults) == set()


@pytest.mark.parametrize("count", [8, pytest.param(200, marks=pytest.mark.slow)])
def test_random_instances_are_not_violated(holds_in_rounds, count):
    assert holds_in_rounds(STATEMENT, "corrected", range(count), cap=0.24) > 0.9


@pytest.mark.parametrize("count", [8, pytest.param(100, marks=pytest.mark.slow)])
def test_the_printed_bound_holds_under_its_caps(never_violated, random_rounds, count):
    def make(draw):
        found = random_rounds(draw, cap=0.2)
        found["topology"] = {"name": "complete"}
        return {**found, "constants": {"dfedalt_unit": 1}}

    assert never_violated(STATEMENT, "printed/cap", make, range(count)) > 0.9


def test_each_reading_assumes_what_its_name_says():
    assumed = {name: {a.name for a in v.assumes} for name, v in STATEMENT.versions.items()}
    together, head = "all u_i start at one point", "Lemma 2: eta_v <= 1/(2 K_v L_v)"
    letter = "Appendix C.2: eta_u << (1-lambda)/(3 sqrt(2 K_u L_u)), read <="
    inside = "Theorem 1's proof: eta_u <= (1-lambda)/(3 sqrt(2) K_u L_u)"
    assert {letter, head} <= assumed["printed"]
    assert not {together, inside} & assumed["printed"]
    assert {together, inside, head} <= assumed["printed/cap"]
    assert letter not in assumed["printed/cap"]
    assert "corrected: eta_v K_v L_v <= 1/4" in assumed["corrected"]
    assert together not in assumed["corrected"]
