"""Exact expectations against every noise path of a two-point noise, added up one by one."""

import itertools

import numpy as np
import pytest

from theorylab.algorithms import SGP, DFedSGPSM
from theorylab.problems import problem
from theorylab.runs import expected_trace, has_exact_moments, simulate
from theorylab.topologies import topology


def test_moments_equal_the_average_over_all_noise_paths():
    n, K, rounds, eta, alpha, s = 2, 2, 3, 0.2, 0.5, 0.7
    h, c = np.array([1.0, 3.0]), np.array([-1.0, 2.0])
    losses = problem("quadratic", n, H=h[:, None, None].tolist(), c=c[:, None].tolist(), sigma=s)
    edges = [[0, 0, 0.7], [0, 1, 0.3], [1, 1, 0.4], [1, 0, 0.6]]
    graph = topology("edge-list", n, edges=edges)
    trace = expected_trace(
        losses, graph, DFedSGPSM(eta, alpha, 0.0, K), rounds=rounds, x0=[[0.5], [1.5]]
    )
    draws = n * K * (rounds - 1)
    total = np.zeros((3, rounds))
    for signs in itertools.product((-s, s), repeat=draws):  # a variance of s^2, like the noise
        noise = iter(signs)
        x, w = np.array([0.5, 1.5]), np.ones(n)
        for t in range(rounds):
            mean = x.mean()
            total[0, t] += (h * (mean - c)).mean() ** 2
            total[1, t] += ((x / w - mean) ** 2).mean()
            total[2, t] += (0.5 * h * (mean - c) ** 2).mean()
            if t == rounds - 1:
                break
            v = np.zeros(n)
            for _ in range(K):
                g = h * (x / w - c) + np.array([next(noise) for _ in range(n)])
                v = alpha * v + g
                x = x - eta * v
            P = graph.matrix(t).toarray()
            x, w = P @ x, P @ w
    total /= 2**draws
    for row, name in zip(total, ("squared_gradient", "consensus", "loss"), strict=True):
        # 256 paths of a few hundred operations each on numbers of size <= 20
        assert np.allclose(trace.columns[name][0], row, rtol=1e-12, atol=1e-13), name


def test_without_noise_moments_are_the_run_itself():
    losses = problem("quadratic", 4, dim=3, mu=0.5, L=2.0, heterogeneity=1.0, seed=3)
    graph, method = topology("directed-ring", 4), DFedSGPSM(0.1, 0.6, 0.0, 3)
    exact = expected_trace(losses, graph, method, rounds=20, x0=1.0)
    run = simulate(losses, graph, method, rounds=20, x0=1.0)
    for name in ("squared_gradient", "consensus", "loss"):
        assert np.allclose(exact.columns[name], run.columns[name], rtol=1e-10, atol=1e-14), name


def test_runs_average_to_the_moments():
    losses = problem("quadratic", 3, dim=2, mu=0.5, L=2.0, heterogeneity=1.0, sigma=1.0, seed=3)
    graph, method = topology("random-out", 3, degree=1, seed=2), SGP(0.2)
    exact = expected_trace(losses, graph, method, rounds=12, x0=1.0)
    runs = simulate(losses, graph, method, rounds=12, runs=4000, x0=1.0)
    for name in ("squared_gradient", "consensus", "loss"):
        values = runs.columns[name][:, -1]
        error = values.std() / np.sqrt(len(values))
        assert abs(values.mean() - exact.columns[name][0, -1]) < 5 * error, name  # 5 sigma: 6e-7


def test_what_is_not_affine_is_refused():
    losses = problem("quadratic", 3, dim=2, mu=0.5, L=2.0, sigma=1.0, seed=3)
    assert has_exact_moments(losses, DFedSGPSM(0.1, 0.9, 0.0, 2))
    assert not has_exact_moments(losses, DFedSGPSM(0.1, rho=0.1))
    assert not has_exact_moments(problem("log-cosh", 3, dim=2), SGP(0.1))
    with pytest.raises(TypeError, match="need a quadratic, rho = 0 and n d <= 256"):
        expected_trace(losses, topology("complete", 3), DFedSGPSM(0.1, rho=0.1), rounds=2)
