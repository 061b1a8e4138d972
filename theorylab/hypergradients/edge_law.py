"""What HGP has to know of a network: pbar and dbar, exact or estimated (pdbo, Section 4.2).

Networks that draw their edges anew at every round have closed forms:

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
from dataclasses import dataclass
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
    from_networkx,
    unreachable,
)

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
MOST_PATTERNS = 2**16


@dataclass(frozen=True)
class EdgeLaw:
    """Mean weights and edge frequencies, [i, j] from j to i throughout.

    mean: (n, n) or (R, n, n), E P; the paper's pbar_ij (from i to j) is mean[j, i].
    frequency: same shape, how often j -> i is there; the paper's dbar_{j -> i}.
    source: where they come from.
    """

    mean: Floats
    frequency: Floats
    source: str

    @property
    def debiased(self) -> Floats:
        """pbar_ij / dbar_{j -> i} at [i, j]: what a message of j is worth to i when it arrives.

        Raises:
            ValueError: where i sends to j but j never to i (Assumption 6).
        """
        sent = np.swapaxes(self.mean, -1, -2)
        lost = (sent > 0) & (self.frequency == 0)
        if lost.any():
            *_, i, j = np.argwhere(lost)[0]
            raise ValueError(
                f"hypergradient: Assumption 6 fails: client {i} sends to {j} with mean weight "
                f"{sent[lost][0]:.6g}, but the frequency of edge {j} -> {i} is 0 ({self.source})"
            )
        safe = np.where(self.frequency > 0, self.frequency, 1.0)
        return np.asarray(np.where(sent > 0, sent / safe, 0.0))


def network_of(where: str, given: Any) -> Topology:
    """A topology as it came; a networkx Graph or DiGraph as the edge list that it is.

    Raises TypeError, one line, for anything else.
    """
    if isinstance(given, Topology):
        return given
    if type(given).__module__.partition(".")[0] == "networkx":
        return from_networkx(given)
    raise TypeError(
        f"{where}: topology is a {type(given).__name__}; need a Topology or a networkx graph "
        "(theorylab.topologies.topology, from_matrices)"
    )


def edge_law(topology: Topology) -> EdgeLaw:
    """The exact law of a topology whose rounds are independent and alike.

    Static networks, and those that ``is_redrawn`` names: sto-u, sto-d, random-out, random-in,
    random-symmetric, erdos-renyi with time_varying. Others: ``estimated_law``.

    Raises:
        ValueError: on a topology that is none of these, naming what it lacks.
    """
    if is_redrawn(topology):
        mean, often = mean_weights(topology), edge_frequency(topology)
        return EdgeLaw(mean, often, "closed form")
    if topology.period == 1:
        P = topology.matrix(0).toarray()
        there = (P > 0).astype(np.float64)
        np.fill_diagonal(there, 1.0)  # delta_{i -> i} = 1 by Section 2, whatever is kept
        return EdgeLaw(P, there, "static network")
    if topology.period is not None:
        raise ValueError(
            f"edge_law: {topology.name} has period {topology.period}, so its rounds depend on "
            "each other; Assumption 5 needs independent rounds"
        )
    raise ValueError(
        f"edge_law: no closed form for {topology.name}; need a static network, sto-u, sto-d, "
        "random-out, random-in, random-symmetric, or estimated_law(topology, rounds)"
    )


def estimated_law(
    topology: Topology, rounds: int, runs: NDArray[np.int64] | None = None, first: int = 0
) -> EdgeLaw:
    """pbar and dbar as pdbo's Algorithm 2 counts them, lines 1-2, 7, 12, 14-15: (R, n, n).

    Averages over rounds first .. first + T - 1 of P and of the edges, one estimate a run. Each
    average is unbiased; their ratio, which HGP uses, is not. On sto-d, where i -> j and j -> i are
    separate edges, E[phat_ij / dhat_ji] = pbar_ij E[1 / dhat_ji], about pbar_ij / dbar_ji times
    1 + (1 - dbar_ji) / (T dbar_ji), given that the edge was seen. On sto-u the ratio is the mean
    weight over the rounds in which the edge was there, and unbiased given that there was one. The
    same estimates enter all M factors of HGP's products, a second bias of order 1/T.
    """
    if rounds < 1:
        raise ValueError(f"estimated_law: rounds is {rounds}; need at least 1")
    runs = np.arange(1) if runs is None else runs
    n = topology.clients
    P, there = np.zeros((len(runs), n, n)), np.zeros((len(runs), n, n))
    for t in range(first, first + rounds):
        now = matrices(topology, t, runs)
        P += now
        there += arrived(now)
    return EdgeLaw(P / rounds, there / rounds, f"estimated from {rounds} rounds")


def matrices(topology: Topology, t: int, runs: NDArray[np.int64]) -> Floats:
    """P(t) of every run, dense (R, n, n)."""
    if hasattr(topology, "matrices"):  # drawn for all runs at once
        drawn: Floats = topology.matrices(t, runs)
        return drawn
    if topology.period is not None:
        P = topology.matrix(t).toarray()
        return np.broadcast_to(P, (len(runs), *P.shape))
    return np.array([topology.matrix(t, int(run)).toarray() for run in runs])


def arrived(P: Floats) -> NDArray[np.bool_]:
    """[.., i, j]: i received from j in a round with mixing P; itself always (Section 2)."""
    edges = P > 0
    n = P.shape[-1]
    edges[..., np.arange(n), np.arange(n)] = True
    return edges


def check_connected(law: EdgeLaw, where: str) -> None:
    """Raise ValueError, naming a client, unless E P is strongly connected (Assumption 2)."""
    for P in law.mean.reshape(-1, *law.mean.shape[-2:]):
        witness = unreachable(csr_array(P))
        if witness is not None:
            raise ValueError(f"{where}: Assumption 2 fails: {witness} in the graph of E P")


def is_redrawn(topology: Topology) -> bool:
    """True for the networks above."""
    if isinstance(topology, ErdosRenyi):
        return topology.time_varying
    kinds = (StochasticDirected, StochasticUndirected, RandomIn, RandomOut, RandomSymmetric)
    return isinstance(topology, kinds)


def edge_frequency(topology: Any) -> Floats:
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


def mean_weights(topology: Any) -> Floats:
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
    often = edge_frequency(topology)
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
    often = edge_frequency(topology)
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
