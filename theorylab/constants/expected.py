"""E[P] and the mean-square contraction of i.i.d. random mixing matrices.

For i.i.d. P(t) the mean of x(t) moves by E[P], its second moments by E[P (x) P].

Column-stochastic P. Let pi be the Perron vector of E[P], J = pi 1^T. On the space 1^T x = 0, which
every P keeps, the covariance Sigma = E[x x^T] moves by the linear map Sigma -> E[P Sigma P^T]
restricted to {Sigma: 1^T Sigma = 0, Sigma 1 = 0}. Its spectral radius r says how E||x(t)||^2 decays
for a mass of sum zero: E||x(t)||^2 = O(t^k r^t). It is the matrix E[(P - J) (x) (P - J)] up to zero
eigenvalues, since on that space J Sigma = 0. For n entries it is an (n^2, n^2) matrix.

Doubly stochastic P: the same with J = 11^T/n. Beside r there is the one-step factor
rho = lambda_max(E[P^T P] - J): E||P x - mean||^2 <= rho ||x - mean||^2 for every x (Boyd et al.
2006), r <= rho.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
from numpy.typing import NDArray

from theorylab.known import How, Known
from theorylab.topologies import RandomOut, Topology

Floats = NDArray[np.float64]
MOST_MATRICES = 200_000  # enumerated one by one
LARGEST = 40  # clients: an (n^2, n^2) matrix of 20 MB


def mean_matrix(topology: Topology, runs: int = 1000) -> tuple[Floats, str]:
    """E[P] (n, n) and how it is known.

    Random-out in closed form: every client keeps 1/(degree + 1) and every other gets
    degree / ((degree + 1) (n - 1)) of it in the mean (uniform weights with self-loops). A periodic
    topology: the mean over its period. Any other: the mean over ``runs`` drawn first rounds.
    """
    n, degree = topology.clients, _degree(topology)
    if degree is not None:
        E = np.full((n, n), degree / ((degree + 1) * max(1, n - 1)))
        np.fill_diagonal(E, 1 / (degree + 1))
        return E, "closed form of random-out"
    matrices, source = _sample(topology, runs)
    return np.asarray(np.mean(matrices, axis=0)), source


def mean_contraction(topology: Topology, runs: int = 1000) -> dict[str, Known]:
    """How fast disagreement shrinks in the mean; see the head of this module.

    Random-out with few enough edge sets is enumerated (then the numbers are exact but for
    rounding, 1e-12); else ``runs`` draws give an estimate that says so.

    Returns:
        lambda2_mean: |lambda_2(E[P])|. contraction_ms: r, the spectral radius of
        Sigma -> E[P Sigma P^T] on the disagreement space. For doubly stochastic P also
        contraction_step: lambda_max(E[P^T P] - 11^T/n).

    Raises:
        ValueError: if n is above ``LARGEST``, or ``runs`` < 1.
    """
    n = topology.clients
    if n > LARGEST or runs < 1:
        raise ValueError(
            f"mean_contraction: clients is {n}, runs {runs}; need clients <= {LARGEST}, runs >= 1"
        )
    exact = _every(topology)
    matrices, source = _sample(topology, runs) if exact is None else exact
    how = How.ESTIMATE if exact is None else How.EXACT
    E, _ = mean_matrix(topology, runs)
    # An orthonormal basis of the space 1^T x = 0: the blocks B^T P B lose nothing on it.
    B = np.linalg.svd(np.eye(n) - 1 / n)[0][:, : n - 1]
    blocks = B.T @ matrices @ B
    m = n - 1
    lifted = np.einsum("kab,kcd->acbd", blocks, blocks).reshape(m * m, m * m) / len(blocks)
    found = {
        "lambda2_mean": _radius(B.T @ E @ B, how, f"|lambda_2(E[P])|, {source}"),
        "contraction_ms": _radius(lifted, how, f"rho(Sigma -> E[P Sigma P^T]), {source}"),
    }
    if np.abs(matrices.sum(axis=2) - 1).max() <= n * np.finfo(float).eps:
        step = np.einsum("kba,kbc->ac", blocks, blocks) / len(blocks)
        name = f"lambda_max(E[P^T P] - 11^T/n), {source}"
        found["contraction_step"] = _radius(step, how, name)
    return found


def _radius(A: Floats, how: How, source: str) -> Known:
    if A.size == 0:
        return Known(0.0, How.EXACT, "one client: nothing to disagree")
    return Known(float(np.abs(np.linalg.eigvals(A)).max()), how, source)


def _degree(topology: Topology) -> int | None:
    if isinstance(topology, RandomOut) and topology.uniform_out_degree:
        return topology.degree if bool(topology.matrix(0).diagonal().all()) else None
    return None


def _every(topology: Topology) -> tuple[Floats, str] | None:
    """All matrices, equally likely: a random-out's, or the one P of a static topology."""
    n, degree = topology.clients, _degree(topology)
    if topology.period == 1:
        return topology.matrix(0).toarray()[None], "P is the same in every round"
    if degree is None or math.comb(n - 1, degree) ** n > MOST_MATRICES:
        return None
    columns = []
    for j in range(n):
        others = [i for i in range(n) if i != j]
        choices = itertools.combinations(others, degree)
        columns.append([np.isin(np.arange(n), [j, *chosen]) for chosen in choices])
    all_ = np.array(list(itertools.product(*columns)), dtype=float)
    matrices = np.ascontiguousarray(all_.transpose(0, 2, 1)) / (degree + 1)
    return matrices, f"all {len(matrices)} edge sets"


def _sample(topology: Topology, runs: int) -> tuple[Floats, str]:
    period = topology.period
    if period is not None:
        drawn = [topology.matrix(t).toarray() for t in range(period)]
        return np.array(drawn), f"mean over the period of {period} rounds, each as likely"
    drawn = [topology.matrix(0, run).toarray() for run in range(runs)]
    return np.array(drawn), f"estimate from {runs} drawn matrices, round 0 of runs 0..{runs - 1}"
