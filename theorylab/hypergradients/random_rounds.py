"""Closed forms for the networks that draw their edges anew at every round.

random-out         every client sends to ``degree`` others, a uniform set: out-edges of one client
                   are tied, those of different clients are not
random-in          the same with receivers and senders swapped
random-symmetric   clients draw sets, an edge is there if either end drew it: edges with a client in
                   common are tied
erdos-renyi        (time_varying) every pair on its own
sto-d, sto-u       every edge, every pair, on its own, each with its own probability

With q = degree / (n - 1), two fixed others are both in a client's set with chance
q (degree - 1) / (n - 2). Degrees are sums of independent choices, so the mean weights are finite
sums of positive terms.
"""

from __future__ import annotations

import math
from itertools import combinations, product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from theorylab.topologies import (
    ErdosRenyi,
    RandomIn,
    RandomOut,
    RandomSymmetric,
    StochasticDirected,
    StochasticUndirected,
    Topology,
)

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
MOST_PATTERNS = 2**16


def is_redrawn(topology: Topology) -> bool:
    """True for the networks above."""
    if isinstance(topology, ErdosRenyi):
        return topology.time_varying
    kinds = (StochasticDirected, StochasticUndirected, RandomIn, RandomOut, RandomSymmetric)
    return isinstance(topology, kinds)


def frequency(topology: Any) -> Floats:
    """(n, n): [i, j] the probability of j -> i; 1 on the diagonal."""
    if isinstance(topology, StochasticDirected | StochasticUndirected):
        return topology.frequency
    n = topology.clients
    q = topology.p if isinstance(topology, ErdosRenyi) else topology.degree / max(n - 1, 1)
    if isinstance(topology, RandomSymmetric):
        q = 1 - (1 - q) ** 2
    table = np.full((n, n), float(q))
    np.fill_diagonal(table, 1.0)
    return table


def mean(topology: Any) -> Floats:
    """E P, (n, n).

    Raises:
        ValueError: where some draw has no weights: a client without an out-edge, or Metropolis
            weights on directed edges.
    """
    if isinstance(topology, StochasticDirected | StochasticUndirected):
        return topology.mean()
    n = topology.clients
    if isinstance(topology, RandomIn):
        away = topology.degree / max(n - 1, 1) / (topology.degree + 1)
        return _alike(n, away, 1 / (topology.degree + 1))
    rule = topology.weights
    if rule.endswith("metropolis"):
        if isinstance(topology, RandomOut) and 0 < topology.degree < n - 1:
            raise ValueError(
                f"edge_law: {topology.name} has weights {rule!r}, which need edges both ways"
            )
        away = _metropolis(topology) if n > 1 else 0.0
        stay = 1 - (n - 1) * away
    else:
        sizes, chance = _out_degrees(topology)
        if not topology.self_loops and sizes[0] == 0 and chance[0] > 0:
            raise ValueError(
                f"edge_law: {topology.name} without self-loops leaves a client no out-edge with "
                f"probability {chance[0]:.6g}"
            )
        if topology.self_loops:
            stay = float(chance @ (1 / (sizes + 1)))
            away = float(chance @ (sizes / (sizes + 1))) / max(n - 1, 1)
        else:
            stay, away = 0.0, 1 / (n - 1)
    if rule.startswith("lazy"):
        away, stay = away / 2, (1 + stay) / 2
    return _alike(n, away, stay)


def _alike(n: int, away: float, stay: float) -> Floats:
    table = np.full((n, n), float(away))
    np.fill_diagonal(table, stay)
    return table


def _binomial(trials: int, q: float) -> Floats:
    """(trials + 1,) chances; positive terms, so a few roundings each."""
    k = range(trials + 1)
    return np.array([math.comb(trials, i) * q**i * (1 - q) ** (trials - i) for i in k])


def _out_degrees(topology: Any) -> tuple[NDArray[np.int64], Floats]:
    """How many others a client sends to, and the chances; none impossible."""
    n = topology.clients
    if isinstance(topology, RandomOut):
        return np.array([topology.degree]), np.ones(1)
    if isinstance(topology, ErdosRenyi):
        sizes, chance = np.arange(n), _binomial(n - 1, topology.p)
    else:  # drawn, and those who drew it without being drawn
        degree = topology.degree
        sizes = np.arange(degree, n)
        chance = _binomial(n - 1 - degree, degree / max(n - 1, 1))
    return sizes[chance > 0], chance[chance > 0]


