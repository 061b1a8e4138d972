"""Undirected graphs from networkx's generators: ring, path, star, grid, torus, hypercube."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from theorylab.topologies._edges import Ints
from theorylab.topologies._numbers import count
from theorylab.topologies._weighted import Weighted


class Undirected(Weighted):
    """Both directions of every edge of ``_graph``; client k is the k-th node in sorted order.

    Metropolis weights by default: symmetric, hence doubly stochastic. Options as in ``Weighted``.
    """

    default_weights = "metropolis"

    def _graph(self, nx: Any) -> Any:
        raise NotImplementedError

    def _edges(self, t: int, run: int) -> tuple[Ints, Ints]:
        import networkx  # 0.2 s to import, and most topologies do without

        graph = self._graph(networkx)
        client = {node: k for k, node in enumerate(sorted(graph.nodes))}
        pairs = [(client[u], client[v]) for u, v in graph.edges]
        i, j = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
        return np.concatenate([i, j]), np.concatenate([j, i])


class Ring(Undirected, name="ring"):
    """i - i+1 mod n. Metropolis: |lambda_2| = (1 + 2 cos(2 pi / n)) / 3 for n >= 4."""

    def _graph(self, nx: Any) -> Any:
        return nx.cycle_graph(self.clients)


class Path(Undirected, name="path"):
    """0 - 1 - ... - n-1."""

    def _graph(self, nx: Any) -> Any:
        return nx.path_graph(self.clients)


class Star(Undirected, name="star"):
    """Client 0 is joined to everyone."""

    def _graph(self, nx: Any) -> Any:
        return nx.star_graph(self.clients - 1)


class Hypercube(Undirected, name="hypercube"):
    """Clients whose binary numbers differ in one digit; n = 2^k. |lambda_2| = 1 - 2 / (k + 1).

    Raises:
        ValueError: if n is not a power of two.
    """

    def _graph(self, nx: Any) -> Any:
        if self.clients & (self.clients - 1):
            raise ValueError(f"{self.name}: clients is {self.clients}; need a power of two")
        if self.clients == 1:
            return nx.empty_graph(1)
        return nx.hypercube_graph(self.clients.bit_length() - 1)


class Grid(Undirected, name="grid"):
    """rows x columns points, client = row * columns + column.

    Args:
        clients: n = rows * columns.
        rows: None is the largest divisor of n up to sqrt(n); a prime n gives a path.
        weights, self_loops: as in ``Weighted``.

    Raises:
        ValueError: if rows does not divide n.
    """

    periodic = False

    def __init__(
        self,
        clients: int,
        *,
        rows: int | None = None,
        weights: str | None = None,
        self_loops: bool = True,
    ) -> None:
        n = count(clients, f"{self.name}: clients", least=1)
        if rows is None:
            rows = next(r for r in range(math.isqrt(n), 0, -1) if n % r == 0)
        self.rows = count(rows, f"{self.name}: rows", least=1)
        if n % self.rows:
            raise ValueError(f"{self.name}: rows is {self.rows}; need a divisor of {n} clients")
        self._weighted(n, weights, self_loops, rows=self.rows)

    def _graph(self, nx: Any) -> Any:
        shape = (self.rows, self.clients // self.rows)
        return nx.grid_2d_graph(*shape, periodic=self.periodic)


class Torus(Grid, name="torus"):
    """The grid with its opposite sides joined (a side of 1 or 2 has nothing to join)."""

    periodic = True
