"""The derivative along a path, against two rounds written out by hand."""

import numpy as np
import pytest

from theorylab.experiments import experiment
from theorylab.hypergradients import algorithm2, itd


def by_hand(problem, step, lam, P):
    """Two rounds of (4b) from z = 0 on static P, derivative in lambda by the product rule."""
    n, d, h = problem.clients, problem.dim, problem.hyper
    z, dz, omega = np.zeros((n, d)), np.zeros((n, d, n, h)), np.ones(n)
    for _ in range(2):
        x, dx = z / omega[:, None], dz / omega[:, None, None, None]
        after, d_after = np.zeros_like(z), np.zeros_like(dz)
        for i in range(n):
            for j in range(n):
                after[i] += P[i, j] * z[j]
                d_after[i] += P[i, j] * dz[j]
            after[i] -= step * (problem.H[i] @ x[i] - problem.b[i] - problem.G[i] @ lam[i])
            d_after[i] -= step * np.einsum("ab,bkc->akc", problem.H[i], dx[i])
            d_after[i][:, i, :] += step * problem.G[i]
        z, dz, omega = after, d_after, P @ omega
    x, dx = z / omega[:, None], dz / omega[:, None, None, None]
    total = np.zeros((n, h))
    for i in range(n):
        pull = x[i] - problem.t[i] + problem.S[i] @ lam[i]
        total += np.einsum("a,akc->kc", pull, dx[i]) / n
        total[i] += (problem.S[i].T @ x[i] + problem.reg * lam[i]) / n
    return total


def test_the_finite_difference_is_the_derivative_by_hand():
    network = {"name": "directed-ring"}
    made = experiment("itd", clients=3, network=network, rounds=2)
    P = made.topology.matrix(0).toarray()
    lam = np.ones((1, 3, made.losses.hyper))
    path = algorithm2(made.losses, made.topology, made.steps, lam, 2, keep=True).path
    wanted = by_hand(made.losses, 0.2, lam[0], P)
    assert np.abs(itd(made.losses, made.steps, lam[0], path) - wanted).max() <= 1e-14 * 50
    row = made.observe("eq42", range(1), 0).rows[0]
    assert row.values[0] <= 1e-14 * 50


def test_the_allowance_stays_near_what_is_added():
    made = experiment("itd")
    row = made.observe("eq42", range(3), 0).rows[0]
    count = made.constants()["summands"].value
    allowance = count * 2.0**-53 * row.at["hyper_magnitude"].value
    assert row.values.max() <= allowance <= 1e-8  # what is wrong is off by 1e-3 or more


@pytest.mark.parametrize("column", ["eq41", "backward_printed"])
def test_the_printed_orders_are_off_by_far_more_than_rounding(column):
    assert experiment("itd").observe(column, range(1), 0).rows[0].values[0] > 1e-3


def test_bad_rounds_get_one_line():
    with pytest.raises(ValueError, match=r"^itd: rounds is 0; need >= 1$"):
        experiment("itd", rounds=0)
