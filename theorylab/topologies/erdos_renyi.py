"""Erdos-Renyi graph G(n, p): every pair is joined with probability p."""

from __future__ import annotations

import math

import numpy as np
from scipy.sparse import csr_array

from theorylab.kernels import Stream
from theorylab.topologies._edges import Ints
from theorylab.topologies._numbers import clients_of, flag
from theorylab.topologies._weighted import Weighted

ATTEMPTS = 1000
BLOCK = 256  # clients drawn at once: memory O(BLOCK n), not O(n^2)


class ErdosRenyi(Weighted, name="erdos-renyi"):
    """An undirected G(n, p), drawn once from the seed, or anew for every (run, t).

    Args:
        clients: n.
        p: probability of each pair; None is min(1, 2 ln(n) / n), twice the threshold of
            connectivity.
        seed: nonnegative integer.
        redraw: if the draw is not connected, try the next ones in a fixed order.
        time_varying: draw a new graph at every round of every run. Then only the union over a
            window has to be connected, which is ``constants.window``'s business.
        weights, self_loops: as in ``Weighted``; Metropolis by default.

    Raises:
        ValueError: if p is outside [0, 1], or a graph drawn once is not connected.
    """

    default_weights = "metropolis"

    def __init__(
        self,
        clients: int,
        *,
        p: float | None = None,
        seed: int = 0,
        redraw: bool = False,
        time_varying: bool = False,
        weights: str | None = None,
        self_loops: bool = True,
    ) -> None:
        n = clients_of(clients, self.name)
        if p is None:
            p = min(1.0, 2 * math.log(n) / n)
        if isinstance(p, bool) or not isinstance(p, int | float | np.floating):
            raise TypeError(f"{self.name}: p is {p!r} ({type(p).__name__}); need a number")
        if not 0 <= p <= 1:
            raise ValueError(f"{self.name}: p is {float(p)!r}; need 0 <= p <= 1")
        self.p = float(p)
        self.redraw = flag(redraw, f"{self.name}: redraw")
        self.time_varying = flag(time_varying, f"{self.name}: time_varying")
        if self.redraw and self.time_varying:
            raise ValueError(f"{self.name}: redraw and time_varying are both True; need one")
        self._weighted(
            n,
            weights,
            self_loops,
            period=None if self.time_varying else 1,
            seed=seed,
            p=self.p,
            redraw=self.redraw,
            time_varying=self.time_varying,
        )

    def _edges(self, t: int, run: int) -> tuple[Ints, Ints]:
        if self.time_varying:
            return self._draw(t, run, attempt=0)
        from scipy.sparse.csgraph import connected_components  # slow to import

        attempts = ATTEMPTS if self.redraw else 1
        parts = 0
        for attempt in range(attempts):
            source, target = self._draw(0, 0, attempt)
            graph = csr_array((np.ones(len(source)), (source, target)), shape=(self.clients,) * 2)
            parts = connected_components(graph, directed=False, return_labels=False)
            if parts == 1:
                return source, target
        tried = f"none of {attempts} draws" if self.redraw else "the draw"
        verb = "is connected, the last has" if self.redraw else "is not connected: it has"
        raise ValueError(
            f"{self.name}: with seed {self.seed} and p = {self.p:.6g} {tried} {verb} {parts} "
            "components; need another seed, a larger p, or redraw=True"
        )

    def _draw(self, t: int, run: int, attempt: int) -> tuple[Ints, Ints]:
        stream = Stream(self.seed, "topology")
        n, runs = self.clients, np.array([run])
        lower, higher = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
        for first in range(0, n, BLOCK):
            here = np.arange(first, min(first + BLOCK, n))
            u = stream.uniform(runs, here, t, step=attempt, count=n)[0]
            row, other = np.nonzero(u < self.p)
            pair = other > here[row]  # draw j of client i is the pair {i, j}, i < j
            lower.append(here[row[pair]])
            higher.append(other[pair])
        i, j = np.concatenate(lower), np.concatenate(higher)
        return np.concatenate([i, j]), np.concatenate([j, i])
