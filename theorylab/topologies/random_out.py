"""Random out-neighbours: at every round every client draws ``degree`` receivers."""

from __future__ import annotations

import numpy as np

from theorylab.kernels import Stream
from theorylab.topologies._base import count
from theorylab.topologies._edges import Ints
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
        others = count(clients, f"{self.name}: clients", least=1) - 1
        if degree is None:
            degree = min(10, others)
        self.degree = count(degree, f"{self.name}: degree", least=0)
        if self.degree > others:
            raise ValueError(
                f"{self.name}: degree is {self.degree}, but each of {clients} clients has only "
                f"{others} others; need degree <= {others}"
            )
        self._weighted(
            clients,
            weights,
            self_loops,
            period=None,
            seed=seed,
            degree=self.degree,
        )

    def _edges(self, t: int, run: int) -> tuple[Ints, Ints]:
        stream = Stream(self.seed, "topology")
        n, degree = self.clients, self.degree
        runs, here = np.array([run]), np.arange(n)
        chosen = np.empty((n, degree), dtype=np.int64)
        # Floyd's sampling (Bentley, Floyd 1987): after step k the k + 1 chosen are a uniform
        # subset of 0..top. O(n degree^2), never O(n^2).
        for k in range(degree):
            top = n - 1 - degree + k
            drawn = stream.integers(top + 1, runs, here, t, step=k)[0, :, 0]
            seen = (chosen[:, :k] == drawn[:, None]).any(axis=1)
            chosen[:, k] = np.where(seen, top, drawn)
        chosen += chosen >= here[:, None]  # skip the client itself
        return np.repeat(here, degree), chosen.ravel()
