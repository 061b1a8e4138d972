import numpy as np
import pytest

from theorylab.hypergradients import (
    SGP,
    Linear,
    QuadraticBilevel,
    coefficient_law,
    edge_law,
    exact,
    moments,
    tuned,
)
from theorylab.hypergradients.moments import least
from theorylab.topologies import topology


def test_the_least_of_a_bowl_is_found_inside_and_at_the_edge():
    for a, b in ((0.62, 0.31), (1.0, 0.0), (0.0, 0.13), (0.97, 1.0)):
        found = least(lambda x, y, a=a, b=b: 1 + (x - a) ** 2 + 2 * (y - b) ** 2)
        assert abs(found.alpha - a) < 2e-3  # xatol is 1e-3
        assert abs(found.beta - b) < 2e-3
        assert found.cost < 1 + 2e-5


def test_a_spike_on_the_grid_is_kept():
    found = least(lambda x, y: 0.0 if (x, y) == (0.9, 0.15) else 2.0 - x)
    assert (found.alpha, found.beta, found.cost) == (0.9, 0.15, 0.0)


def test_a_cost_outside_the_square_is_never_asked_for():
    def cost(alpha, beta):
        assert 0 <= alpha <= 1
        assert 0 <= beta <= 1
        return -alpha - beta

    found = least(cost)
    assert (found.alpha, found.beta, found.cost) == (1.0, 1.0, -2.0)


def test_the_tuned_pair_has_no_better_pair_near_it_or_on_a_grid():
    problem = QuadraticBilevel.random(2, 1, 1, noise=0.2, seed=4)
    built = topology("sto-d", 2, seed=3)
    law, sgp = edge_law(built), SGP(0.3, "4b")
    truth = exact(problem, law, sgp, np.zeros((2, 1)))
    at = Linear(problem, sgp, truth.point.x[None], truth.point.omega[None], np.zeros((1, 2, 1)))
    pairs = coefficient_law(built)
    best = tuned(at, pairs, truth.gradient, 30)

    def error(alpha, beta):
        made = moments(at, pairs, 30, reading="appendix-b", alpha=alpha, beta=beta)
        return made.rmse(truth.gradient)[-1]

    assert best.cost == error(best.alpha, best.beta)
    for alpha in np.linspace(0.05, 0.95, 7):
        for beta in np.linspace(0.05, 0.95, 7):
            assert error(alpha, beta) >= best.cost * (1 - 1e-3)  # Nelder-Mead stops at 1e-3
    assert best.cost < 0.9 * error(1.0, 0.0)


def test_what_always_overflows_is_named():
    problem = QuadraticBilevel([[[1.0]]], [[0.3]], [[[2.0]]], [[3.0]])
    one = np.ones((1, 1))
    at = Linear(problem, SGP(1e60), one[None], one, one[None])
    with pytest.raises(ValueError, match="left float64 for every pair at M = 9"):
        tuned(at, coefficient_law(topology("complete", 1)), one, 9)
