"""Random out-neighbours: at every round every client draws ``degree`` receivers."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from theorylab.kernels import DrawnNetwork, random_mixing
from theorylab.topologies._edges import Ints, degree_of, random_others
from theorylab.topologies._weighted import Weighted


class RandomOut(Weighted, name="random-out"):
    """Every client sends to ``degree`` distinct others, uniform over all such sets.

    The draw depends on (seed, run, t, client) only. No round needs to be strongly connected on
    its own; see ``constants.window``.

    Args:
        clients: n.
        degree: receivers besides the client itself, 0 <= degree <= n - 1; None is min(10, n - 1).
        seed: nonnegative integer.
        weights, self_loops: as in ``Weighted``.

    Raises:
        ValueError: if degree > n - 1.
    """

    def __init__(
        self,
        clients: int,
        *,
        degree: int | None = None,
        seed: int = 0,
        weights: str | None = None,
        self_loops: bool = True,
    ) -> None:
        self.degree = degree_of(self.name, clients, degree)
        self._weighted(
            clients,
            weights,
            self_loops,
            period=None,
            seed=seed,
            degree=self.degree,
        )

    @property
    def drawn(self) -> DrawnNetwork | None:
        return None if self._rewritten else self._equal_shares()

    def _equal_shares(self) -> DrawnNetwork | None:
        same = type(self)._edges is RandomOut._edges and type(self)._build is RandomOut._build
        if not same or self.weights != "uniform":
            return None
        return DrawnNetwork(self.clients, self.degree, self.self_loops, self.seed)

    def _build(self, t: int, run: int) -> csr_array:
        if self._equal_shares() is None:
            return super()._build(t, run)
        one = np.array([run])
        return random_mixing(
            self.seed, t, one, self.clients, self.degree, self_loops=self.self_loops
        )[0]

    def _edges(self, t: int, run: int) -> tuple[Ints, Ints]:
        chosen = random_others(self.seed, self.clients, self.degree, t, run)
        return np.repeat(np.arange(self.clients), self.degree), chosen.ravel()
