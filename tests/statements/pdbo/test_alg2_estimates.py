"""The bias of Algorithm 2's ratio: its size, and a bound that follows it."""

import sympy as sp

from theorylab.statements.pdbo._symbols import edge_chance
from theorylab.statements.pdbo.alg2_estimates import RARE, STATEMENT
from theorylab.symbols import T
from theorylab.verdicts import judge_check

_FIRST = 1 / ((T + 1) * edge_chance)
_FAR = {**RARE, "rounds": [600]}
_FEW = {**RARE, "rounds": [10, 20, 40]}
PLANTED = {
    "half of 1/T": ({"x": _FIRST / 2, "y": STATEMENT.versions["corrected"].terms["1/T^2"]}, _FAR),
    "1/T^2 alone": ({"x": STATEMENT.versions["corrected"].terms["1/T^2"]}, _FAR),
    "1/T alone": ({"x": _FIRST}, _FEW),
    "no chance": ({"x": 1 / (T + 1) + sp.Integer(8) / ((T + 1) * (T + 2))}, _FAR),
}


def test_planted_faults_are_refuted(missed):
    assert missed(STATEMENT, "corrected", PLANTED) == set()


def random_instance(rng):
    low = float(rng.uniform(0.01, 0.6))
    network = [
        {"name": "sto-d", "seed": int(rng.integers(99)), "low": low, "high": 0.95},
        {"name": "sto-u", "seed": int(rng.integers(99)), "low": low, "high": 0.95},
        {"name": "random-out", "degree": 1},
        {"name": "random-symmetric", "degree": 1},
    ][int(rng.integers(4))]
    rounds = sorted({int(10 ** rng.uniform(0, 3)) for _ in range(3)})
    return {"clients": int(rng.integers(2, 5)), "network": network, "rounds": rounds}


def test_random_instances_hold(never_violated):
    def make(rng):
        one = random_instance(rng)
        while one["network"].get("degree") and one["clients"] < 3:
            one = random_instance(rng)
        return one

    assert never_violated(STATEMENT, "corrected", make, range(40)) == 1
    assert never_violated(STATEMENT, "printed", make, range(20)) == 1


def test_ten_times_the_rounds_leave_a_tenth_of_the_bias():
    (check,) = [c for c in STATEMENT.versions["implied"].checks if c.name == "sto-d"]
    instance = {**check.instance, "rounds": [60, 600]}
    other = type(check)("x", instance)
    rows = judge_check(STATEMENT, "implied", other, rows=True).rows
    few, many = rows[: len(rows) // 2], rows[len(rows) // 2 :]
    for one, later in zip(few, many, strict=True):
        assert 9 < one.measured / later.measured < 12
