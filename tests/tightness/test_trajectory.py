"""The linear combinations that the semidefinite program gets are those the algorithms make."""

from dataclasses import replace

import numpy as np
import pytest

from theorylab.problems import problem
from theorylab.runs import simulate
from theorylab.tightness import METHODS, momentum, settings
from theorylab.tightness.setting import LAST


def rows():
    return [
        pytest.param(row, id=f"{row.method}-{row.claim}-{row.clients}")
        for clients in (1, 2, 4)
        for name in METHODS
        for row in settings(name, clients, 4)
    ]


def measured(setting, losses):
    """f(xbar^t) along the setting's own trajectory, with numbers for points."""
    n, d = losses.clients, losses.dim

    def gradient(i, z):
        return losses.gradient(np.broadcast_to(z, (1, n, d)))[0, i]

    averages = np.array(setting.trajectory(gradient, np.zeros(d)))
    return losses.mean_loss(averages)


@pytest.mark.parametrize("setting", rows())
def test_the_trajectory_is_the_run_of_the_registered_algorithm(setting):
    losses = problem("log-cosh", setting.clients, dim=2, spread=2.0, seed=3)
    wanted = measured(setting, losses)
    trace = simulate(
        losses, setting.topology, setting.algorithm, rounds=len(wanted), x0=0.0, columns=["loss"]
    )
    assert len(wanted) == setting.rounds + (setting.claim == LAST)
    # two orders of the same few hundred additions of numbers of size 10: 1e3 eps each
    assert np.abs(trace.columns["loss"][0] - wanted).max() <= 1e3 * np.finfo(float).eps * 10


def test_a_trajectory_with_another_step_is_told_apart():
    (setting,) = settings("momentum", 3, 4)
    P = setting.topology.matrix(0).toarray()
    wrong = replace(
        setting, trajectory=lambda g, x: momentum.trajectory(g, x, P.T.tolist(), setting.rounds)
    )
    losses = problem("log-cosh", 3, dim=2, spread=2.0, seed=3)
    assert np.abs(measured(setting, losses) - measured(wrong, losses)).max() > 1e-3
