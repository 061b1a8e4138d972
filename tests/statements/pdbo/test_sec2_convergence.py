"""The mean iteration: it converges where every client keeps a share, and at a rate."""

import pytest
import sympy as sp

from theorylab.statements import Check
from theorylab.statements.pdbo._instances import place
from theorylab.statements.pdbo._symbols import omega_most
from theorylab.statements.pdbo.sec2_convergence import PERIODIC, STATEMENT
from theorylab.symbols import eta, mu
from theorylab.verdicts import judge_check

_ALIKE = place({"clients": 3, "dim": 1, "hyper": 1, "mu": 1.0, "L": 1.0}, {"name": "directed-ring"})
_NEAR = {**_ALIKE, "step": 0.4}
PLANTED = {
    "twice the rate": ({"x": sp.Integer(1) - 2 * eta * mu / omega_most}, _NEAR),
    "a hundredth more": ({"x": sp.Integer(1) - 1.01 * eta * mu / omega_most}, _NEAR),
}


def test_planted_faults_are_refuted(missed):
    assert missed(STATEMENT, "corrected", PLANTED) == set()


def test_the_bound_is_attained_and_the_period_is_one_plus_the_step():
    found = judge_check(STATEMENT, "corrected", Check("x", _NEAR))
    assert found.ratio == pytest.approx(1, rel=1e-8)
    swept = judge_check(STATEMENT, "printed/no-share", Check("x", PERIODIC), rows=True)
    steps = PERIODIC["sweep"]["values"]
    told = [row.measured for row in swept.rows]
    assert told == pytest.approx([1 + step for step in steps], rel=1e-12)


def random_instance(rng):
    n = int(rng.integers(2, 6))
    network = [
        {"name": "sto-d", "seed": int(rng.integers(99))},
        {"name": "sto-u", "seed": int(rng.integers(99))},
        {"name": "directed-ring"},
        {"name": "star", "weights": "uniform"},
    ][int(rng.integers(4))]
    problem = {"clients": n, "dim": int(rng.integers(1, 4)), "hyper": 1}
    problem |= {"seed": int(rng.integers(999)), "mu": 0.5, "L": 0.5 + float(rng.uniform(0, 2))}
    return place(problem, network, "4b", float(10 ** rng.uniform(-4, -0.7)))


def test_random_instances_hold(never_violated):
    assert never_violated(STATEMENT, "corrected", random_instance, range(40)) >= 0.5


@pytest.mark.slow
def test_two_hundred_random_instances_hold(never_violated):
    assert never_violated(STATEMENT, "corrected", random_instance, range(40, 400)) >= 0.5
