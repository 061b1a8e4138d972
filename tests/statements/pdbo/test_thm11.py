"""Theorem 11's bias is too small as printed; the corrected one holds."""

from dataclasses import replace

import numpy as np
import pytest

from theorylab.statements import Check
from theorylab.statements.pdbo._symbols import L_y, eta_A, eta_B, y_gap
from theorylab.statements.pdbo.thm11 import STATEMENT
from theorylab.verdicts import judge_check

# One client, no noise, nothing truncated: what is left is the Jacobians' bias.
ONE = STATEMENT.versions["corrected"].checks[0]
PLANTED = {
    "a quarter": lambda t: t / 4,
    "no 1 / (1 - eta_A)": lambda t: t * (1 - eta_A),
    "printed factor": lambda t: t * (1 - eta_A) / 2,
    "L_y squared": lambda t: t * L_y * y_gap,
    "no L_y": lambda t: t.subs(L_y, 0),
    "a quarter of eta_B": lambda t: t.subs(eta_B, eta_B / 4),
}


def test_planted_losses_are_refuted_by_one_client(missed):
    assert missed(STATEMENT, "corrected", PLANTED, at=ONE.instance) == set()


def test_the_bias_of_one_client_is_the_closed_form():
    """eta_B / (1 - eta_A s): Bt / (1 - At) - B / (1 - A) with s = 1 and s = .5, c = 1."""
    found = judge_check(STATEMENT, "corrected", ONE)
    assert found.measured == pytest.approx(1 / (1 - 0.8) - 1 / (1 - 0.4), rel=1e-12)


def test_the_printed_bias_has_n_times_the_sum_of_distances():
    told = STATEMENT.versions["printed/c-at-yt"]
    bias = replace(told, terms={"bias": told.terms["bias"]})
    found = judge_check(replace(STATEMENT, versions={"printed": bias}), "printed", told.checks[0])
    k = {name: known["value"] for name, known in found.constants.items()}
    G = 3 * (3 * 1.0)  # three clients, each at a distance of 1
    wanted = k["eta_B"] * k["c_norm"] / (1 - k["eta_A"]) * (k["L_y"] + k["L_lambda"]) * G
    assert found.bound == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize("number", range(30))
def test_with_two_or_more_clients_the_printed_bias_is_never_violated(number):
    rng = np.random.default_rng(number)
    options = {
        "clients": int(rng.integers(2, 7)),
        "network": {"name": ["complete", "star", "ring", "path"][number % 4]},
        "eta_A": [0.05, 0.343, 0.9, 0.999][number // 4 % 4],  # .343: where the proof's factor peaks
        "level": float(rng.uniform(-1, 1)),
        "slope": float(10 ** rng.uniform(-3, 3)),
        "gap": float(rng.normal() * 10 ** rng.uniform(-3, 3)),
        **{"alpha": 0.99999, "beta": 0.0001},
    }
    check = Check("random", options)
    found = judge_check(STATEMENT, "printed/two-or-more-clients", check)
    # .99999 is 1 - .0001 + .0001 * .9, which the version leaves out
    left_out = options["eta_A"] == 0.9
    assert found.verdict == ("ASSUMPTION_FAILS" if left_out else "HOLDS"), found.reason


def no_violation(number):
    rng = np.random.default_rng(number)
    n = int(rng.integers(1, 4))
    options = {
        "clients": n,
        "eta_A": float(rng.uniform(0.05, 0.99)),
        "eta_B": float(10 ** rng.uniform(-2, 2)),
        "level": float(rng.uniform(-1, 1)),
        "slope": float(10 ** rng.uniform(-3, 3)),
        "gap": float(rng.normal() * 10 ** rng.uniform(-3, 3)),
        "curvature": float(rng.normal() * 10 ** rng.uniform(-3, 1)),
        "follow": bool(rng.integers(2)),
        "alpha": float(rng.uniform(0.01, 0.999)),
        "beta": float(rng.uniform(0.001, 0.99)),
        "terms": [1, 2],
    }
    cases = [("corrected", options)]
    table = rng.uniform(0.05, 1.0, (2, 2)).tolist()
    drawn = {**options, "clients": 2, "network": {"name": "sto-d", "probabilities": table}}
    cases.append(("corrected/finite", drawn))
    for version, instance in cases:
        found = judge_check(STATEMENT, version, Check("random", instance))
        assert found.verdict == "HOLDS", found.reason


@pytest.mark.parametrize("number", range(20))
def test_random_true_instances_are_never_violated(number):
    no_violation(number)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(20, 220))
def test_two_hundred_true_instances_are_never_violated(number):
    no_violation(number)
