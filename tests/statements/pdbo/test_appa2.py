"""A.2: the derivative of z* is B-bar (I - A-bar)^{-1}; on y there is no inverse."""

import numpy as np
import pytest

from theorylab.experiments import experiment
from theorylab.experiments.pdbo import stationary as pdbo_stationary
from theorylab.statements import Check
from theorylab.statements.pdbo._instances import NOISY, STO_D, place
from theorylab.statements.pdbo.appa2 import STATEMENT
from theorylab.verdicts import judge_check

FAULTS = {
    "A-bar transposed": lambda p: setattr(p, "A_bar", p.A_bar.T),
    "no A-bar": lambda p: setattr(p, "A_bar", 0 * p.A_bar),
    "half of B-bar": lambda p: setattr(p, "B_bar", p.B_bar / 2),
    "minus B-bar": lambda p: setattr(p, "B_bar", -p.B_bar),
    "A-bar squared": lambda p: setattr(p, "A_bar", p.A_bar @ p.A_bar),
}


@pytest.mark.parametrize("name", FAULTS)
def test_another_formula_is_refuted(name, monkeypatch):
    make = pdbo_stationary.Place.__init__

    def wrong(self, *args, **options):
        make(self, *args, **options)
        FAULTS[name](self)

    monkeypatch.setattr(pdbo_stationary.Place, "__init__", wrong)
    one = experiment("pdbo-stationary", **place(NOISY, STO_D))
    room = 3 * one.constants()["solve_room"].value
    assert one.observe("derivative", range(1), 0).rows[0].values[0] > 1e3 * room


def test_twenty_random_instances_hold():
    for k in range(20):
        problem = {"clients": 2 + k % 3, "dim": 1 + k % 2, "hyper": 1 + k % 2, "seed": k}
        network = {"name": ("sto-d", "sto-u")[k % 2], "seed": k}
        check = Check(str(k), place(problem, network, ("4a", "4b")[k // 2 % 2], 0.2))
        assert judge_check(STATEMENT, "printed/z", check).verdict == "HOLDS", check.instance


def test_the_derivative_is_that_of_the_solver():
    from theorylab.hypergradients import stationary

    p = experiment("pdbo-stationary", **place(NOISY, STO_D)).at
    other = p.lam.copy()
    other[1, 0] += 1.0
    moved = stationary(p.problem, p.law, p.sgp, other).z - p.point.z
    told = p.B_bar[2] @ np.linalg.inv(np.eye(6) - p.A_bar)  # row of lambda_1's first number
    # the solver stops at 1e-12 (1 + |z|), times the inverse's norm, about 4
    np.testing.assert_allclose(moved.ravel(), told, rtol=0, atol=1e-10)
