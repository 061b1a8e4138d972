"""More rounds help where the second moment shrinks, and only there."""

from itertools import pairwise

import pytest

from theorylab.statements import Check
from theorylab.statements.pdbo._symbols import c_norm, lyapunov, terms
from theorylab.statements.pdbo.appc6_rounds import STATEMENT, STEPS, SUMMANDS
from theorylab.verdicts import judge_check

PLANTED = {
    "a tenth": ({"x": lyapunov * (1 - 1 / lyapunov) ** terms * c_norm**2 / 10}, SUMMANDS),
    "the rate squared": ({"x": lyapunov * (1 - 1 / lyapunov) ** (2 * terms) * c_norm**2}, SUMMANDS),
}


def test_planted_faults_are_refuted(missed):
    assert missed(STATEMENT, "corrected", PLANTED) == set()


def test_the_ratio_passes_1_where_the_second_moment_does():
    place, found = STEPS["place"], []
    for step in STEPS["sweep"]["values"]:
        instance = {"place": {**place, "step": step}, "terms": [500]}
        one = judge_check(STATEMENT, "printed/any-step", Check("x", instance))
        radius = judge_check(STATEMENT, "corrected", Check("x", instance))
        found.append((one.ratio, radius.constants["second_radius"]["value"]))
    assert all(a[1] < b[1] for a, b in pairwise(found))
    assert [ratio > 1 for ratio, _ in found] == [radius > 1 for _, radius in found]


def random_instance(rng):
    n, name = int(rng.integers(2, 4)), ["sto-d", "sto-u"][int(rng.integers(2))]
    problem = {"clients": n, "dim": 1, "hyper": 1, "seed": int(rng.integers(99))}
    place = {
        "problem": {**problem, "noise": float(rng.choice([0.0, 0.4]))},
        "network": {"name": name, "seed": int(rng.integers(99))},
        "step": float(10 ** rng.uniform(-1.5, 0)),
        "variant": ["4a", "4b"][int(rng.integers(2))],
    }
    return {"place": place, "terms": [1, 5, 40, 200]}


def test_random_instances_hold(never_violated):
    assert never_violated(STATEMENT, "corrected", random_instance, range(20)) >= 0.7


@pytest.mark.slow
def test_two_hundred_random_instances_hold(never_violated):
    assert never_violated(STATEMENT, "corrected", random_instance, range(20, 300)) >= 0.7
