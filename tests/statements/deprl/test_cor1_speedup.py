"""Corollary 1's linear speedup: a window of N, and nothing that anybody can run beyond it."""

import math
import pathlib
import runpy
from dataclasses import replace
from fractions import Fraction

import pytest

from theorylab.statements import Check, evaluate
from theorylab.statements.deprl import _instances as made
from theorylab.statements.deprl._corollary1 import ROUNDS
from theorylab.statements.deprl._instances import CHOSEN
from theorylab.statements.deprl._symbols import C2, L, p, q2, unit
from theorylab.statements.deprl.cor1_speedup import STATEMENT
from theorylab.symbols import T, n
from theorylab.verdicts import judge_check

LEFT = runpy.run_path(str(pathlib.Path(__file__).with_name("_left_side.py")))["left_side"]
RING = made.SPEEDUP_RING


def fewer(values, rounds):
    return {**RING, "sweep": made.fewer(values, rounds)}


def distance(N, K, network):
    """(left side, its part that is apart) of a run with Corollary 1's steps."""
    run = {"problem": RING["problem"], "topology": network, "clients": N, "x0": RING["x0"]}
    columns = ("measure", "distance")
    return [float(LEFT(column, K, **run, tau=2).values[0]) for column in columns]


@pytest.mark.parametrize("N", [24, 32])
def test_the_distance_is_the_noise_of_all_modes(N):
    # plain sums over the ring's eigenvalues (1 + e^{2 pi i j/N})/2; curvature makes them
    # (1 - beta L) lambda, and the modes are 0 at first
    curvature, K = 0.05, round(9e5 / N)
    beta, total = math.sqrt(N / K), 0.0
    for j in range(1, N):
        size = (math.cos(math.pi * j / N) * (1 - beta * curvature)) ** 2
        noise = beta**2 * math.cos(math.pi * j / N) ** 2
        full = 1 - (1 - size**K) / (K * (1 - size))
        total += noise / (1 - size) * full / N
    left, apart = distance(N, K, RING["topology"])
    assert apart == pytest.approx(total, rel=1e-6)
    # the two gradients add what the complete graph has in all, where nothing is apart
    alone, _ = distance(N, K, {"name": "complete"})
    assert left - alone == pytest.approx(total, rel=1e-6)


def asked(N):
    """Corollary 1's number of rounds, in exact fractions but for q; p = 1/2, L = 1/20."""
    half, smooth = Fraction(1, 2), Fraction(1, 20)
    C, q = 2 * (1 + half**-N) / (1 - half**N), float(1 - half**N) ** (1 / N)
    first = float(18 * C**2 * smooth**2 * N**3) / (1 - q) ** 2
    second = (2 * smooth**2 + 2) ** 2 / (N * smooth**4)
    return max(first, float(second), float(N * smooth**2))


def test_the_printed_number_of_rounds_is_the_papers_at_every_n():
    for N in (3, 6, 7, 8):
        numbers = {n: N, p: 0.5, L: 0.05, unit: 1}
        most = max(evaluate(a.asks, numbers) for a in ROUNDS if a.asks is not None)
        # 1 - q of the oracle loses three digits of sixteen
        assert float(most) == pytest.approx(asked(N), rel=1e-12)


def test_the_rounds_have_to_be_enough_at_every_n():
    # at c = 3 * 6e10 rounds N = 6 is inside and N = 8 is not; in the middle it counts as well
    for values, verdict in (
        ([3, 4, 5, 6], "HOLDS"),
        ([3, 4, 5, 8], "ASSUMPTION_FAILS"),
        ([8, 5, 4, 3], "ASSUMPTION_FAILS"),
    ):
        rounds = 3 * 6e10 / values[0]
        inside = all(asked(N) <= 3 * 6e10 / N for N in values)
        assert inside == (verdict == "HOLDS")
        found = judge_check(STATEMENT, "printed", Check("window", fewer(values, rounds)))
        assert found.verdict == verdict
        assert ("at clients=8" in found.reason) == (8 in values)


def test_128_workers_are_beyond_the_window_and_the_reason_says_how_far():
    check = next(c for c in STATEMENT.versions["printed"].checks if c.name == "128-workers")
    found = judge_check(STATEMENT, "printed", check)
    assert (found.verdict, found.severity) == ("VACUOUS", "empty")
    assert "claim is empty here" in found.reason
    # p = 1/21: 72 L^2 N^5 p^(-4N) up to p^N; the least of the four N
    power = math.log10(72 * 0.05**2 * 128**5) + 4 * 128 * math.log10(21)
    assert f"asks for 10^{power:.1f} rounds" in found.reason


def test_the_corrected_number_of_rounds_is_by_the_second_eigenvalue():
    second = math.cos(math.pi / 32)
    S = second / (1 - second)
    numbers = {n: 32, L: 0.05, unit: 1, C2: 1, q2: second, T: 1}
    by_hand = [32**3 * S**4, 32 * 0.05**2, 4 * 32 * (0.05 * S) ** 2]
    assumes = STATEMENT.versions["corrected"].assumes[-3:]
    for assumption, rounds in zip(assumes, by_hand, strict=True):
        assert float(evaluate(assumption.rule.lhs, numbers)) == pytest.approx(rounds, rel=1e-12)
        assert assumption.rule.rhs == T


def test_on_a_ring_without_self_loops_no_number_of_rounds_is_enough():
    still = {"name": "directed-ring", "self_loops": False}  # p = 1: C is not defined
    run = {**fewer([3, 4, 5, 6], 3e5), "topology": still}
    for version in ("printed", "corrected"):
        found = judge_check(STATEMENT, version, Check("no self-loops", run))
        assert found.verdict == "ASSUMPTION_FAILS"


def test_losses_that_move_along_n_are_not_judged():
    moving = {**RING, "problem": {**RING["problem"], "heterogeneity": 0.2}}
    found = judge_check(STATEMENT, "printed", Check("moving", moving))
    assert found.verdict == "ASSUMPTION_FAILS"
    assert "is the same at all values" in found.reason


def test_a_bracket_that_falls_faster_than_the_left_side_is_refuted():
    # (NK)^(-3/4) with K fixed: the left side falls as (NK)^(-1/2) on the complete graph
    content = STATEMENT.versions["printed"]
    order = replace(content.order, bracket=content.order.bracket**1.5, window=True)
    planted = replace(STATEMENT, versions={"printed": replace(content, assumes=(), order=order)})
    still = {**made.SPEEDUP_COMPLETE["sweep"], "set": CHOSEN}
    run = {**made.SPEEDUP_COMPLETE, "rounds": 3 * 10**7, "sweep": still}
    assert judge_check(planted, "printed", Check("control", run)).verdict == "VIOLATED"
