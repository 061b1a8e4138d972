"""Corollary 1's linear speedup: a window of N, and nothing that anybody can run beyond it."""

import math
from dataclasses import replace
from fractions import Fraction

import pytest

from theorylab.experiments import experiment
from theorylab.statements import Check
from theorylab.statements.deprl import _instances as made
from theorylab.statements.deprl.cor1_speedup import STATEMENT
from theorylab.verdicts import judge_check

CASES = [(name, check) for name, v in STATEMENT.versions.items() for check in v.checks]
RING = made.SPEEDUP_RING


@pytest.mark.parametrize(("version", "check"), CASES, ids=[f"{v} {c.name}" for v, c in CASES])
def test_every_check_gets_its_verdict(version, check):
    assert judge_check(STATEMENT, version, check, seeds=16).verdict == check.expect


@pytest.mark.parametrize("N", [24, 32])
def test_the_ratio_is_the_noise_of_all_modes(N):
    # M(k)'s distance from plain sums over the ring's eigenvalues (1 + e^{2 pi i j/N})/2; curvature
    # makes them (1 - beta L) lambda, and the modes are 0 at first
    growth = experiment("deprl-growth", **RING)
    c, L = 3 * RING["rounds"], 0.05
    K = round(c / N)
    beta, total = math.sqrt(N / K), 0.0
    for j in range(1, N):
        size = (math.cos(math.pi * j / N) * (1 - beta * L)) ** 2
        noise = beta**2 * math.cos(math.pi * j / N) ** 2
        full = 1 - (1 - size**K) / (K * (1 - size))
        total += noise / (1 - size) * full / N
    rows = growth.observe("ratio", range(1), 0).rows
    row = rows[RING["values"].index(N)]
    bracket = 1 / math.sqrt(N * K) + 1 / (K * math.sqrt(N)) + 1 / (2 * math.sqrt(N * K))
    # the two gradients add what the complete graph has in all, where nothing is apart
    rest = experiment("deprl-growth", **{**RING, "topology": {"name": "complete"}})
    alone = rest.observe("ratio", range(1), 0).rows[RING["values"].index(N)]
    apart = float(row.values[0]) - float(alone.values[0])
    assert apart == pytest.approx(total / bracket, rel=1e-6)


def asked(N):
    """Corollary 1's number of rounds, in exact fractions but for q; p = 1/2, L = 1/20."""
    p, L = Fraction(1, 2), Fraction(1, 20)
    C, q = 2 * (1 + p**-N) / (1 - p**N), float(1 - p**N) ** (1 / N)
    first = float(18 * C**2 * L**2 * N**3) / (1 - q) ** 2
    return max(first, float((2 * L**2 + 2) ** 2 / (N * L**4)), float(N * L**2))


def test_the_printed_number_of_rounds_is_the_papers_at_every_n():
    known = experiment("deprl-growth", **{**RING, "values": [3, 6, 7, 8]}).constants()
    short = min(math.log10(round(9e5 / N) / asked(N)) for N in (3, 6, 7, 8))
    # 1 - q loses three digits of sixteen
    assert known["deprl_rounds_every"].value == pytest.approx(short, abs=1e-12)
    assert known["deprl_rounds_asked"].value == pytest.approx(math.log10(asked(3)), abs=1e-12)


def test_the_window_ends_where_the_rounds_do():
    # at c = 3 * 6e10 rounds N = 6 is inside and N = 8 is not
    for N, verdict in ((6, "HOLDS"), (8, "ASSUMPTION_FAILS")):
        inside = asked(N) <= 3 * 6e10 / N
        assert inside == (verdict == "HOLDS")
        window = {**made.SPEEDUP_WINDOW, "values": [3, 4, 5, N]}
        assert judge_check(STATEMENT, "printed", Check("window", window)).verdict == verdict


def test_128_workers_are_beyond_the_window_and_the_reason_says_how_far():
    check = next(c for c in STATEMENT.versions["printed"].checks if c.name == "128-workers")
    found = judge_check(STATEMENT, "printed", check)
    assert (found.verdict, found.severity) == ("VACUOUS", "empty")
    assert "claim is empty here" in found.reason
    # p = 1/21: 72 L^2 N^5 p^(-4N) up to p^N
    power = math.log10(72 * 0.05**2 * 128**5) + 4 * 128 * math.log10(21)
    assert f"asks for 10^{power:.1f} rounds" in found.reason


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
    assert found["deprl_rounds_every"].value == -math.inf  # p = 1: C is not defined
    verdict = judge_check(STATEMENT, "printed", Check("no self-loops", run)).verdict
    assert verdict == "ASSUMPTION_FAILS"


def test_losses_that_move_along_n_are_not_judged():
    moving = {**RING, "problem": {**RING["problem"], "heterogeneity": 0.2}}
    found = judge_check(STATEMENT, "printed", Check("moving", moving))
    assert found.verdict == "ASSUMPTION_FAILS"


def test_a_bracket_that_falls_faster_than_the_left_side_is_refuted():
    # (NK)^(-3/4) with K fixed: the left side falls as (NK)^(-1/2) on the complete graph
    content = replace(STATEMENT.versions["printed"], assumes=())
    planted = replace(STATEMENT, versions={"printed": content})
    check = Check("control", {**made.SPEEDUP_COMPLETE, "follow": 0.0, "exponent": 1.5}, "VIOLATED")
    assert judge_check(planted, "printed", check).verdict == "VIOLATED"
