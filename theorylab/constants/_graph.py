"""What the pattern of P alone decides: closed classes, cycle lengths, distances.

The graph of P has the edge j -> i where P[i, j] > 0; self-loops are edges.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order, connected_components

Ints = NDArray[np.int64]


def receivers(P: csr_array) -> csr_array:
    """Row j holds the receivers of client j, as csgraph wants it."""
    return P.T.tocsr()


def classes(P: csr_array) -> Ints:
    """The label of each client's strongly connected class, shape (n,)."""
    _, label = connected_components(receivers(P), directed=True, connection="strong")
    return np.asarray(label, np.int64)


def closed_classes(P: csr_array) -> list[Ints]:
    """The strongly connected classes that no mass leaves, clients ascending in each."""
    label = classes(P)
    target = np.repeat(np.arange(P.shape[0]), np.diff(P.indptr))
    source = P.indices
    closed = np.ones(label.max() + 1, bool)
    closed[label[source[label[source] != label[target]]]] = False
    clients = np.argsort(label, kind="stable")
    clients = clients[closed[label[clients]]]
    return np.split(clients, np.flatnonzero(np.diff(label[clients])) + 1)


def depths(graph: csr_array, root: int = 0) -> Ints:
    """Hops from ``root`` to every client it reaches, 0 elsewhere."""
    order, parent = breadth_first_order(graph, root, directed=True)
    return distance_to_root(np.asarray(order, np.int64), np.asarray(parent, np.int64))


def distance_to_root(order: Ints, parent: Ints) -> Ints:
    """Depth in the tree that ``breadth_first_order`` returned, by pointer doubling."""
    above = parent.copy()
    above[order[0]] = order[0]
    above[above < 0] = np.flatnonzero(above < 0)  # not reached
    depth = (above != np.arange(len(above))).astype(np.int64)
    for _ in range(max(1, math.ceil(math.log2(len(above) + 1)))):
        depth += depth[above]
        above = above[above]
    return np.asarray(depth)


def few_hops(P: csr_array, most: int) -> int | None:
    """The diameter of a strongly connected graph if it is at most ``most``, else None.

    Every client holds the set of those that reach it, 64 clients in a word, and a hop joins the
    sets of its senders: far cheaper than a search from every client where the hops are few.
    """
    n = P.shape[0]
    if n == 1:
        return 0
    reached = np.zeros((-(-n // 64), n), np.uint64)  # words first: a hop works word by word
    clients = np.arange(n)
    reached[clients // 64, clients] = np.uint64(1) << (clients % 64).astype(np.uint64)
    everyone = np.bitwise_or.reduce(reached, axis=1)
    for hop in range(1, most + 1):
        for row, all_of_them in zip(reached, everyone, strict=True):
            if not (row == all_of_them).all():
                row |= np.bitwise_or.reduceat(row[P.indices], P.indptr[:-1])
        if (reached == everyone[:, None]).all():
            return hop
    return None


def period(P: csr_array, clients: Ints) -> int:
    """gcd of the lengths of all cycles inside one strongly connected class; 0 if it has none.

    Every edge j -> i closes a walk of length depth(j) + 1 - depth(i) against the tree of a
    breadth-first search, and these generate the same ideal as the cycles (Denardo 1977).
    """
    inside = receivers(P[clients][:, clients].tocsr())
    depth = depths(inside)
    tail = np.repeat(np.arange(len(clients)), np.diff(inside.indptr))
    return int(np.gcd.reduce(depth[tail] + 1 - depth[inside.indices], initial=0))


def modulus_one(P: csr_array) -> str | None:
    """Why |lambda_2| = 1, or None if it is below 1 (Perron-Frobenius).

    The eigenvalue 1 is as often there as there are closed classes; a closed class of period p
    carries all p-th roots of unity.
    """
    closed = closed_classes(P)
    if len(closed) > 1:
        return (
            f"{len(closed)} closed classes, e.g. those of clients {closed[0][0]} and {closed[1][0]}"
        )
    length = period(P, closed[0])
    return f"the closed class has period {length}" if length > 1 else None
