"""Exact expectations where a round is an affine map with additive noise: no sampling error.

For quadratics, ``DFedSGPSM`` without SAM maps the stacked models affinely, so mean and covariance
of all n d coordinates follow a linear recursion. The columns of the trace are then expectations.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from theorylab.algorithms import OSGP, SGP, Algorithm, DFedSGPSM
from theorylab.problems import Problem, Quadratic, plain
from theorylab.runs.simulate import initial_models
from theorylab.runs.trace import Array, Trace
from theorylab.topologies import Topology

MOMENTS = ("squared_gradient", "consensus", "loss")  # columns whose expectation is exact
_AFFINE = (SGP, OSGP, DFedSGPSM)
LARGEST = 256  # n d; the recursion costs O((n d)^3) a round


def has_exact_moments(problem: Problem, algorithm: Algorithm) -> bool:
    """True if ``expected_trace`` applies: a noisy quadratic, no SAM, at most 256 coordinates."""
    return (
        plain(problem, Quadratic)
        and isinstance(algorithm, DFedSGPSM)
        and type(algorithm) in _AFFINE  # a subclass may step in another way
        and algorithm.rho == 0
        and not isinstance(algorithm.local_steps, Sequence)
        and problem.clients * problem.dim <= LARGEST
    )


def expected_trace(
    problem: Problem,
    topology: Topology,
    algorithm: Algorithm,
    *,
    rounds: int,
    x0: float | Array = 0.0,
    graph_run: int = 0,
) -> Trace:
    """Expectations of squared_gradient, consensus and loss, given the graph of ``graph_run``.

    Returns a trace with one row, ``exact`` set. Raises TypeError where the round is not affine.
    """
    if not has_exact_moments(problem, algorithm):
        raise TypeError(
            f"expected_trace: {algorithm.name} on {problem.name} (n d = "
            f"{problem.clients * problem.dim}); need a quadratic, rho = 0 and n d <= {LARGEST}"
        )
    assert isinstance(problem, Quadratic)
    assert isinstance(algorithm, DFedSGPSM)
    n, d = problem.clients, problem.dim
    pull = np.einsum("nij,nj->ni", problem.hessians, problem.centers)
    hessian, target = problem.hessians.mean(axis=0), pull.mean(axis=0)
    mean, weight = initial_models(problem, 1, x0)[0], np.ones(n)
    covariance = np.zeros((n, d, n, d))
    table = {name: np.empty((1, rounds + 1)) for name in MOMENTS}
    for t in range(rounds + 1):
        centre = mean.mean(axis=0)
        shared = covariance.mean(axis=(0, 2))
        gradient = hessian @ centre - target
        table["squared_gradient"][0, t] = gradient @ gradient + np.trace(
            hessian @ shared @ hessian.T
        )
        table["loss"][0, t] = problem.mean_loss(centre[None])[0] + np.trace(hessian @ shared) / 2
        table["consensus"][0, t] = _consensus(mean, covariance, weight)
        if t == rounds:
            break
        maps, shifts, noise = _local_maps(problem, pull, algorithm, t, weight)
        mean = np.einsum("nij,nj->ni", maps, mean) + shifts
        covariance = np.einsum("aij,ajbk,blk->aibl", maps, covariance, maps, optimize=True)
        covariance[np.arange(n), :, np.arange(n), :] += noise
        P = topology.matrix(t, graph_run).toarray()
        mean, weight = P @ mean, P @ weight
        covariance = np.einsum("ab,bicj,dc->aidj", P, covariance, P, optimize=True)
    columns = {name: values[:, :rounds] for name, values in table.items()}
    last = {name: values[:, rounds] for name, values in table.items()}
    spread = np.einsum("aibi->abi", covariance)  # of one coordinate of two clients
    size = float(np.abs(mean).max() + 6 * np.sqrt(np.abs(spread).max()))
    return Trace(columns, np.zeros(1, np.int64), True, last=last, size=size)


def _consensus(mean: Array, covariance: Array, weight: Array) -> float:
    """(1/n) sum_i E||x_i/w_i - xbar||^2, from row i of diag(1/w) - 11^T/n."""
    n = len(weight)
    away = np.diag(1 / weight) - 1 / n
    blocks = np.einsum("aibi->ab", covariance)
    spread = np.einsum("ia,ab,ib->", away, blocks, away)
    shift = away @ mean
    return float((np.sum(shift * shift) + spread) / n)


def _local_maps(
    problem: Quadratic, pull: Array, algorithm: DFedSGPSM, t: int, weight: Array
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """x^{t+1/2} = A x + b + noise for each client: A (n, d, d), b (n, d), covariance (n, d, d)."""
    n, d = problem.clients, problem.dim
    assert not isinstance(algorithm.local_steps, Sequence)
    eta, alpha = algorithm.eta * algorithm.decay**t, algorithm.alpha
    eye = np.broadcast_to(np.eye(d), (n, d, d))
    scaled = problem.hessians / weight[:, None, None]
    # x = X x0 + ..., v = V x0 + ...; a unit of noise of step s ends as -eta b_s-like products.
    x_map, v_map = eye.copy(), np.zeros((n, d, d))
    x_shift, v_shift = np.zeros((n, d)), np.zeros((n, d))
    x_noise: list[Array] = []
    v_noise: list[Array] = []
    for _ in range(algorithm.local_steps):
        v_map = alpha * v_map + scaled @ x_map
        v_shift = alpha * v_shift + np.einsum("nij,nj->ni", scaled, x_shift) - pull
        v_noise = [alpha * v + scaled @ x for v, x in zip(v_noise, x_noise, strict=True)]
        v_noise.append(eye.copy())
        x_noise.append(np.zeros((n, d, d)))
        x_map = x_map - eta * v_map
        x_shift = x_shift - eta * v_shift
        x_noise = [x - eta * v for x, v in zip(x_noise, v_noise, strict=True)]
    each = problem.noise_variance / d
    total = sum((m @ m.transpose(0, 2, 1) for m in x_noise), np.zeros((n, d, d)))
    return x_map, x_shift, each * total
