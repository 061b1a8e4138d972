"""A topology that is an edge set per round and one rule for the weights."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

from scipy.sparse import csr_array

from theorylab.topologies._base import Topology
from theorylab.topologies._edges import Ints
from theorylab.topologies._numbers import flag
from theorylab.topologies._weights import check_weights, mixing_matrix


class Weighted(Topology):
    """Edges from ``_edges``, weights from ``weights``.

    Args:
        clients: n.
        weights: "uniform", "metropolis", "lazy" or "lazy-metropolis" (see ``_weights``); the
            class's ``default_weights`` if None. Metropolis needs symmetric edges.
        self_loops: every client keeps a share (default). False is not possible with Metropolis
            weights, which always keep one.

    Raises:
        ValueError: if the rule does not fit the edges.
    """

    default_weights: ClassVar[str] = "uniform"

    def __init__(
        self, clients: int, *, weights: str | None = None, self_loops: bool = True
    ) -> None:
        self._weighted(clients, weights, self_loops)

    def _weighted(
        self,
        clients: int,
        weights: str | None,
        self_loops: bool,
        *,
        period: int | None = 1,
        seed: int | None = None,
        **options: Any,
    ) -> None:
        self.self_loops = flag(self_loops, f"{self.name}: self_loops")
        self.weights = check_weights(
            self.default_weights if weights is None else weights, self.self_loops, self.name
        )
        chosen = {"weights": self.weights, "self_loops": self.self_loops}
        super().__init__(clients, period=period, seed=seed, options={**options, **chosen})

    @abstractmethod
    def _edges(self, t: int, run: int) -> tuple[Ints, Ints]:
        """Clients (source, target) of the edges at round ``t``; self-loops are ignored."""

    def _build(self, t: int, run: int) -> csr_array:
        source, target = self._edges(t, run)
        away = source != target  # self-loops are self_loops' business
        return mixing_matrix(
            self.clients, source[away], target[away], self.weights, self.self_loops, self.name
        )
