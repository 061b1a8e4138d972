"""Constants of one mixing matrix: spectrum, distances, degrees, flags.

``P[i, j]`` is the share of j's mass that i receives; every column sums to 1. Every function takes
P as a scipy CSR array (n, n) and says in ``source`` how the number was found.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import shortest_path
from scipy.sparse.linalg import ArpackError, svds

from theorylab.constants._graph import closed_classes, depths, few_hops, modulus_one, period
from theorylab.constants.spectrum import DENSE, FEW, power_iteration, reversible_law, second_modulus
from theorylab.known import How, Known
from theorylab.topologies import unreachable

FEW_HOPS = 64  # diameters up to here are found for all clients at once


class Item(NamedTuple):
    """One item of a definition, if it holds, and why or where not."""

    item: str
    holds: bool
    reason: str


@dataclass(frozen=True)
class Perron:
    """The vector pi, P pi = pi, sum 1.

    Attributes:
        vector: shape (n,).
        how: EXACT up to rounding where a formula gives it; else ESTIMATE.
        source: one line.
        residual: ||P pi - pi||_1 as computed.
    """

    vector: NDArray[np.float64]
    how: How
    source: str
    residual: float


def lambda2(P: csr_array) -> Known:
    """Second largest eigenvalue modulus of P. 1 exactly where the graph decides it.

    Args:
        P: (n, n), nonnegative; a CSR matrix, such as ``topology.matrix(0)``.

    Returns:
        An estimate within 1 % of the value; where that cannot be seen, an enclosure or an upper
        bound. See ``spectrum`` for how it is found.

    >>> from theorylab.topologies import topology
    >>> round(lambda2(topology("ring", 6).matrix(0)).value, 6)  # 1/3 + 2/3 cos(2 pi/6)
    0.666667
    """
    reason = modulus_one(P)
    if reason is not None:
        return Known(1.0, How.EXACT, f"|lambda_2| = 1: {reason}")
    return second_modulus(P)


def symmetric_lambda(P: csr_array, second: Known | None = None) -> Known:
    """lambda = max(|lambda_2|, |lambda_m|) of a symmetric P: its ``lambda2``.

    Source: DFedAlt / DFedSalt, Definition 1.

    Args:
        second: ``lambda2(P)``, if it is known already.

    Raises:
        ValueError: naming the entry that differs most from its mirror image.
    """
    differs = asymmetry(P)
    if differs is not None:
        raise ValueError(f"symmetric_lambda: {differs}; need P = P^T")
    second = second or lambda2(P)
    return replace(second, source=f"max(|lambda_2|, |lambda_m|): {second.source}")


def spectral_gap(second: Known) -> Known:
    """1 - |lambda_2|.

    Args:
        second: ``lambda2`` of the matrix.

    Returns:
        The gap. What is an upper bound of lambda_2 gives a lower bound of the gap, and so do ends.

    >>> from theorylab.topologies import topology
    >>> round(spectral_gap(lambda2(topology("ring", 6).matrix(0))).value, 6)
    0.333333
    """
    how = {How.UPPER: How.LOWER, How.LOWER: How.UPPER}.get(second.how, second.how)
    low, high = (_complement(end, to) for end, to in ((second.upper, -1), (second.lower, 1)))
    return Known(1 - second.value, how, f"1 - |lambda_2|; {second.source}", low, high)


def _complement(end: float | None, toward: int) -> float | None:
    """1 - end, rounded outwards; 1 - 1 and 1 - 0 are exact."""
    if end is None or end in (0, 1):
        return None if end is None else 1 - end
    return math.nextafter(1 - end, toward * math.inf)


def sigma2(P: csr_array, second: Known | None = None) -> Known:
    """Second largest singular value of P; ||P - 11^T/n||_2 if P is doubly stochastic.

    second: ``lambda2(P)``, if it is known already: the same of a symmetric P.
    """
    n = P.shape[0]
    if n == 1:
        return Known(0.0, How.EXACT, "one client: no second singular value")
    close = second is not None and (n <= DENSE or second.how in (How.EXACT, How.ESTIMATE))
    if n > FEW and second is not None and close and asymmetry(P) is None:
        return replace(second, source=f"|lambda_2| of a symmetric P: {second.source}")
    if n <= DENSE:
        value = float(np.linalg.svd(P.toarray(), compute_uv=False)[1])
        return Known(value, How.ESTIMATE, "second singular value of P, LAPACK in float64")
    start = np.cos(np.arange(n)) + 1 / n
    try:
        values = svds(P, k=3, v0=start, return_singular_vectors=False, rng=0)
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
        if (few := few_hops(P, FEW_HOPS)) is not None:
            return Known(float(few), How.EXACT, "breadth-first search from every client")
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


def periodicity(P: csr_array) -> Known:
    """gcd of the lengths of all cycles; the lcm over the closed classes if there are several.

    P(t) settles from every start if and only if this is 1. A client outside the closed classes
    loses its mass and plays no part.
    """
    closed = closed_classes(P)
    lengths = [period(P, clients) for clients in closed]
    where = "the graph" if len(closed[0]) == P.shape[0] else f"{len(closed)} closed classes"
    source = f"gcd of the cycle lengths of {where}, breadth-first search"
    return Known(float(math.lcm(*lengths)), How.EXACT, source)


def perron(P: csr_array) -> Perron:
    """The stationary vector of P.

    Uniform for a doubly stochastic P; from the ratios P[i,j] / P[j,i] for a reversible one; else a
    linear solve up to n = ``DENSE``, power iteration of (I + P) / 2 above.

    Raises:
        ValueError: if there are several closed classes, so several such vectors.
    """
    n, closed = P.shape[0], closed_classes(P)
    if len(closed) > 1:
        raise ValueError(
            f"perron: {len(closed)} closed classes, e.g. those of clients {closed[0][0]} and "
            f"{closed[1][0]}; need one, or there are several vectors pi"
        )
    how = How.EXACT
    law = None if doubly_stochastic(P).value else reversible_law(P)
    if doubly_stochastic(P).value:
        pi, source = np.full(n, 1 / n), "1/n: P is doubly stochastic within n eps"
    elif law is not None:
        pi, source = law, "P[i,j] pi_j = P[j,i] pi_i on every edge"
    else:
        how = How.ESTIMATE
        if n <= DENSE:
            # 1^T (I - P) = 0, so a solution of (I - P + 11^T/n) pi = 1/n has sum 1, and P pi = pi.
            system = np.eye(n) - P.toarray() + 1 / n
            pi, source = np.linalg.solve(system, np.full(n, 1 / n)), "linear solve, LAPACK"
        else:
            pi, steps = power_iteration(P)
            source = f"power iteration of (I + P)/2, {steps} steps"
        pi = np.maximum(pi, 0) / np.maximum(pi, 0).sum()
    residual = float(np.abs(P @ pi - pi).sum())
    return Perron(pi, how, f"{source}; ||P pi - pi||_1 = {residual:.1g}", residual)


def _eccentricity(graph: csr_array) -> int:
    return int(depths(graph).max())


def asymmetry(P: csr_array) -> str | None:
    """None if P = P^T within 4 eps (entries rounded apart), else the worst pair."""
    off = abs(P - P.T).tocoo()
    k = int(np.argmax(off.data)) if off.nnz else 0
    if not off.nnz or off.data[k] <= 4 * np.finfo(float).eps:
        return None
    i, j = int(off.row[k]), int(off.col[k])
    return f"P[{i},{j}] = {float(P[i, j])!r} but P[{j},{i}] = {float(P[j, i])!r}"
