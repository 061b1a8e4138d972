"""Printed: false where client i starts at 0 and another does not. Corrected: true."""

import math

import pytest
from sympy import Rational

from theorylab.statements import Check
from theorylab.statements.dfedsgpsm._symbols import largest_gap, own_start, t
from theorylab.statements.dfedsgpsm.lem4 import STATEMENT
from theorylab.symbols import B, C, K, alpha, eta, q, sigma_l
from theorylab.verdicts import judge_check

TERMS = STATEMENT.versions["corrected"].terms
WORST_START = {  # the sign pattern of a row of I - 11^T/3
    "problem": {"name": "log-cosh", "dim": 1},
    "topology": {"name": "directed-ring"},
    "clients": 3,
    "rounds": 8,
    "algorithm": {"eta": 1e-9, "alpha": 0.0, "rho": 0.0, "local_steps": 1},
    "x0": [[1.0], [-1.0], [-1.0]],
}


def test_the_printed_bound_by_hand():
    # K = 2, alpha = 1/2: a~ = 1 + 1 + 1/2; C = 3, q = 1/2, t = 2, B = 3, sigma = 4, eta = 1/10
    at = {K: 2, alpha: Rational(1, 2), C: 3, q: Rational(1, 2), t: 2, B: 3, sigma_l: 4}
    at |= {eta: Rational(1, 10), own_start: 2}
    first = 2 * 9 * Rational(1, 16) * 4
    updates = 2 * Rational(1, 100) * Rational(5, 2) ** 2 * 9 * 25 / Rational(1, 4)
    assert STATEMENT.versions["printed"].bound.subs(at) == first + updates


def test_the_verdicts(judged):
    found = judged(STATEMENT)
    # z_1 - xbar = -1/3 at t = 0 whatever eta is, and the bound is O(eta^2)
    curve = found["printed", "one-away"].curve
    assert (curve.axis, curve.rounds) == ("eta", [1e-6, 1e-4, 1e-2])
    # the left side stays, the right side is O(eta^2)
    assert curve.measured == pytest.approx([1 / 9] * 3, rel=1e-12)
    least = curve.bound[0]
    assert curve.bound == pytest.approx([least, 1e4 * least, 1e8 * least], rel=1e-12)
    assert found["printed", "one-away"].measured == pytest.approx(1 / 9, rel=1e-12)
    assert found["printed", "one-away"].bound < 1e-9
    assert found["printed/sgp", "one-away"].bound < 1e-6


def test_two_sources_refute_the_mean_over_the_clients(judged):
    results = judged(STATEMENT)
    found = results["implied", "two-sources"]
    assert found.place == "clients=402, t=1"
    curve = found.curve
    assert (curve.axis, curve.rounds) == ("clients", [10, 26, 66, 162, 402])
    for n, measured, bound in zip(curve.rounds, curve.measured, curve.bound, strict=True):
        assert measured / bound == pytest.approx(n / (4 * (2 - 2 / n) ** 2), rel=2e-4)
    # a round moves a model by at most the share 2.5 eta, squared
    assert found.measured == pytest.approx(201.0**-2, rel=2 * 2.5e-6)
    assert found.constants["C"]["value"] == pytest.approx(2 - 2 / 402, rel=1e-6)
    # q may be off by 1e-5 of 1/201, and updates add 5e-11 to 1e-6
    assert found.ratio == pytest.approx(402 / (4 * (2 - 2 / 402) ** 2), rel=2e-4)
    # larger q are valid, too, and refuted up to the root of the ratio: 5 / 201
    upto = float(found.rests_on.split("valid C of each q up to ")[1])
    assert 1 / 201 < upto <= math.sqrt(found.ratio) / 201
    # the closed formulas: D = n = 402, Delta = 2
    assert results["implied/sgp", "two-sources"].constants["C"]["value"] > 2 * 402**2


def test_planted_errors_are_refuted(missed):
    first, updates = TERMS["initial disagreement"], TERMS["updates"]
    variants = {
        "a hundredth less": {name: term * 0.99 for name, term in TERMS.items()},
        "the client's own start": TERMS
        | {"initial disagreement": first.subs(largest_gap, own_start)},
        "no start": {"updates": updates.subs(largest_gap, 0)},
        "no updates": {"initial disagreement": first.subs(eta, 0)},
        "q^3t": TERMS | {"initial disagreement": first * q**t},
        "no C^2": {name: term / C**2 for name, term in TERMS.items()},
    }
    assert missed(STATEMENT, "corrected", variants, [WORST_START]) == set()


def test_a_start_that_is_moved_keeps_its_bound():
    moved = {**WORST_START, "x0": [[1001.0], [999.0], [999.0]], "algorithm": {
        **WORST_START["algorithm"], "eta": 1e-3}}  # fmt: skip
    found = [
        judge_check(STATEMENT, "corrected", Check("moved", {**moved, "x0": x0}))
        for x0 in (moved["x0"], [[1.0], [-1.0], [-1.0]])
    ]
    assert found[0].verdict == "HOLDS"
    assert found[0].bound == pytest.approx(found[1].bound, rel=1e-12)


def test_less_than_the_mean_is_refuted(missed):
    terms = STATEMENT.versions["implied"].terms
    first = terms["initial disagreement"]
    variants = {
        "no first models": terms | {"initial disagreement": 0 * first},
        "q^4t": terms | {"initial disagreement": first * q ** (2 * t)},
        "a hundredth": {name: term / 100 for name, term in terms.items()},
    }
    assert missed(STATEMENT, "implied", variants) == set()


def test_drawn_true_instances_are_never_violated(never_violated):
    assert never_violated(STATEMENT, "corrected", 20, noise=False) >= 15


@pytest.mark.slow
def test_two_hundred_drawn_true_instances_are_never_violated(never_violated):
    assert never_violated(STATEMENT, "corrected", 200, noise=False) >= 15 * 9
