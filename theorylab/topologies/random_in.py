"""Random in-neighbours: every client pulls from ``degree`` others and averages (rows sum to 1)."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from theorylab.topologies._base import Topology
from theorylab.topologies._edges import degree_of, random_others
from theorylab.topologies._weights import assemble


class RandomIn(Topology, name="random-in"):
    """The directed random graph of DFedPGP's experiments (Appendix B, Eq. (6)).

    At every round every client draws ``degree`` distinct others to pull from and gives each of
    them and itself the weight 1 / (degree + 1): row-stochastic, **not** column-stochastic. Weights
    stay 1 under it, sums are not conserved, and push-sum does not reach the average.

    Args:
        clients: n.
        degree: clients pulled from, 0 <= degree <= n - 1; None is min(10, n - 1).
        seed: nonnegative integer.

    Raises:
        ValueError: if degree > n - 1.
    """

    column_stochastic = False

    def __init__(self, clients: int, *, degree: int | None = None, seed: int = 0) -> None:
        self.degree = degree_of(self.name, clients, degree)
        super().__init__(clients, period=None, seed=seed, options={"degree": self.degree})

    def _build(self, t: int, run: int) -> csr_array:
        n, here = self.clients, np.arange(self.clients)
        pulled = random_others(self.seed, n, self.degree, t, run)
        target = np.concatenate([np.repeat(here, self.degree), here])
        source = np.concatenate([pulled.ravel(), here])
        return assemble(n, source, target, np.full(len(source), 1 / (self.degree + 1)))
