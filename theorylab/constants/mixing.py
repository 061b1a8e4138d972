"""Constants of one mixing matrix: spectrum, distances, degrees, flags.

``P[i, j]`` is the share of j's mass that i receives; every column sums to 1. Every function takes
P as a scipy CSR array (n, n) and says in ``source`` how the number was found.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order, connected_components, shortest_path
from scipy.sparse.linalg import ArpackError, LinearOperator, eigs, svds

from theorylab.known import How, Known
from theorylab.topologies import unreachable

DENSE = 2000  # up to here LAPACK on the full matrix: 32 MB, seconds


def eigenvalue_moduli(P: csr_array) -> NDArray[np.float64]:
    """Moduli of the n eigenvalues of P except one Perron eigenvalue 1, largest first.

    P - 11^T/n has the spectrum of P with exactly one eigenvalue 1 replaced by 0, since 1^T is a
    left eigenvector of P (Brauer 1952). So nothing is dropped because it is close to 1: further
    eigenvalues of modulus 1, real or complex, stay. Shape (n,), the last one being that 0.

    Raises:
        ValueError: if n is above ``DENSE``.
    """
    n = P.shape[0]
    if n > DENSE:
        raise ValueError(f"eigenvalue_moduli: n is {n}; need n <= {DENSE}")
    deflated = P.toarray() - 1 / n
    symmetric = np.array_equal(deflated, deflated.T)
    values = np.linalg.eigvalsh(deflated) if symmetric else np.linalg.eigvals(deflated)
    return np.sort(np.abs(values))[::-1]


def lambda2(P: csr_array) -> Known:
    """Second largest eigenvalue modulus of P. 1 exactly where the graph decides it."""
    n = P.shape[0]
    reason = _modulus_one(P)
    if reason is not None:
        return Known(1.0, How.EXACT, f"|lambda_2| = 1: {reason}")
    if n <= DENSE:
        return Known(
            min(1.0, float(eigenvalue_moduli(P)[0])),
            How.ESTIMATE,
            "largest eigenvalue modulus of P - 11^T/n, LAPACK in float64",
        )
    ones = np.ones(n)
    # The row sums of P^T are 1, so the deflation costs one dot product.
    operator = LinearOperator((n, n), matvec=lambda v: P @ v - v.sum() / n, dtype=np.float64)
    start = np.cos(np.arange(n)) + ones / n  # fixed: ARPACK would draw its own
    try:
        values = eigs(operator, k=6, v0=start, return_eigenvectors=False)
    except ArpackError as error:
        return Known(1.0, How.UPPER, f"|lambda_2| <= 1 is all that is known: ARPACK, {error}")
    return Known(
        min(1.0, float(np.abs(values).max())),
        How.ESTIMATE,
        "largest eigenvalue modulus of P - 11^T/n, ARPACK in float64",
    )


def spectral_gap(second: Known) -> Known:
    """1 - |lambda_2|, from ``lambda2``; the side turns around."""
    how = {How.UPPER: How.LOWER, How.LOWER: How.UPPER}.get(second.how, second.how)
    return Known(1 - second.value, how, f"1 - |lambda_2|; {second.source}")


def sigma2(P: csr_array) -> Known:
    """Second largest singular value of P; ||P - 11^T/n||_2 if P is doubly stochastic."""
    n = P.shape[0]
    if n == 1:
        return Known(0.0, How.EXACT, "one client: no second singular value")
    if n <= DENSE:
        value = float(np.linalg.svd(P.toarray(), compute_uv=False)[1])
        return Known(value, How.ESTIMATE, "second singular value of P, LAPACK in float64")
    start = np.cos(np.arange(n)) + 1 / n
    try:
        values = svds(P, k=3, v0=start, return_singular_vectors=False)
    except ArpackError as error:
        # sigma_2 <= ||P||_2 <= sqrt(||P||_1 ||P||_inf) and ||P||_1 = 1.
        bound = math.sqrt(float(P.sum(axis=1).max())) * (1 + n * np.finfo(float).eps)
        return Known(bound, How.UPPER, f"sqrt(largest row sum of P): ARPACK failed, {error}")
    return Known(
        float(np.sort(values)[-2]), How.ESTIMATE, "second singular value of P, ARPACK in float64"
    )


def diameter(P: csr_array) -> Known:
    """Longest shortest directed path, self-loops ignored; inf if not strongly connected.

    Exact for n <= DENSE. Above, an upper bound: the way to client 0 plus the way from it.
    """
    witness = unreachable(P)
    if witness is not None:
        return Known(math.inf, How.EXACT, f"no diameter: {witness}")
    forward = P.T.tocsr()
    if P.shape[0] <= DENSE:
        hops = shortest_path(forward, directed=True, unweighted=True)
        return Known(float(hops.max()), How.EXACT, "breadth-first search from every client")
    out = _eccentricity(forward)
    into = _eccentricity(P)
    return Known(float(out + into), How.UPPER, "d(i, j) <= d(i, 0) + d(0, j)")


def max_out_degree(P: csr_array) -> Known:
    """D: the largest number of receivers of one client, itself included if it keeps a share."""
    degree = np.bincount(P.indices, minlength=P.shape[1])
    return Known(float(degree.max()), How.EXACT, "largest number of entries of a column")


def p_min(P: csr_array) -> Known:
    """Smallest nonzero entry of P."""
    return Known(float(P.data.min()), How.EXACT, "smallest stored entry of P in float64")


def self_loops(P: csr_array) -> Known:
    """1 if every client keeps a share of its mass."""
    return _flag(bool(np.all(P.diagonal() > 0)), "diagonal of P")


def symmetric(P: csr_array) -> Known:
    """1 if P = P^T, entry by entry."""
    return _flag((P.T.tocsr() != P).nnz == 0, "P == P^T in float64")


def doubly_stochastic(P: csr_array) -> Known:
    """1 if every row sums to 1, too, within n eps."""
    off = np.abs(P.sum(axis=1) - 1).max()
    return _flag(bool(off <= P.shape[0] * np.finfo(float).eps), "row sums of P within n eps")


def strongly_connected(P: csr_array) -> Known:
    """1 if every client reaches every other; else 0, with a witness in ``source``."""
    witness = unreachable(P)
    return _flag(witness is None, witness or "breadth-first search from and to client 0")


def _flag(holds: bool, source: str) -> Known:
    return Known(float(holds), How.EXACT, source)


def _eccentricity(graph: csr_array) -> int:
    order, parent = breadth_first_order(graph, 0, directed=True)
    depth = np.zeros(graph.shape[0], dtype=np.int64)
    for node in order[1:]:  # a parent comes before its children
        depth[node] = depth[parent[node]] + 1
    return int(depth.max())


def _modulus_one(P: csr_array) -> str | None:
    """Why |lambda_2| = 1, or None if it is below 1 (Perron-Frobenius: closed classes, periods).

    The eigenvalue 1 is as often there as there are closed classes; a closed class of period p
    carries all p-th roots of unity.
    """
    graph = P.T.tocsr()  # row j holds the receivers of client j
    classes, label = connected_components(graph, directed=True, connection="strong")
    source = np.repeat(np.arange(P.shape[0]), np.diff(graph.indptr))
    target = graph.indices
    leaves = label[source] != label[target]
    closed = np.setdiff1d(np.arange(classes), label[source[leaves]])
    if len(closed) > 1:
        one, other = (int(np.argmax(label == c)) for c in closed[:2])
        return f"{len(closed)} closed classes, e.g. those of clients {one} and {other}"
    inside = np.flatnonzero(label == closed[0])
    sub = graph[inside][:, inside]
    order, parent = breadth_first_order(sub, 0, directed=True)
    depth = np.zeros(len(inside), dtype=np.int64)
    for node in order[1:]:
        depth[node] = depth[parent[node]] + 1
    tail = np.repeat(np.arange(len(inside)), np.diff(sub.indptr))
    period = int(np.gcd.reduce(depth[tail] + 1 - depth[sub.indices]))
    return f"the closed class has period {period}" if period > 1 else None
