"""Growth over Corollary 1's bracket, where it is known in closed form."""

import math

import numpy as np
import pytest

from theorylab.experiments import experiment
from theorylab.experiments.dfedpgp_growth import (
    corrected_terms,
    lopsided,
    measured_at,
    printed_terms,
    shares_of_caps,
)

NOISE = {
    "problem": {
        "name": "coupled-quadratic", "mu_u": 1.0, "L_u": 1.0, "mu_v": 1.0, "L_v": 1.0,
        "coupling": 0.0, "dim_u": 1, "dim_v": 1, "heterogeneity": 0.0, "sigma_u": 1.0,
    },
    "topology": {"name": "complete"},
    "clients": 1,
    "algorithm": {"steps_u": 1, "steps_v": 1, "batch": "per-step"},
    "sweep": "rounds",
    "values": [10**k for k in range(6, 10)],
}  # fmt: skip


def test_the_ratio_of_pure_noise_tends_to_a_half():
    # E Delta_u/L_u tends to eta sigma^2/(2 - eta L), about sigma^2/(2 L sqrt T)
    made = experiment("dfedpgp-growth", **NOISE)
    for row, T in zip(made.observe("ratio", range(1), 0).rows, NOISE["values"], strict=True):
        assert float(row.values[0]) == pytest.approx(0.5, rel=3 / math.sqrt(T))
    (growth,) = made.observe("growth", range(1), 0).rows
    assert float(growth.values[0]) == pytest.approx(1.0, abs=2e-3)


def test_a_steeper_bracket_grows_by_its_missing_power():
    made = experiment("dfedpgp-growth", **NOISE, exponent=1.5)
    (row,) = made.observe("growth", range(1), 0).rows
    assert float(row.values[0]) == pytest.approx(10**0.25, rel=2e-3)


def test_falling_values_grow_towards_zero():
    options = {**NOISE, "sweep": "L_u", "values": [1.0, 0.1, 0.01], "rounds": 10**6, "follow": -1.0}
    made = experiment("dfedpgp-growth", **options)
    ratios = [float(r.values[0]) for r in made.observe("ratio", range(1), 0).rows]
    slope = np.polyfit([0.0, 1.0, 2.0], np.log10(ratios), 1)[0]
    (row,) = made.observe("growth", range(1), 0).rows
    assert float(row.values[0]) == pytest.approx(10**slope, rel=1e-10)


def test_brackets_are_compared_at_one_start():
    # two clients at +-a and x0 = 1: F(ubar^1) depends on K_u, the start that (4) is given does not
    problem = {**NOISE["problem"], "heterogeneity": 1.0, "sigma_u": 2.0}
    options = {**NOISE, "problem": problem, "clients": 2, "sweep": "steps_u", "x0": 1.0}
    made = experiment("dfedpgp-growth", **{**options, "values": [1, 2, 4], "rounds": 100})
    found = made.observe("bracket", range(1), 0).rows
    assert [r.label for r in found] == ["steps_u=2", "steps_u=4"]
    (first,) = measured_at(made._at(1), "stationarity_debiased").rows
    start = first.at["dfedpgp_f_first"].value
    for row, K in zip(found, (2, 4), strict=True):
        known = {name: known.value for name, known in made._at(K).known.items()}
        assert known["dfedpgp_K_u"] == K
        want = sum(printed_terms(known, start, 100))
        assert float(row.values[0]) == pytest.approx(want, rel=1e-14)
        assert float(row.values[0]) < row.at["dfedpgp_first_value"]


KNOWN = {
    "C_row": 2.0, "q_row": 0.5, "C": 3.0, "q": 0.25, "delta": 0.5, "dfedpgp_L_u": 2.0,
    "dfedpgp_L_v": 8.0, "dfedpgp_L_uv": 1.0, "dfedpgp_L_vu": 2.0, "dfedpgp_K_u": 5.0,
    "dfedpgp_K_v": 4.0, "dfedpgp_sigma_u": 1.0, "dfedpgp_sigma_v": 3.0, "dfedpgp_sigma_g": 2.0,
    "dfedpgp_f_best": 1.0, "dfedpgp_f_start": 11.0, "dfedpgp_start_spread": 0.625,
}  # fmt: skip


def test_the_brackets_are_the_papers_by_hand():
    # chi^2 = 4/16, C^2/(1-q)^2 = 16, sigma_u^2 + sigma_g^2 = 5
    first = 10 + 9 * 9 + (1 / 10 + 8 / 4 * 16 / 2) * 5
    want = [first / 10, 16 / 2 * 5 / 100, (4 / 10 + 16 / 10) * 5 / 1000]
    assert printed_terms(KNOWN, 11.0, 100) == pytest.approx(want, rel=1e-14)
    # L^2 C^2 S_0/(1-q^2) = 36 * 0.625/(15/16) = 24
    want = [(10 + 1 / 10 + 9 / 32) / 10, ((4 + 16) * 5 + 24) * (1 / 2 + 4 / 32) / 100]
    assert corrected_terms(KNOWN, 100) == pytest.approx(want, rel=1e-14)


