"""Definition 1 of DFedAlt / DFedSalt, item by item: what a gossip matrix has to be.

(i)   Graph: w_ij = 0 if i != j and (i, j) is no edge, otherwise w_ij > 0 (so w_ii > 0)
(ii)  Symmetry: W = W^T
(iii) Null space: null{I - W} = span{1}
(iv)  Spectrum: I >= W > -I in the order of symmetric matrices

With (i) to (iii) the graph decides (iii) and (iv) without a computed eigenvalue: for W >= 0 with
rows that sum to 1, I >= W holds, the null space has one dimension for each component, and -1 is an
eigenvalue exactly if a component is bipartite. Otherwise LAPACK does.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array

from theorylab.constants._graph import closed_classes, period
from theorylab.constants.mixing import Item, asymmetry
from theorylab.constants.spectrum import DENSE
from theorylab.known import EPS


def definition1(P: Any, graph: Any = None) -> list[Item]:
    """Items (i) to (iv), each with a bool and a reason; a failure names row, column and value.

    Args:
        P: square, finite; dense or scipy sparse (n, n). It need not be stochastic.
        graph: edges allowed, an (n, n) matrix whose nonzero entries are the edges (loops play no
            part). None takes the pattern of P, so that only negative entries and the diagonal
            can break (i).

    Raises:
        ValueError: not square, empty, or not finite, naming the entry.
    """
    W = csr_array(P, dtype=np.float64, copy=True)
    if W.ndim != 2 or W.shape[0] != W.shape[1] or W.shape[0] == 0:
        raise ValueError(f"definition1: P has shape {W.shape}; need (n, n) with n >= 1")
    entries = W.tocoo()
    if not np.isfinite(entries.data).all():
        k = int(np.argmin(np.isfinite(entries.data)))
        where = f"P[{entries.row[k]},{entries.col[k]}]"
        raise ValueError(f"definition1: {where} = {float(entries.data[k])!r}; need a finite number")
    W.eliminate_zeros()
    W.sort_indices()
    asymmetric = asymmetry(W)
    symmetric = Item("(ii)", asymmetric is None, asymmetric or "P = P^T within 4 eps")
    off = np.abs(W.sum(axis=1) - 1)
    row = int(np.argmax(off))
    sums = None
    if off[row] > W.shape[0] * EPS:
        sums = f"row {row} of P sums to {float(W.sum(axis=1)[row])!r}, so P 1 != 1"
    return [_graph(W, graph), symmetric, _null_space(W, sums), _spectrum(W, sums is None)]


def _graph(W: csr_array, graph: Any) -> Item:
    n, dense_diagonal = W.shape[0], W.diagonal()
    entries = W.tocoo()
    bad = (entries.data < 0) | (entries.data > 1 + n * EPS)
    if bad.any():
        k = int(np.argmax(bad))
        i, j, v = entries.row[k], entries.col[k], float(entries.data[k])
        return Item("(i)", False, f"P[{i},{j}] = {v!r} lies outside [0, 1]")
    if not np.all(dense_diagonal > 0):
        i = int(np.argmin(dense_diagonal > 0))
        return Item("(i)", False, f"P[{i},{i}] = {float(dense_diagonal[i])!r}; need > 0")
    if graph is None:
        return Item("(i)", True, "the graph is the pattern of P, and the diagonal is positive")
    edges = csr_array(graph) != 0
    if edges.shape != W.shape:
        raise ValueError(f"definition1: graph has shape {edges.shape}, P {W.shape}; need the same")
    differ = ((W != 0) != edges).tocoo()
    away = np.flatnonzero((differ.row != differ.col) & differ.data)
    if len(away):
        i, j = int(differ.row[away[0]]), int(differ.col[away[0]])
        word = "an edge" if edges[i, j] else "no edge"
        return Item("(i)", False, f"P[{i},{j}] = {float(W[i, j])!r}, but ({i},{j}) is {word}")
    return Item("(i)", True, "P[i,j] > 0 exactly on the edges and the diagonal")


def _null_space(W: csr_array, sums: str | None) -> Item:
    if sums is not None:
        return Item("(iii)", False, sums)
    if W.data.min() >= 0:
        closed = closed_classes(W.T.tocsr())  # P 1 = 1: rows are the distributions here
        if len(closed) > 1:
            who = f"those of clients {closed[0][0]} and {closed[1][0]}"
            return Item("(iii)", False, f"null(I - P) has {len(closed)} dimensions, e.g. {who}")
        return Item("(iii)", True, "P 1 = 1 and the graph has one closed class")
    values = np.linalg.svd(np.eye(_dense(W)) - W.toarray(), compute_uv=False)
    zero = int(np.count_nonzero(values <= 4 * W.shape[0] * EPS * max(1.0, values[0])))
    return Item("(iii)", zero == 1, f"I - P has {zero} singular values within rounding of 0")


def _spectrum(W: csr_array, rows: bool) -> Item:
    if rows and W.data.min() >= 0 and asymmetry(W) is None:
        for clients in closed_classes(W):
            if period(W, clients) == 2:
                reason = f"-1 is an eigenvalue: the component of client {clients[0]} is bipartite"
                return Item("(iv)", False, reason)
        return Item("(iv)", True, "P >= 0, P = P^T, P 1 = 1, and no component is bipartite")
    _dense(W)
    values = np.linalg.eigvalsh((W + W.T).toarray() / 2)
    low, high = float(values[0]), float(values[-1])
    slack = 4 * W.shape[0] * EPS * max(1.0, abs(low), abs(high))
    holds = high <= 1 + slack and low > -1 + slack
    return Item("(iv)", holds, f"eigenvalues of (P + P^T)/2 in [{low:.12g}, {high:.12g}], LAPACK")


def _dense(W: csr_array) -> int:
    if W.shape[0] > DENSE:
        raise ValueError(f"definition1: n is {W.shape[0]}, and P needs LAPACK; need n <= {DENSE}")
    return int(W.shape[0])
