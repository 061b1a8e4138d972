"""What pdbo asks of a network: Assumptions 2, 6, 7 and kappa >= n."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.experiments._base import Experiment, Observation, Row, check_column
from theorylab.experiments._hgp_place import (
    both_ways,
    cut_off,
    kappa_of,
    largest_covariance,
    one_way,
)
from theorylab.hypergradients import edge_law, patterns
from theorylab.known import How, Known
from theorylab.topologies import topology

Floats = NDArray[np.float64]


class HgpNetwork(Experiment):
    """Counts and moments of one round's edges, exact.

    cut_off: ordered pairs (i, j) without a path from i to j in the graph of E P. one_way: ordered
    pairs with dbar_{j -> i} > 0 = dbar_{i -> j}. edge_covariance: largest |Cov| of two different
    ordered edges, summed over all edge patterns. sent: sum_{i,j} pbar_ji, which is n.

    Args:
        network: {"name": ..., options}. clients: n.
    """

    name = "hgp-network"
    columns = ("cut_off", "one_way", "edge_covariance", "sent")

    def __init__(self, *, network: Mapping[str, Any], clients: int) -> None:
        rest = {k: v for k, v in network.items() if k != "name"}
        self.options = {"network": dict(network), "clients": clients}
        self.network = topology(network["name"], clients=clients, **rest)
        self.law = edge_law(self.network)

    def describe(self) -> dict[str, Any]:
        return dict(self.options)

    def constants(self) -> dict[str, Known]:
        """``kappa`` is infinite where Assumption 6 fails: pbar_ji > 0 = dbar_{i -> j}."""
        often = self.law.frequency
        open_ = often * (1 - often)
        try:
            kappa = Known(kappa_of(self.law), How.EXACT, "sum of pbar / dbar")
        except ValueError as error:
            kappa = Known(np.inf, How.EXACT, str(error))
        counts = {
            "n": self.network.clients,
            "cut_off": cut_off(self.law),
            "one_way": one_way(self.law),
            "undirected": both_ways(self.network, self.law),
            "outcomes": float(2 ** min(16, int((open_ > 0).sum()))),
        }
        made = {k: Known(float(v), How.EXACT, "counted") for k, v in counts.items()}
        return made | {"kappa": kappa, "edge_covariance": largest_covariance(self.network)}

    def observe(self, column: str, runs: range, seed: int) -> Observation:
        check_column(self, column)
        if column == "edge_covariance":
            value = self._covariance()
        elif column == "sent":
            value = float(self.law.mean.sum())
        else:
            value = float(cut_off(self.law) if column == "cut_off" else one_way(self.law))
        return Observation((Row(np.array([value]), rounding=0.0),), exact=True)

    def _covariance(self) -> float:
        often = self.law.frequency
        if not ((often > 0) & (often < 1)).any():
            return 0.0  # one pattern only
        chance, edges = patterns(self.network)
        flat = edges.reshape(len(edges), -1).astype(np.float64)
        mean = chance @ flat
        second = (flat * chance[:, None]).T @ flat - np.outer(mean, mean)
        np.fill_diagonal(second, 0.0)
        return float(np.abs(second).max())
