"""Moments of many clients, and on networks whose clients draw their neighbours."""

import gc
import itertools
import tracemalloc

import numpy as np
import pytest

from theorylab.hypergradients import (
    SGP,
    Linear,
    QuadraticBilevel,
    coefficient_law,
    edge_law,
    exact,
    hgp,
    moments,
    patterns,
    second_moment_radius,
)
from theorylab.hypergradients.edge_law import weigh
from theorylab.topologies import topology


@pytest.mark.parametrize("name", ["random-out", "random-symmetric"])
def test_on_networks_that_draw_neighbours_the_moments_are_those_over_every_draw(name):
    n = 3
    problem = QuadraticBilevel.random(n, 1, 1, seed=4)
    built = topology(name, n, degree=1)
    law, sgp = edge_law(built), SGP(0.3, "4a")
    truth = exact(problem, law, sgp, np.zeros((n, 1)))
    at = Linear(problem, sgp, truth.point.x[None], truth.point.omega[None], np.zeros((1, n, 1)))
    chance, edges = patterns(built)
    assert (
        np.abs((chance[:, None, None] * weigh(built, edges)).sum(axis=0) - law.mean).max() < 1e-15
    )
    found = moments(at, coefficient_law(built), 3)
    H, G = problem.H[:, 0, 0], problem.G[:, 0, 0]
    c_y = at.seeds()[0][0, :, 0]
    A = [(edge * law.debiased) * (1 - 0.3 / at.omega[0] * H)[:, None] for edge in edges]
    B = [(edge * law.debiased) * (0.3 * G)[:, None] for edge in edges]
    mean, square = 0, 0
    for ids in itertools.product(range(len(chance)), repeat=5):  # B, A, B, A, B
        v, u = np.zeros(n), c_y
        for k in range(0, 5, 2):
            v = v + B[ids[k]] @ u
            if k < 4:
                u = A[ids[k + 1]] @ u
        p = chance[list(ids)].prod()
        mean, square = mean + p * v, square + p * (v @ v)
    shift = found.mean[3, :, 0] - mean
    assert np.abs(shift - found.mean[0, :, 0]).max() <= 1e-13
    assert abs(found.variance[3] - (square - mean @ mean)) <= 1e-12  # 8^5 terms


def test_a_hundred_clients_need_no_n_to_the_fourth():
    n, terms = 100, 20
    problem = QuadraticBilevel.random(n, 2, 1, seed=1)
    built = topology("sto-u", n, seed=1)
    law, sgp = edge_law(built), SGP(0.3, "4b")
    truth = exact(problem, law, sgp, np.zeros((n, 1)))
    at = Linear(problem, sgp, truth.point.x[None], truth.point.omega[None], np.zeros((1, n, 1)))
    law_of_terms = coefficient_law(built)
    gc.disable()  # it comes by when it likes
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        found = moments(at, law_of_terms, terms, reading="appendix-b")
        peak = tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()
        gc.enable()
    assert peak < n**4  # bytes: not an eighth of one n^4 array
    made = hgp(at, built, law, terms, reading="appendix-b", runs=np.arange(30))
    error = ((made.gradient - truth.gradient) ** 2).sum(axis=(1, 2))
    gap = abs(error.mean() - found.rmse(truth.gradient)[-1] ** 2)
    assert gap <= 6 * error.std() / np.sqrt(30)  # six standard errors of 30 runs


def test_the_radius_of_thirty_clients_is_the_growth_of_the_power_iteration():
    n = 30
    problem = QuadraticBilevel.random(n, 1, 1, seed=1)
    built = topology("sto-d", n, seed=1)
    law = coefficient_law(built)
    one = np.ones((1, n))
    at = Linear(problem, SGP(0.3, "4a"), np.zeros((1, n, 1)), one, np.zeros((1, n, 1)))
    factor = 1 - 0.3 * problem.H[:, 0, 0]
    variance = edge_law(built).debiased ** 2 * built.frequency * (1 - built.frequency)
    A = law.mean * factor[:, None]
    S, growth = np.eye(n), 0.0
    for _ in range(400):  # S -> E[A S A^T], written out for edges on their own
        S = A @ S @ A.T + np.diag(factor**2 * (variance @ np.diag(S)))
        growth = np.linalg.norm(S)
        S = S / growth
    assert abs(second_moment_radius(at, law) - growth) <= 1e-9  # the next mode is gone by 400