def _metropolis(topology: Any) -> float:
    """E[edge / (1 + max of the ends' degrees)] for one pair."""
    n = topology.clients
    if isinstance(topology, RandomOut):  # degree 0 or n - 1: nothing is random
        return 1 / n if topology.degree else 0.0
    if isinstance(topology, ErdosRenyi):
        one = _binomial(n - 2, topology.p)
        return topology.p * _over_the_larger(np.multiply.outer(one, one), 2)
    degree, q = topology.degree, topology.degree / (n - 1)
    cases = ((q * q, degree - 1, degree - 1), (2 * q * (1 - q), degree - 1, degree))
    parts = (chance * _given(n, degree, mine, yours) for chance, mine, yours in cases if chance)
    return float(sum(parts))


def _given(n: int, degree: int, mine: int, yours: int) -> float:
    """E[1 / (1 + max(d_i, d_j))] for ends with the edge that drew mine, yours of the n - 2 others.

    A third client counts for i if i drew it, or it drew i. Those that both drew count for both;
    those that i alone drew count for j with chance q; the rest by their own two draws.
    """
    q = degree / (n - 1)
    both = q * (degree - 1) / (n - 2) if n > 2 else 0.0
    rest = np.array([[1 - 2 * q + both, q - both], [q - both, both]])
    total = 0.0
    for shared in range(max(0, mine + yours - (n - 2)), min(mine, yours) + 1):
        chance = math.comb(mine, shared) * math.comb(n - 2 - mine, yours - shared)
        joint = np.ones((1, 1))
        for _ in range(n - 2 - mine - yours + shared):
            grown = np.zeros((len(joint) + 1, len(joint) + 1))
            for x, y in ((0, 0), (0, 1), (1, 0), (1, 1)):
                grown[x : x + len(joint), y : y + len(joint)] += rest[x, y] * joint
            joint = grown
        for axis, alone in ((0, yours - shared), (1, mine - shared)):
            extra = _binomial(alone, q)
            joint = np.apply_along_axis(np.convolve, axis, joint, extra)
        # 1 for the edge itself
        total += chance / math.comb(n - 2, yours) * _over_the_larger(joint, 2, mine, yours)
    return total


def _over_the_larger(joint: Floats, base: int, mine: int = 0, yours: int = 0) -> float:
    """E[1 / (base + max(mine + x, yours + y))] for chances joint[x, y]."""
    x = mine + np.arange(joint.shape[0])[:, None]
    y = yours + np.arange(joint.shape[1])
    return float((joint / (base + np.maximum(x, y))).sum())


def edge_covariance(topology: Any) -> csr_array:
    """Cov(edge j -> i, edge l -> k) at row i n + k, column j n + l, CSR (n^2, n^2)."""
    n = topology.clients
    often = frequency(topology)
    i, j = np.nonzero(often * (1 - often))
    value = (often * (1 - often))[i, j]
    parts = [(i, j, i, j, value)]
    if isinstance(topology, StochasticUndirected | ErdosRenyi | RandomSymmetric):
        parts.append((i, j, j, i, value))
    if isinstance(topology, RandomOut | RandomIn | RandomSymmetric) and n > 2:
        degree, q = topology.degree, topology.degree / (n - 1)
        both = q * (degree - 1) / (n - 2)
        tied = both - q * q  # of two members of one set; the same for two that are not in it
        a, b, c = (axis.ravel() for axis in np.indices((n, n, n), dtype=np.int32))
        keep = (a != b) & (a != c) & (b != c)
        a, b, c = a[keep], b[keep], c[keep]
        if isinstance(topology, RandomSymmetric):
            tied *= (1 - q) ** 2  # neither other end drew this client
            ways: Any = [(b, a, c, a), (a, b, a, c), (b, a, a, c), (a, b, c, a)]
        else:
            ways = [(b, a, c, a)] if isinstance(topology, RandomOut) else [(a, b, a, c)]
        if tied:
            parts += [(*way, np.full(len(a), tied)) for way in ways]
    i, j, other_i, other_j, value = (np.concatenate(part) for part in zip(*parts, strict=True))
    row, column = i.astype(np.int64) * n + other_i, j.astype(np.int64) * n + other_j
    return csr_array((value, (row, column)), shape=(n * n, n * n))


