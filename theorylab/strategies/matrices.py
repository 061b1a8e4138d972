"""Mixing matrices and sequences of them. ``P[i, j]`` is the share of j's mass that i receives."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import strategies as st
from scipy.sparse import csr_array

from theorylab.strategies._drawn import SMALL, Clients, exactly, number
from theorylab.strategies.graphs import (
    chords,
    permutations,
    strongly_connected_digraphs,
    symmetric_graphs,
)
from theorylab.topologies import Topology

Matrix = list[list[Fraction]]
PERIODS = st.integers(1, 3)


class Periodic(Topology):
    """P(t) = matrices[t mod period], as given; what ``periodic_sequences`` draws.

    Not in the registry of topologies: ``Periodic(matrices)`` builds it.
    """

    name = "periodic"

    def __init__(self, matrices: Sequence[csr_array]) -> None:
        self._matrices = list(matrices)
        clients = self._matrices[0].shape[0]
        given = [P.toarray().tolist() for P in self._matrices]
        super().__init__(clients, period=len(given), options={"matrices": given})

    def _build(self, t: int, run: int) -> csr_array:
        return self._matrices[t].copy()

    @property
    def exact(self) -> list[Matrix]:
        """The entries as Fractions of the float64 numbers, one matrix for each phase."""
        return [[[Fraction(float(v)) for v in row] for row in P.toarray()] for P in self._matrices]


def to_csr(P: Matrix) -> csr_array:
    """Each entry rounded once, zeros not stored: (n, n) float64, sorted."""
    return csr_array(np.array([[float(v) for v in row] for row in P]).reshape(len(P), len(P)))


@st.composite
def column_stochastic(
    draw: st.DrawFn,
    n: Clients = SMALL,
    *,
    exact: bool = False,
    connected: bool = True,
    self_loops: bool = True,
    largest: int = 8,
) -> Any:
    """P (n, n) with columns that sum to 1: integer shares over their sum.

    Args:
        n: clients, a number >= 1 or a strategy.
        exact: rows of Fractions instead of a csr_array.
        connected: strongly connected, on a graph of ``strongly_connected_digraphs``; False also
            draws matrices that are not.
        self_loops: every client keeps a share; False leaves it open.
        largest: the shares of a column are in proportion to integers 1..largest.

    Returns:
        A Hypothesis strategy of csr_arrays (n, n), or of rows of Fractions.

    >>> from hypothesis import Phase, find, settings
    >>> first = settings(phases=[Phase.generate], derandomize=True, database=None)
    >>> P = find(column_stochastic(2), lambda P: P.nnz == 4, settings=first)
    >>> P.sum(axis=0).tolist()
    [1.0, 1.0]
    """
    size = number(draw, n)
    shares = st.integers(1, largest)
    if connected:
        edges = set(draw(strongly_connected_digraphs(size)).edges)
    else:
        edges = draw(chords(size, None))
    loops = [True] * size if self_loops else draw(exactly(st.booleans(), size))
    for j in range(size):
        if loops[j] or not any(a == j for a, _ in edges):  # mass has to go somewhere
            edges.add((j, j))
    weight = {edge: draw(shares) for edge in sorted(edges)}
    total = [sum(w for (a, _), w in weight.items() if a == j) for j in range(size)]
    P = [[Fraction(weight.get((j, i), 0), total[j]) for j in range(size)] for i in range(size)]
    return P if exact else to_csr(P)


@st.composite
def doubly_stochastic(
    draw: st.DrawFn, n: Clients = SMALL, *, exact: bool = False, terms: int = 4, largest: int = 8
) -> Any:
    """A convex combination of the identity and permutation matrices (Birkhoff): not symmetric.

    One of the permutations is a cycle through all clients, so P is strongly connected, and the
    identity gives every client a self-loop.

    Args:
        n, exact: as for ``column_stochastic``.
        terms: at most this many further permutations.
        largest: weights are in proportion to integers 1..largest.

    Returns:
        A Hypothesis strategy of csr_arrays (n, n), or of rows of Fractions.

    >>> from hypothesis import Phase, find, settings
    >>> first = settings(phases=[Phase.generate], derandomize=True, database=None)
    >>> P = find(doubly_stochastic(2), lambda P: P.nnz == 4, settings=first)
    >>> P.sum(axis=1).tolist()
    [1.0, 1.0]
    """
    size = number(draw, n)
    order = draw(permutations(size))
    cycle = [0] * size
    for k in range(size):
        cycle[order[k]] = order[(k + 1) % size]
    parts = [list(range(size)), cycle]
    parts += draw(st.lists(permutations(size), max_size=terms))
    weights = draw(exactly(st.integers(1, largest), len(parts)))
    P = _zeros(size)
    for part, weight in zip(parts, weights, strict=True):
        for j, i in enumerate(part):
            P[i][j] += Fraction(weight, sum(weights))
    return P if exact else to_csr(P)


@st.composite
def metropolis(draw: st.DrawFn, n: Clients = SMALL, *, exact: bool = False) -> Any:
    """Symmetric, doubly stochastic: 1 / (1 + max(d_i, d_j)) on the edges of a connected graph."""
    graph = draw(symmetric_graphs(n))
    P = _zeros(graph.clients)
    degree = [sum(a == i for a, _ in graph.edges) for i in range(graph.clients)]
    for a, b in graph.edges:
        P[b][a] = Fraction(1, 1 + max(degree[a], degree[b]))
    for i in range(graph.clients):
        P[i][i] = Fraction(1) - sum(P[k][i] for k in range(graph.clients) if k != i)
    return P if exact else to_csr(P)


@st.composite
def periodic_sequences(
    draw: st.DrawFn,
    n: Clients = SMALL,
    *,
    period: int | st.SearchStrategy[int] = PERIODS,
    matrices: str = "column",
    connected: bool = True,
) -> Periodic:
    """A topology that repeats ``period`` matrices of one size.

    Args:
        n: clients, a number >= 1 or a strategy.
        period: a number >= 1 or a strategy.
        matrices: "column" (``column_stochastic``), "doubly" (``doubly_stochastic``) or
            "metropolis".
        connected: True: every P(t) is strongly connected with self-loops. False, for "column":
            each is whatever comes, though every client keeps a share.

    Returns:
        A Hypothesis strategy of topologies.

    Raises:
        ValueError: on an unknown kind of matrix.

    >>> from hypothesis import Phase, find, settings
    >>> first = settings(phases=[Phase.generate], derandomize=True, database=None)
    >>> network = find(periodic_sequences(period=2), lambda network: True, settings=first)
    >>> network.period
    2
    """
    size, length = number(draw, n), number(draw, period)
    kinds: dict[str, st.SearchStrategy[csr_array]] = {
        "column": column_stochastic(size, connected=connected),
        "doubly": doubly_stochastic(size),
        "metropolis": metropolis(size),
    }
    if matrices not in kinds:
        raise ValueError(
            f"periodic_sequences: matrices is {matrices!r}; need one of {', '.join(kinds)}"
        )
    return Periodic([draw(kinds[matrices]) for _ in range(length)])


def _zeros(n: int) -> Matrix:
    return [[Fraction(0)] * n for _ in range(n)]
