"""FixU: one Erdos-Renyi graph with the fastest mixing chain on it (pdbo, Section 6.1)."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from theorylab.topologies._base import Topology
from theorylab.topologies._fastest_mixing import fastest_mixing
from theorylab.topologies._numbers import count
from theorylab.topologies.erdos_renyi import ErdosRenyi


class FixedUndirected(Topology, name="fix-u"):
    """A connected G(n, p) with self-loops, drawn from the seed, and doubly stochastic weights.

    The paper takes "the fast-mixing Markov chain (Boyd et al., 2003) rule", a semidefinite
    program. Here the same minimisation is done by ADMM, to within ``slem - slem_lower`` of the
    least second-largest eigenvalue modulus; see ``_fastest_mixing``. A draw that is not connected
    is replaced by the next one in a fixed order.

    Args:
        clients: n.
        p: probability of each pair.
        seed: nonnegative integer.
        gap: where the search stops, slem - slem_lower <= gap.

    Attributes:
        slem: ||P - 11^T/n||_2. slem_lower: no chain on this graph has a smaller one.

    The weights come from LAPACK: another machine may give other last bits.

    Raises:
        ValueError: on p outside [0, 1], gap <= 0, or a p at which no draw is connected.
    """

    def __init__(self, clients: int, *, p: float = 0.4, seed: int = 0, gap: float = 1e-4) -> None:
        n = count(clients, f"{self.name}: clients", least=1)
        if isinstance(gap, bool) or not isinstance(gap, int | float) or not gap > 0:
            raise ValueError(f"{self.name}: gap is {gap!r}; need a number > 0")
        graph = ErdosRenyi(n, p=p, seed=seed, redraw=True)
        self.p, self.gap = graph.p, float(gap)
        joined = graph.matrix(0).toarray() > 0
        self._chain = fastest_mixing(joined & ~np.eye(n, dtype=bool), self.gap)
        self.slem, self.slem_lower = self._chain.slem, self._chain.lower
        super().__init__(n, period=1, seed=seed, options={"p": self.p, "gap": self.gap})

    def _build(self, t: int, run: int) -> csr_array:
        return csr_array(self._chain.P)