def patterns(topology: Any) -> tuple[Floats, Flags]:
    """Every edge pattern of one round: (chances (K,), edges (K, n, n), [k, i, j] is j -> i).

    Self-loops count as edges. What is certain is not varied. A static network has one.

    Raises:
        ValueError: above 2^16 patterns, or for a network with neither law nor period 1.
    """
    n = topology.clients
    if topology.period == 1:
        edges = topology.matrix(0).toarray() > 0
        np.fill_diagonal(edges, True)
        return np.ones(1), edges[None]
    if not is_redrawn(topology):
        raise ValueError(f"patterns: the rounds of {topology.name} are not independent and alike")
    if isinstance(topology, RandomIn | RandomOut | RandomSymmetric):
        return _chosen(topology)
    often = frequency(topology)
    open_ = (often > 0) & (often < 1)
    paired = not isinstance(topology, StochasticDirected)
    if paired:
        open_ = np.triu(open_)
    free = np.argwhere(open_)
    _few(topology, 2 ** len(free), f"2^{len(free)}")
    there = np.array(list(product((False, True), repeat=len(free))), dtype=bool)
    there = there.reshape(len(there), len(free))  # without open edges: one pattern, (1, 0)
    edges = np.broadcast_to(often == 1, (len(there), n, n)).copy()
    edges[:, free[:, 0], free[:, 1]] = there
    if paired:
        edges |= np.swapaxes(edges, 1, 2)
    q = often[free[:, 0], free[:, 1]]
    return np.where(there, q, 1 - q).prod(axis=1), edges


def _chosen(topology: Any) -> tuple[Floats, Flags]:
    n, degree = topology.clients, topology.degree
    sets = math.comb(n - 1, degree)
    _few(topology, sets**n, f"{sets}^{n}")
    rows = []
    for i in range(n):
        others = [j for j in range(n) if j != i]
        picked = np.zeros((sets, n), dtype=bool)
        for k, chosen in enumerate(combinations(others, degree)):
            picked[k, list(chosen)] = True
        rows.append(picked)
    which = np.array(list(product(range(sets), repeat=n)))
    drawn = np.stack([rows[i][which[:, i]] for i in range(n)], axis=1)  # [k, i, j]: i drew j
    if isinstance(topology, RandomOut):
        drawn = np.swapaxes(drawn, 1, 2).copy()
    elif isinstance(topology, RandomSymmetric):
        drawn |= np.swapaxes(drawn, 1, 2)
    drawn[:, np.arange(n), np.arange(n)] = True
    return np.full(len(drawn), 1 / len(drawn)), drawn


def _few(topology: Topology, count: int, words: str) -> None:
    if count > MOST_PATTERNS:
        raise ValueError(
            f"patterns: {topology.name} has {words} edge patterns in a round; need at most "
            f"{MOST_PATTERNS}"
        )


def weigh(topology: Any, edges: Flags) -> Floats:
    """P of given edges (K, n, n), by the network's rule."""
    if topology.period == 1:
        return np.broadcast_to(topology.matrix(0).toarray(), edges.shape)
    if isinstance(topology, StochasticDirected | StochasticUndirected):
        return topology.weigh(edges)
    here = np.arange(topology.clients)
    if isinstance(topology, RandomIn):
        return edges / (topology.degree + 1)
    away = edges.copy()
    away[:, here, here] = False
    if topology.weights.endswith("metropolis"):
        degree = away.sum(axis=-2)
        P = away / (1 + np.maximum(degree[:, :, None], degree[:, None, :]))
        P[:, here, here] = 1 - P.sum(axis=-2)
    else:
        kept = edges if topology.self_loops else away
        P = kept / kept.sum(axis=-2, keepdims=True)
    if topology.weights.startswith("lazy"):
        P = P / 2
        P[:, here, here] += 0.5
    return np.asarray(P)
