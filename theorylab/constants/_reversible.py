"""Whether P[i,j] pi_j = P[j,i] pi_i for some pi, and the symmetric matrix similar to P."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order

from theorylab.constants._graph import distance_to_root, receivers
from theorylab.known import EPS

Floats = NDArray[np.float64]


def balance(P: csr_array) -> tuple[csr_array, Floats] | None:
    """(S, log pi) of a reversible P whose graph is connected, else None; P is nonnegative.

    S = D^-1/2 P D^1/2, D = diag(pi): S[i,j] = sqrt(P[i,j] P[j,i]) needs no pi, which may leave
    float64. It follows from the ratios P[i,j] / P[j,i] along a tree; every other edge must agree
    within the rounding of that walk.
    """
    n, T = P.shape[0], receivers(P)
    T.sort_indices()
    if not (np.array_equal(T.indptr, P.indptr) and np.array_equal(T.indices, P.indices)):
        return None
    order, parent = breadth_first_order(P, 0, directed=True)
    if len(order) < n:
        return None
    if np.array_equal(P.data, T.data):
        return P, np.zeros(n)
    row = np.repeat(np.arange(n), np.diff(P.indptr))
    step = np.log(P.data) - np.log(T.data)  # log pi_i - log pi_j
    log_pi, above = np.zeros(n), np.asarray(parent, np.int64)
    down = P.indices == above[row]
    log_pi[row[down]] = step[down]
    above = np.where(above < 0, np.arange(n), above)
    hops = int(distance_to_root(np.asarray(order, np.int64), np.asarray(parent, np.int64)).max())
    for _ in range(hops.bit_length()):
        log_pi, above = log_pi + log_pi[above], above[above]
    off = np.abs(step - log_pi[row] + log_pi[P.indices])
    # A log of an entry >= 1e-6 is off by 14 eps; two per edge of two walks to the root.
    if off.max() > 64 * EPS * (hops + 1):
        return None
    S = csr_array((np.sqrt(P.data) * np.sqrt(T.data), P.indices, P.indptr), P.shape)
    return S, log_pi