def test_the_cap_is_theorem_1_s():
    options = {**NOISE, "algorithm": {"steps_u": 4}, "law": "cap", "shares": [0.5, 1.0]}
    eta_u = experiment("dfedpgp-growth", **options)._at(10**6).algorithm.eta_u
    assert eta_u == pytest.approx(0.5 / (4 * math.sqrt(2 * 4)), rel=1e-14)


SIXTEENTHS = {key: NOISE[key] for key in ("problem", "algorithm")} | {
    "sweep": "1/delta",
    "values": [2.0, 4.0, 16.0],
    "rounds": 10**4,
    "follow": 2.0,
}


def test_a_lopsided_pair_has_the_delta_it_is_made_for():
    for delta in (1.0, 0.5, 1 / 16):
        P = np.zeros((2, 2))
        for j, i, weight in lopsided(delta)["topology"]["edges"]:
            P[i, j] = weight
        assert P.sum(axis=0) == pytest.approx([1, 1], abs=0)
        assert np.linalg.matrix_power(P, 80).sum(axis=1) == pytest.approx([delta, 2 - delta])
        assert np.trace(P) == 1.5  # the other eigenvalue is 1/2
    made = experiment("dfedpgp-growth", **SIXTEENTHS)
    for value, T in ((2.0, 10**4), (16.0, 64 * 10**4)):
        run = made._at(value)
        assert run.horizon == T
        assert run.known["delta"].value == pytest.approx(1 / value, rel=1e-6)


def test_growth_that_ends_below_what_an_o_may_hide_is_not_shown():
    # along T the bracket^1.5 loses T^(1/4): 0.5 * 10^(k/4) at T = 10^k, above 32 from 10^8 on
    for values, shown in ([10**3, 10**4, 10**5, 10**6], False), ([10**6, 10**7, 10**8], True):
        options = {**NOISE, "values": values, "exponent": 1.5}
        (row,) = experiment("dfedpgp-growth", **options).observe("growth", range(1), 0).rows
        assert float(row.values[0]) > 1.7
        assert (row.least > 1.7) is shown


def test_the_shares_of_the_caps_by_hand():
    # c_u = c_v = 1, T = 10^4, delta = 1/2: x = .02, K = 4, no coupling
    options = {**SIXTEENTHS, "algorithm": {**NOISE["algorithm"], "steps_u": 4}}
    run = experiment("dfedpgp-growth", **options)._at(2.0)
    known = run.known
    beta = 0.5 * (1.005**4 - 1) * known["C"].value * known["q"].value / (1 - known["q"].value)
    both, printed = shares_of_caps(run)
    assert printed == pytest.approx(4 * math.sqrt(2) * 0.02, rel=1e-6)
    assert both == pytest.approx(2 * (1.005**3 / (1 - beta) - 1), rel=1e-6)
    assert both > 0.05  # the other shares are at most 2 x = .04


def test_steady_says_whether_the_sigmas_change():
    sweep = {**NOISE, "sweep": "L_u", "values": [1.0, 2.0, 4.0], "rounds": 100, "clients": 2}
    for heterogeneity, steady in ((0.0, 1), (1.0, 0)):
        problem = {**NOISE["problem"], "heterogeneity": heterogeneity}
        made = experiment("dfedpgp-growth", **{**sweep, "problem": problem})
        assert made.constants()["dfedpgp_steady"].value == steady


BAD = {
    "sweep": ({"sweep": "L"}, "need one of rounds"),
    "law": ({"law": "x"}, "need one of corollary"),
    "bracket": ({"bracket": "x"}, "need one of printed"),
    "few": ({"values": [1, 2]}, "three or more"),
    "zigzag": ({"values": [1, 3, 2]}, "rising or falling"),
    "fraction": ({"values": [1.5, 2.5, 3.5]}, "integers >= 1"),
    "exponent": ({"exponent": 0.0}, "need > 0"),
    "network": ({"sweep": "1/delta"}, "and with sweep '1/delta' none"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_options_are_one_line(case):
    change, text = BAD[case]
    with pytest.raises(ValueError, match=text):
        experiment("dfedpgp-growth", **{**NOISE, **change})


def test_a_sampled_left_side_has_no_growth_here():
    problem = {"name": "sin-sin", "sigma_u": 0.3, "sigma_v": 0.3}
    options = {**NOISE, "problem": problem, "bracket": "corrected", "values": [2, 3, 4]}
    with pytest.raises(ValueError, match="sampled; need coupled-quadratic"):
        experiment("dfedpgp-growth", **options).observe("growth", range(1), 0)
