"""What pdbo asks of a network: Assumptions 2, 6, 7 and kappa >= n."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from theorylab.constants import kappa
from theorylab.experiments._base import Observation, check_column
from theorylab.experiments.pdbo._base import PdboExperiment, exacts, network_of, single
from theorylab.experiments.pdbo._place import both_ways, cut_off, largest_covariance, one_way
from theorylab.hypergradients import patterns
from theorylab.known import Known


@dataclass(kw_only=True, eq=False)
class HgpNetwork(PdboExperiment, name="hgp-network"):
    """Counts and moments of one round's edges, exact.

    cut_off: ordered pairs (i, j) without a path from i to j in the graph of E P. one_way: ordered
    pairs with dbar_{j -> i} > 0 = dbar_{i -> j}. edge_covariance: largest |Cov| of two different
    ordered edges, summed over all edge patterns. sent: sum_{i,j} pbar_ji, which is n.

    Args:
        network: {"name": ..., options}. clients: n.
    """

    columns = ("cut_off", "one_way", "edge_covariance", "sent")

    network: Mapping[str, Any]
    clients: int

    def __post_init__(self) -> None:
        self.topology, self.law = network_of(self.network, self.clients)

    def constants(self) -> dict[str, Known]:
        """``kappa`` is infinite where Assumption 6 fails: pbar_ji > 0 = dbar_{i -> j}."""
        often = self.law.frequency
        counts = exacts(
            "counted",
            n=self.clients,
            cut_off=cut_off(self.law),
            one_way=one_way(self.law),
            undirected=both_ways(self.topology, self.law),
            outcomes=2 ** min(16, int((often * (1 - often) > 0).sum())),
        )
        known = {"kappa": kappa(self.law.mean, often)}
        return counts | known | largest_covariance(self.topology)

    def observe(self, column: str, runs: range, seed: int) -> Observation:
        check_column(self, column)
        if column == "edge_covariance":
            return single(self._covariance())
        if column == "sent":
            return single(self.law.mean.sum())
        return single(cut_off(self.law) if column == "cut_off" else one_way(self.law))

    def _covariance(self) -> float:
        """Over all edge patterns, where ``largest_covariance`` is a closed form."""
        chance, edges = patterns(self.topology)
        if len(chance) == 1:
            return 0.0
        flat = edges.reshape(len(edges), -1).astype(np.float64)
        mean = chance @ flat
        second = (flat * chance[:, None]).T @ flat - np.outer(mean, mean)
        np.fill_diagonal(second, 0.0)
        return float(np.abs(second).max())
