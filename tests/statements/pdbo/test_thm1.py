"""SGP can't satisfy Theorem 1; the corrected bound holds, and for SGP too."""

import math
from dataclasses import replace

import pytest
import sympy as sp

from theorylab.experiments import experiment
from theorylab.statements import Check
from theorylab.statements.pdbo import thm8
from theorylab.statements.pdbo._symbols import edge_swing, eps_chance, phi_A, phi_B
from theorylab.statements.pdbo.thm1 import EXACT, STATEMENT, TEN_CLIENTS
from theorylab.verdicts import judge_check


@pytest.mark.parametrize("check", [EXACT, TEN_CLIENTS], ids=["every-pattern", "ten-clients"])
def test_the_same_bound_on_the_same_instance_gets_theorem_8_s_verdict(check):
    one = judge_check(STATEMENT, "printed/any-maps", Check("same", check))
    other = judge_check(thm8.STATEMENT, "printed", Check("same", check))
    assert one.bound == other.bound
    assert one.verdict == other.verdict


def test_on_two_clients_the_corrected_bound_is_below_what_no_draw_exceeds():
    found = judge_check(STATEMENT, "corrected", Check("every-pattern", EXACT))
    known = {name: each["value"] for name, each in found.constants.items()}
    assert found.bound < known["op_B"] * known["c_norm"] / (1 - known["op_A"])


def scaled(factor):
    return lambda terms: {name: term * factor for name, term in terms.items()}


_LOG = sp.log(2 / eps_chance)
REFUTABLE = {  # the bound is 16 times the measured error: what is lost has to be more
    "a twentieth": scaled(sp.Rational(1, 20)),
    "no noise term": lambda terms: {"truncation": terms["truncation"]},
    "no swing of the edges": lambda terms: {k: t.subs(edge_swing, 0) for k, t in terms.items()},
    "log for its tenth power below 1": lambda terms: {
        k: t.subs(_LOG, _LOG**-10) for k, t in terms.items()
    },
    "no phi_A, phi_B": lambda terms: {k: t.subs({phi_A: 0, phi_B: 0}) for k, t in terms.items()},
}


def test_planted_losses_larger_than_the_slack_are_refuted(missed):
    told = STATEMENT.versions["corrected"]
    at = next(c.instance for c in told.checks if c.name == "sgp-4a")
    faults = {name: change(told.terms) for name, change in REFUTABLE.items()}
    assert told.terms not in faults.values()
    assert missed(STATEMENT, "corrected", faults, at=at) == set()


def test_a_third_is_refuted_by_extreme_maps(missed):
    told = STATEMENT.versions["corrected"]
    at = next(c.instance for c in told.checks if c.name == "extreme-maps")
    faults = {"a third": scaled(sp.Rational(1, 3))(told.terms)}
    assert missed(STATEMENT, "corrected", faults, at=at) == set()


def test_the_corrected_bound_is_below_the_printed_one_where_both_hold():
    """No less general: Assumption 8 gives a <= eta_A and so on, and then nothing is lost."""
    for check in STATEMENT.versions["corrected"].checks:
        if check.instance.get("maps") != "sgp":
            pair = [
                judge_check(STATEMENT, name, check).bound
                for name in ("corrected", "printed/any-maps")
            ]
            assert pair[0] < pair[1]


def test_the_witness_is_the_weight_that_sgp_hands_on():
    found = judge_check(STATEMENT, "printed", STATEMENT.versions["printed"].checks[0])
    assert found.verdict == "UNSATISFIABLE"
    assert found.severity == "empty"
    assert found.reason.startswith("by no instance of SGP, Eq. (4a)/(4b): Assumption 8")
    assert found.constants["omega_entry"]["value"] == 1.0
    assert found.constants["kappa"]["value"] >= found.constants["n"]["value"]


def test_the_corrected_bound_is_its_sums_written_out():
    check = next(c for c in STATEMENT.versions["corrected"].checks if c.name == "minibatches")
    instance = {**check.instance, "terms": [3], "law": "sample"}
    found = judge_check(STATEMENT, "corrected", replace(check, instance=instance))
    k = {name: known["value"] for name, known in found.constants.items()}
    a, al, be, last = k["op_A"], k["vr_alpha"], k["vr_beta"], 2
    g = 1 - be + be * a
    first = second = 0.0
    for i in range(last + 1):
        R3 = al ** (last - i + 1) * a**i
        R3 += (1 - al) * al ** (last - i) * sum(a**j for j in range(i + 1))
        first += R3**2
    for i in range(last):
        later = range(i + 1, last + 1)
        L4 = sum(al ** (last - j + 1) * a ** (j - i - 1) for j in later)
        for j in later:
            nested = sum(g ** (j - m) * a ** (m - i - 1) for m in range(i + 1, j + 1))
            L4 += (1 - al) * (1 - be) * al ** (last - j) * nested
        L5 = (1 - al) * be * sum(al ** (last - j) * g ** (j - i - 1) for j in later)
        second += (L4 * a**i + L5 * sum(a**j for j in range(i + 1))) ** 2
    S, draws = k["edge_swing"], k["n"] / k["batch"]
    variance = (k["phi_B"] ** 2 * S + k["dev_B"] ** 2 * draws) * first
    variance += k["op_B"] ** 2 * (k["phi_A"] ** 2 * S + k["dev_A"] ** 2 * draws) * second
    log = math.log(2 / k["eps_chance"])
    wanted = math.sqrt(2 * log * variance) + k["op_B"] * a**3 / (1 - a)
    assert found.bound == pytest.approx(k["c_norm"] * wanted, rel=1e-12)


def test_the_swing_of_edges_is_the_sum_over_what_they_can_be():
    """Self-loops are always there: they add nothing, and a static network has no noise at all."""
    made = experiment("hgp-error", **EXACT)
    chance = made.edges.frequency
    total = sum(
        made.edges.mean[j, i] ** 2 * max((x / chance[i, j] - 1) ** 2 for x in (0, 1))
        for i in range(2)
        for j in range(2)
        if chance[i, j] < 1
    )
    told = made.constants()["edge_swing"].value
    assert told == pytest.approx(total, rel=1e-12)
    static = experiment("hgp-error", **{**EXACT, "network": {"name": "complete"}})
    assert 0 < told < made.constants()["edge_spread"].value
    assert static.constants()["edge_swing"].value == 0
