"""AID-CG against AID-RB: true of the worst case, false as a claim on every instance."""

from itertools import pairwise

import numpy as np
import pytest
import sympy as sp

from theorylab.experiments import experiment
from theorylab.statements import Check
from theorylab.statements.pdbo._symbols import accuracy, cg_residual, norm_A
from theorylab.statements.pdbo.sec5 import CYCLE, EIGHT, ORDINARY, STATEMENT
from theorylab.verdicts import judge_check


@pytest.mark.parametrize("check", ORDINARY[:3], ids=[check.name for check in ORDINARY[:3]])
def test_conjugate_gradients_do_not_end_by_themselves(check, judged):
    """In exact arithmetic they would after n d_x iterations: that is not what wins."""
    found = judged(STATEMENT)["printed/every-instance", check.name]
    size = check.instance["problem"]["clients"] * check.instance["problem"]["dim"]
    assert found.constants["cg_products"]["value"] / 2 <= 0.75 * size
    assert found.measured > 2.5 * found.bound


def test_repetition_needs_ten_times_the_products_for_a_tenth_of_the_step():
    found = [
        judge_check(
            STATEMENT, "printed/every-instance", Check("x", {**ORDINARY[1].instance, "step": step})
        )
        for step in (0.05, 0.005, 0.0005)
    ]
    for one, other in pairwise(found):
        assert other.measured == pytest.approx(10 * one.measured, rel=0.1)
        assert other.bound < 2 * one.bound


def test_the_counts_of_an_ordinary_instance_are_those_of_plain_loops():
    made = experiment("aid-products", **EIGHT)
    A, c, products = made.A, made.vector, 0
    q, M = c.copy(), np.eye(len(c)) - made.A
    while np.linalg.norm(c - M @ q) > 1e-3 * np.linalg.norm(c):
        q, products = A @ q + c, products + 1
    rows = made.observe("rb", range(1), 0).rows
    assert rows[0].values[0] == products
    r, s = c, M.T @ c
    p, size, steps = s, s @ s, 0
    while np.linalg.norm(r) > 1e-3 * np.linalg.norm(c):
        w = M @ p
        r = r - size / (w @ w) * w
        s = M.T @ r
        size, p, steps = s @ s, s + (s @ s) / size * p, steps + 1
    assert rows[0].at["cg_iterations"] == steps


_LOG = sp.log(1 / norm_A)
PLANTED = {
    "once the promise": ({"x": sp.log(2 / accuracy) / _LOG + 2}, CYCLE),
    "half the promise": ({"x": sp.log(2 / accuracy) / _LOG / 2 + 2}, CYCLE),
    "no 2 under the log": ({"x": 2 * sp.log(1 / accuracy) / _LOG + 2}, CYCLE),
    "decimal digits": ({"x": 2 * sp.log(2 / accuracy, 10) / _LOG + 2}, CYCLE),
    "the last iteration dropped": (
        {"x": 2 * sp.log(2 / accuracy) / _LOG},
        {**CYCLE, "step": 0.9, "targets": [0.5]},
    ),
}


def test_planted_faults_are_refuted(missed):
    assert missed(STATEMENT, "corrected", PLANTED) == set()


def test_planted_faults_of_the_worst_case_are_refuted(missed):
    far = {"norms": [0.999], "iterations": [1]}
    near = {"norms": [0.5], "iterations": [1, 4]}
    faults = {
        "half of it": ({"x": cg_residual / 2}, far),
        "fourth power": ({"x": cg_residual**4}, near),
        "a tenth": ({"x": cg_residual / 10}, near),
    }
    assert missed(STATEMENT, "printed", faults) == set()


def random_instance(rng):
    n, d = int(rng.integers(1, 6)), int(rng.integers(1, 3))
    network = [
        {"name": "directed-ring"},
        {"name": "complete"},
        {"name": "sto-d", "seed": int(rng.integers(50))},
        {"name": "ring", "weights": "metropolis"},
    ][int(rng.integers(4))]
    return {
        "problem": {"clients": n, "dim": d, "hyper": 1, "seed": int(rng.integers(1000))},
        "network": network,
        "step": float(10 ** rng.uniform(-4, 0)),
        "variant": ["4a", "4b"][int(rng.integers(2))],
        "targets": sorted(float(10 ** rng.uniform(-8, 0)) for _ in range(3)),
        "c": rng.normal(size=n * d).tolist(),
    }


def inside(rng):
    """A random instance with ||A||_2 < 1, as Assumption 4 has it."""
    while True:
        made = random_instance(rng)
        try:
            if experiment("aid-products", **made).constants()["norm_A"].value < 1:
                return made
        except ValueError:  # no stationary point: too large a step
            continue


def test_random_instances_hold(never_violated):
    assert never_violated(STATEMENT, "corrected", inside, range(20)) == 1


@pytest.mark.slow
def test_two_hundred_random_instances_hold(never_violated):
    assert never_violated(STATEMENT, "corrected", inside, range(20, 220)) == 1


def test_random_cycles_hold(never_violated):
    def make(rng):
        return {"norms": rng.uniform(1e-3, 0.9999, 3).tolist(), "iterations": [1, 3, 7]}

    assert never_violated(STATEMENT, "printed", make, range(10)) == 1


def test_the_promise_of_the_cycle_is_above_that_of_repetition_by_a_power():
    for a in (0.1, 0.5, 0.99):
        check = Check("x", {"norms": [a], "iterations": [5]})
        found = judge_check(STATEMENT, "printed", check)
        assert found.bound / found.measured == pytest.approx(2 / (a**6 * (1 + a**10)), rel=1e-9)
        assert np.isfinite(found.bound)
