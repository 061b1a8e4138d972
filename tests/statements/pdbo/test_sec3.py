"""Personal layers: PDBO adds nothing at Eq. (5)'s optimum, and O(step) at Eq. (7)'s point."""

from itertools import pairwise

import pytest

from theorylab.statements import Check
from theorylab.statements.pdbo.sec3 import STATEMENT, STEPS
from theorylab.verdicts import judge_check


def random_instance(rng):
    problem = {"clients": int(rng.integers(1, 6)), "dim": int(rng.integers(1, 4)), "hyper": 2}
    problem |= {"seed": int(rng.integers(999))}
    network = [{"name": "directed-ring"}, {"name": "sto-d", "seed": int(rng.integers(99))}]
    step = float(10 ** rng.uniform(-3, -0.7))
    return {
        "place": {"problem": problem, "network": network[int(rng.integers(2))], "step": step},
    }


def test_random_instances_hold(never_violated):
    assert never_violated(STATEMENT, "printed", random_instance, range(40)) == 1


def test_what_is_added_falls_as_the_step():
    rows = judge_check(STATEMENT, "printed/eq7", Check("x", STEPS), rows=True).rows
    assert [row.place for row in rows[:3]] == ["step=0.0003", "step=0.003", "step=0.03"]
    for one, other in pairwise(rows[:3]):
        assert other.measured == pytest.approx(10 * one.measured, rel=0.1)
    assert rows[3].measured > 5 * rows[2].measured
