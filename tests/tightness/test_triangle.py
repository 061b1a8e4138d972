"""Simulated <= worst case <= bound, with the worst cases that the literature knows exactly."""

import functools
import json
from dataclasses import replace

import numpy as np
import pytest

from theorylab.known import How
from theorylab.tightness import METHODS, settings, triangle
from theorylab.tightness.setting import GAP, LAST, LEAST, MEAN, B, L
from theorylab.tightness.worst_case import worst_case

for _module in ("PEPit", "cvxpy", "clarabel"):
    pytest.importorskip(_module, reason="the extra sdp is not installed")

SOLVER = 1e-6  # Clarabel stops at 1e-8 of gap and residuals; "optimal_inaccurate" may lose more


@functools.cache
def solved(method, clients, rounds):
    return tuple(triangle(row) for row in settings(method, clients, rounds))


def of_gradient_descent(claim, rounds):
    return next(row for row in solved("gradient-descent", 1, rounds) if row.setting.claim == claim)


@pytest.mark.parametrize("rounds", [1, 2, 5])
@pytest.mark.parametrize(
    ("claim", "exact"),
    [
        (MEAN, lambda T: 2 * L * GAP / T),  # L/2 x^2 from f(x^0) = GAP: all of it in round 0
        (LEAST, lambda T: 4 * L * GAP / (3 * T - 1)),  # Abbaszadehpeivasti et al. 2022, eta = 1/L
        (LAST, lambda T: L * GAP**2 / (4 * T + 2)),  # Drori, Teboulle 2014, eta = 1/L
    ],
)
def test_the_worst_case_of_gradient_descent_is_the_known_one_and_a_run_attains_it(
    claim, exact, rounds
):
    row = of_gradient_descent(claim, rounds)
    assert row.pep.value == pytest.approx(exact(rounds), rel=SOLVER)
    # the solver's data miss the conditions by 1e-8, and eps is 1e-10 of the data
    assert row.attained == pytest.approx(1, abs=1e-5)


SMALL = [(name, *size) for name in METHODS for size in ((1, 2), (2, 3), (3, 3))]


@pytest.mark.parametrize(("method", "clients", "rounds"), SMALL)
def test_simulated_is_at_most_the_worst_case_and_that_at_most_the_bound(method, clients, rounds):
    for row in solved(method, clients, rounds):
        assert 0 < row.simulated.value <= row.pep.value * (1 + SOLVER)
        assert row.pep.value <= row.bound.value * (1 + SOLVER)
        assert row.attained >= 0.99  # the two programs bracket the worst case closely here


@pytest.mark.parametrize(("method", "clients", "rounds"), SMALL)
def test_a_float_of_a_solver_is_an_estimate_and_says_where_it_is_from(method, clients, rounds):
    for row in solved(method, clients, rounds):
        assert row.pep.how is How.ESTIMATE
        assert row.simulated.how is How.ESTIMATE
        assert "Clarabel" in row.pep.source
        assert "duality gap" in row.pep.source
        assert row.bound.how in (How.UPPER, How.EXACT)


def test_one_client_without_momentum_is_gradient_descent_in_every_method():
    # one step size for all: the program then only differs in how its points were written
    first, second = (
        solved(name, 1, 2)[0] for name in ("decentralized-gradient-descent", "push-sum")
    )
    assert first.pep.value == pytest.approx(second.pep.value, rel=SOLVER)


def test_the_gradients_of_a_bounded_class_are_bounded_along_the_run():
    for row in solved("push-sum", 3, 3):
        norms = [np.linalg.norm(d.gradients, axis=1).max() for d in row.data]
        assert max(norms) <= B * (1 + 1e-6)


def longer(setting, factor):
    """The same method in the program with every gradient ``factor`` times as large."""
    return replace(
        setting,
        trajectory=lambda g, x: setting.trajectory(lambda i, z: factor * g(i, z), x),
    )


def test_a_wrong_step_in_the_program_breaks_the_order():
    (right,) = (row for row in solved("gradient-descent", 1, 5) if row.setting.claim == LEAST)
    wrong, _ = worst_case(longer(right.setting, 1.2), inner=True)  # faster than the algorithm
    assert right.simulated.value > wrong.value * (1 + SOLVER)


@pytest.mark.parametrize("method", ["decentralized-gradient-descent", "push-sum", "momentum"])
def test_a_run_does_not_attain_the_worst_case_of_another_method(method):
    (right,) = solved(method, 3, 3)
    wrong = triangle(longer(right.setting, 0.25))  # slower than the algorithm: a larger worst case
    assert wrong.pep.value > right.pep.value * 1.01
    assert wrong.attained < 0.99 <= right.attained


def test_the_same_row_comes_out_the_same_twice():
    (setting,) = settings("push-sum", 3, 2)
    assert triangle(setting).as_json() == triangle(setting).as_json()


def test_a_row_is_json_with_the_functions_that_were_simulated():
    (row,) = solved("momentum", 3, 3)
    data = json.loads(json.dumps(row.as_json(), allow_nan=False))
    assert data["pep"]["how"] == "estimate"
    assert (data["clients"], data["rounds"], data["L"], data["B"]) == (3, 3, L, B)
    assert len(data["functions"]) == 3
    for function in data["functions"]:
        points, gradients = np.array(function["points"]), np.array(function["gradients"])
        assert points.shape == gradients.shape
        assert len(function["values"]) == len(points)
