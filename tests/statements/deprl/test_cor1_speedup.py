"""Corollary 1's linear speedup: K may not fall as N grows, unless it stays above N^3/(1-q)^4."""

import math
from dataclasses import replace
from fractions import Fraction

import pytest

from theorylab.experiments import experiment
from theorylab.statements import Check
from theorylab.statements.deprl.cor1_speedup import STATEMENT
from theorylab.verdicts import judge_check

CASES = [(name, check) for name, v in STATEMENT.versions.items() for check in v.checks]
RING = STATEMENT.versions["printed"].checks[0].instance


@pytest.mark.parametrize(("version", "check"), CASES, ids=[f"{v} {c.name}" for v, c in CASES])
def test_every_check_gets_its_verdict(version, check):
    assert judge_check(STATEMENT, version, check, seeds=16).verdict == check.expect


@pytest.mark.parametrize("N", [24, 32])
def test_the_ratio_is_the_noise_of_all_modes(N):
    # M(k)'s distance from plain sums over the ring's eigenvalues (1 + e^{2 pi i j/N})/2; curvature
    # makes them (1 - beta L) lambda, and the modes are 0 at first
    made = experiment("deprl-growth", **RING)
    c, L = 3 * RING["rounds"], 0.05
    K = round(c / N)
    beta, total = math.sqrt(N / K), 0.0
    for j in range(1, N):
        size = (math.cos(math.pi * j / N) * (1 - beta * L)) ** 2
        noise = beta**2 * math.cos(math.pi * j / N) ** 2
        full = 1 - (1 - size**K) / (K * (1 - size))
        total += noise / (1 - size) * full / N
    rows = made.observe("ratio", range(1), 0).rows
    row = rows[RING["values"].index(N)]
    bracket = 1 / math.sqrt(N * K) + 1 / (K * math.sqrt(N)) + 1 / (2 * math.sqrt(N * K))
    # the two gradients add what the complete graph has in all, where nothing is apart
    rest = experiment("deprl-growth", **{**RING, "topology": {"name": "complete"}})
    alone = rest.observe("ratio", range(1), 0).rows[RING["values"].index(N)]
    apart = float(row.values[0]) - float(alone.values[0])
    assert apart == pytest.approx(total / bracket, rel=1e-6)


@pytest.mark.parametrize(("N", "K"), [(3, 300000), (6, 150000)])
def test_the_printed_number_of_rounds_is_the_papers(N, K):
    # exact fractions but for q; p = 1/2, L = 1/20
    p, L = Fraction(1, 2), Fraction(1, 20)
    C, q = 2 * (1 + p**-N) / (1 - p**N), float(1 - p**N) ** (1 / N)
    first = float(18 * C**2 * L**2 * N**3) / (1 - q) ** 2
    asked = max(first, float((2 * L**2 + 2) ** 2 / (N * L**4)), float(N * L**2))
    known = experiment("deprl-growth", **{**RING, "values": [N, 7, 8, 9], "rounds": K}).constants()
    # 1 - q loses three digits of sixteen
    assert known["deprl_rounds_first"].value == pytest.approx(math.log10(K / asked), abs=1e-12)
    assert known["deprl_rounds_every"].value < known["deprl_rounds_first"].value


def test_the_corrected_number_of_rounds_is_by_the_second_eigenvalue():
    known = experiment("deprl-growth", **RING).constants()
    q = math.cos(math.pi / 32)
    S = q / (1 - q)
    asked = max(32**3 * S**4, 32 * 0.05**2, 4 * 32 * (0.05 * S) ** 2)
    want = math.log10(round(9e5 / 32) / asked)
    # (C, q) is an upper bound whose room of 1e-9 stands in 1/(1-q)^4
    assert known["deprl_rounds_mixing"].value == pytest.approx(want, abs=1e-5)


def test_on_a_ring_without_self_loops_no_number_of_rounds_is_enough():
    still = {"name": "directed-ring", "self_loops": False}
    run = {**RING, "topology": still, "values": [3, 4, 5, 6]}
    found = experiment("deprl-growth", **run).constants()
    assert found["deprl_rounds_mixing"].value == -math.inf
    assert found["deprl_rounds_first"].value == -math.inf  # p = 1: C is not defined


def test_losses_that_move_along_n_are_not_judged():
    moving = {**RING, "problem": {**RING["problem"], "heterogeneity": 0.2}}
    found = judge_check(STATEMENT, "printed", Check("moving", moving))
    assert found.verdict == "ASSUMPTION_FAILS"


def test_a_bracket_that_falls_faster_than_the_left_side_is_refuted():
    # (NK)^(-3/4) with K fixed: the left side falls as (NK)^(-1/2) on the complete graph
    content = replace(STATEMENT.versions["printed"], assumes=())
    planted = replace(STATEMENT, versions={"printed": content})
    complete = STATEMENT.versions["corrected"].checks[0].instance
    check = Check("control", {**complete, "follow": 0.0, "exponent": 1.5}, "VIOLATED")
    assert judge_check(planted, "printed", check).verdict == "VIOLATED"
