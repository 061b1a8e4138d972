"""Which statements of DFedPGP are false, by which fault, and its size in the paper's runs."""

import math
from fractions import Fraction

import numpy as np
import pytest

from theorylab.report.faults import claims_of
from theorylab.report.tally import grouped, refutation
from theorylab.statements import BUILT_IN
from theorylab.statements.dfedalt._causes import FIRST_HEADS, LOST_SQUARE, ONE_MINIBATCH
from theorylab.statements.dfedpgp._causes import (
    CAP,
    HEADS_AT_U,
    NO_STEP_SIZE,
    VANISHING_NOISE,
)
from theorylab.statements.dfedsgpsm._causes import (
    DEGREE_FACTOR,
    DEGREE_RATE,
    FIRST_SHARES,
    OWN_MODEL,
)
from theorylab.topologies import topology

# Section 5.1, Appendix C.2: 50,000 images of 100 clients, batches of 128, 5 epochs and 1.
CLIENTS, BATCHES = 100, math.ceil(50_000 / 100 / 128)
K_U, K_V = 5 * BATCHES, BATCHES
OWN = {
    "eq6": "missing hypothesis", "alg1_input": "misprint", "thm1": "wrong order",
    "thm1_growth": "missing hypothesis", "cor1_growth": "wrong order", "eq8": "misprint",
    "lem2": "wrong order", "eq15": "wrong order", "eq17": "wrong constant", "eq18": "wrong order",
    "eq25": "wrong order", "eq28": "wrong order", "eq31": "wrong order", "tab1": "misprint",
    "tab8": "misprint",
}  # fmt: skip
INHERITED = {"cor1": "wrong order", "eq29": "misprint"}
READINGS = {
    "rem2": "wrong order", "lem3": "wrong order",
    "eq23": "missing hypothesis", "eq23_descent": "missing hypothesis",
    "eq26": "missing hypothesis", "eq33": "empty", "tab2": "wrong constant",
}  # fmt: skip


def test_false_are_these_each_by_its_worst_cause():
    found = {"own": {}, "inherited": {}, "reading": {}}
    for name, claims in grouped(claims_of("dfedpgp")).items():
        if (refuted := refutation(claims)) is not None:
            found[refuted.kind][name.partition(".")[2]] = refuted.severity
    assert found == {"own": OWN, "inherited": INHERITED, "reading": READINGS}


@pytest.mark.parametrize(
    "cause", [ONE_MINIBATCH, LOST_SQUARE, FIRST_HEADS, FIRST_SHARES, OWN_MODEL, DEGREE_RATE,
              DEGREE_FACTOR], ids=lambda cause: cause.id,
)  # fmt: skip
def test_a_line_that_another_paper_prints_too_is_read_as_it_is_there(cause):
    kinds = []
    for home in cause.homes:
        versions = BUILT_IN[home].versions
        kinds.append({v.partition("/")[0] + "/" * (v != "printed")
                      for v, content in versions.items() if cause in content.causes})  # fmt: skip
    papers = {home.partition(".")[0] for home in cause.homes}
    assert "dfedpgp" in papers
    assert len(papers) == 2
    of_a_reading = cause in (ONE_MINIBATCH, DEGREE_RATE, DEGREE_FACTOR)
    assert all(("printed" not in kind) == of_a_reading for kind in kinds)


def test_one_minibatch_a_round_does_not_pass_what_26_allows_in_the_paper_s_runs():
    # from the optimum 1/2 (eta K_u sigma)^2/m against 5/2 eta^2 K_u sigma^2
    share = Fraction(K_U**2, 2 * CLIENTS) / (Fraction(5, 2) * K_U)
    assert (K_U, share) == (20, Fraction(4, 100))
    assert f"K_u = {K_U}" in ONE_MINIBATCH.effect
    assert "K_u/(5 m) = .04 times" in ONE_MINIBATCH.effect


def test_the_printed_noise_of_the_heads_is_too_small_below_an_l_v_of_3_percent():
    # L/2 eta^2 K sigma^2 against 4 eta^2 K^2 L^2 (1 + L) sigma^2: equal where 8 K L (1 + L) = 1
    root = (-1 + math.sqrt(1 + 1 / (2 * K_V))) / 2
    assert 8 * K_V * root * (1 + root) == pytest.approx(1, rel=1e-12)
    assert f"L_v < {root:.4f}".replace("0.", ".") in VANISHING_NOISE.effect
    assert f"K_v = {K_V} " in VANISHING_NOISE.effect


def test_the_paper_s_steps_add_up_to_less_than_ten_times_k_u_in_however_many_rounds():
    each = Fraction(1, 10) / (1 - Fraction(99, 100))  # K_u of them in a round
    assert (each, K_U * each) == (10, 200)
    assert "less than 10 for each" in NO_STEP_SIZE.effect
    assert f"less than 200 in all with K_u = {K_U}" in NO_STEP_SIZE.effect


def test_the_cap_lets_gradient_descent_diverge_from_this_l_u_on():
    # 1/(4 sqrt(2 L K)) = 2/L
    edge = 128 * K_U
    assert 1 / (4 * math.sqrt(2 * edge * K_U)) == 2 / edge
    assert f"L_u > {edge}" in CAP.effect


def test_theorem_1_is_shown_first_with_two_local_steps_where_mu_is_not_one():
    for name in ("printed/eq32", "printed/eq32-debiased"):
        shown = BUILT_IN["dfedpgp.thm1"].versions[name].checks[0]
        run, clients = shown.instance["algorithm"], shown.instance["clients"]
        assert (shown.expect, run["steps_u"], run["steps_v"]) == ("VIOLATED", 2, 2)
        options = {k: v for k, v in shown.instance["topology"].items() if k != "name"}
        network = topology(shown.instance["topology"]["name"], clients, **options)
        assert np.ptp(network.matrix(0).toarray() @ np.ones(clients)) > 0.1


def test_with_rows_that_sum_to_one_every_weight_stays_one():
    network = topology("random-in", CLIENTS, degree=10, seed=3)
    mu = np.ones(CLIENTS)
    for t in range(5):
        mu = network.matrix(t, 0).toarray() @ mu
    assert mu == pytest.approx(np.ones(CLIENTS), rel=1e-13)  # eleven shares of 1/11, five times
    assert "every mu_i stays 1" in HEADS_AT_U.effect
