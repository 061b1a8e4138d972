"""y^(T) keeps its distance on networks that are drawn, and its mean does not."""

import pytest
import sympy as sp

from theorylab.statements.pdbo._symbols import contraction, omega_ratio, start_gap
from theorylab.statements.pdbo.sec61_point import DRAWN, STATEMENT
from theorylab.symbols import T

_SLOW = {"network": {"name": "sto-d", "low": 0.05, "high": 0.2, "seed": 2}, "rounds": [1, 5, 20]}
PLANTED = {
    "a round more": ({"x": sp.sqrt(omega_ratio) * contraction ** (T + 20) * start_gap}, _SLOW),
    "the rate squared": ({"x": contraction ** (2 * T) * start_gap}, _SLOW),
    "a tenth of the start": ({"x": contraction**T * start_gap / 10}, {**DRAWN, "rounds": [1]}),
}


def test_planted_faults_are_refuted(missed):
    assert missed(STATEMENT, "corrected", PLANTED) == set()


def random_instance(rng):
    low = float(rng.uniform(0.02, 0.7))
    network = [
        {"name": "sto-d", "seed": int(rng.integers(99)), "low": low, "high": 0.95},
        {"name": "sto-u", "seed": int(rng.integers(99)), "low": low, "high": 0.95},
        {"name": "directed-ring"},
        {"name": "star", "weights": "uniform"},
    ][int(rng.integers(4))]
    problem = {"clients": int(rng.integers(2, 5)), "dim": 1, "hyper": 1}
    return {"problem": problem, "network": network, "rounds": [1, 3, 10, 40]}


def test_random_instances_hold(never_violated):
    assert never_violated(STATEMENT, "corrected", random_instance, range(40)) == 1


@pytest.mark.slow
def test_two_hundred_random_instances_hold(never_violated):
    assert never_violated(STATEMENT, "corrected", random_instance, range(40, 240)) == 1


def test_a_hundred_rounds_are_as_good_as_four_thousand(judged):
    found = judged(STATEMENT)
    assert found["implied", "sto-d"].measured > 1e6 * found["implied", "sto-d"].bound
    away = found["implied/nearer", "sto-d"]
    assert away.measured == pytest.approx(found["implied", "sto-d"].measured, rel=1e-6)
    assert away.ratio > 10
