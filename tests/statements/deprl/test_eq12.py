"""Equation (12), round by round; every brace is needed."""

import pytest

from theorylab.statements import Check
from theorylab.statements.deprl import _instances as made
from theorylab.statements.deprl.eq12 import STATEMENT
from theorylab.verdicts import judge_check

# phi and theta far off, curvature L in both and steps of 1/L: each brace matters.
STEEP = {
    **made.changed(made.TIGHT, alpha=0.9, beta=0.9),
    "problem": made.scalars(4, 1.0, 1.0, a=[1.0, 2.0, 3.0, 4.0], b=[4.0, 3.0, 2.0, 1.0]),
    "rounds": 3,
    "x0": [-9.0, -9.0],
}
FAULTS = {
    "no C_2": {"C_2": 0},
    "no C_4": {"C_4": 0},
    "L/4 for L/2 in C_2": {"C_2": 0.5},
    "L/4 for L/2 in C_4": {"C_4": 0.5},
    "C_1 twice": {"C_1": 2},
    "C_3 twice": {"C_3": 2},
    "C_2 with its sign changed": {"C_2": -1},
}


def test_planted_faults_are_refuted(missed, scaling):
    scaled = scaling(STATEMENT.versions["printed"].terms)
    faults = {name: scaled(**factors) for name, factors in FAULTS.items()}
    assert missed(STATEMENT, "printed", faults, at=STEEP) == set()


def test_with_curvature_L_throughout_both_sides_are_one_number():
    found = judge_check(STATEMENT, "printed", Check("steep", STEEP))
    # a quadratic with Hessian L I: equality, which rounding leaves undecided
    assert found.verdict == "INCONCLUSIVE"
    assert found.measured == pytest.approx(found.bound, rel=1e-12)


@pytest.mark.parametrize("seeds", [range(20), pytest.param(range(20, 200), marks=pytest.mark.slow)])
def test_no_random_instance_is_called_violated(seeds):
    for seed in seeds:
        problem = {"name": ("sin-sin", "coupled-quadratic")[seed % 2], "seed": seed}
        problem |= {"sigma_u": 0.5, "sigma_v": 0.5, "coupling": 0.05 * (seed % 5)}
        steps = {"alpha": 0.02 * 3 ** (seed % 6), "beta": 0.5, "tau": 1 + seed % 4}
        instance = {**made.DESCENT, "problem": problem, "algorithm": steps, "rounds": 6}
        found = judge_check(STATEMENT, "printed", Check("random", instance))
        assert found.verdict in ("HOLDS", "INCONCLUSIVE"), (seed, found.reason)
