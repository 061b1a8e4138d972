"""What pdbo asks of a network: Assumptions 2, 6, 7 and kappa >= n."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from theorylab.constants import kappa
from theorylab.experiments._base import Observation, Row, check_column
from theorylab.experiments._plain import Plain, Spot, UnwrittenError
from theorylab.experiments.pdbo._base import (
    PdboExperiment,
    both_ways,
    cut_off,
    exacts,
    largest_covariance,
    network_of,
    one_way,
    single,
)
from theorylab.experiments.pdbo._plain_place import of_network
from theorylab.hypergradients import patterns
from theorylab.hypergradients.edge_law import weigh
from theorylab.known import UNIT, Known


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


MOST_COUNTED = 1000  # rounds: their binomial numbers fit into a float64
_RATIO = """
d, pbar = often[i, j], mean[j, i]
heard = sum(p * P[j, i] * e[i, j] for p, P, e in rounds)  # i hears j
deaf = sum(p * P[j, i] * (1 - e[i, j]) for p, P, e in rounds)
chance = [math.comb(T - 1, k) * d**k * (1 - d) ** (T - 1 - k) for k in range(T)]
first = sum(q / (1 + k) for k, q in enumerate(chance))  # k other rounds
second = sum(q / k for k, q in enumerate(chance) if k)
mean_ratio = T * (heard * first + deaf * second)  # E[p-hat / d-hat; d-hat > 0]
measured = abs(mean_ratio * d / pbar - 1)
"""


@dataclass(kw_only=True, eq=False)
class EdgeEstimates(PdboExperiment, name="edge-estimates"):
    """Of every ordered pair of clients with an edge j -> i that is random, one row a (T, i, j).

    Lines 7 and 12 of Algorithm 2 count p_ij(delta_i) and delta_{j->i} over the same T rounds, which
    are independent and alike: p-hat_ij and d-hat_{j->i} are their averages.

    Columns:
        ratio   |E[p-hat / d-hat; d-hat > 0] / (pbar / dbar) - 1|
        parts   the larger of |E p-hat / pbar - 1| and |E d-hat / dbar - 1|
        unseen  the chance that d-hat = 0, where p-hat / d-hat is no number
        swing   the largest (delta_{j->i} / dbar_{j->i} - 1)^2 of one round

    Args:
        clients, network: the topology, with edges drawn anew in every round. rounds: the T.

    Raises:
        ValueError: no random edge, or more patterns than can be listed.
    """

    columns = ("ratio", "parts", "unseen", "swing")

    clients: int = 3
    network: Mapping[str, Any] = field(default_factory=lambda: {"name": "sto-d"})
    rounds: Sequence[int] = (5, 50, 600)

    def __post_init__(self) -> None:
        whole = bool(self.rounds) and all(type(T) is int and 1 <= T <= 10**5 for T in self.rounds)
        self.need(whole, "rounds", "integers 1..100000")
        self.topology, self.law = network_of(self.network, self.clients)
        often = self.law.frequency
        self.pairs = [
            (int(i), int(j))
            for i, j in np.argwhere((often > 0) & (often < 1))
            if self.law.mean[j, i] > 0
        ]
        self.need(bool(self.pairs), "network", "edges that are drawn anew in every round")
        self.chance, edges = patterns(self.topology)
        self.there, self.P = edges, weigh(self.topology, edges)

    def constants(self) -> dict[str, Known]:
        return exacts("of the instance", n=self.clients)

    def observe(self, column: str, runs: range, seed: int) -> Observation:
        check_column(self, column)
        rows = [self._row(column, T, i, j) for T in self.rounds for i, j in self.pairs]
        return Observation(tuple(rows), True, "T")

    def plain(self, spot: Spot) -> Plain:
        """The mean ratio of Algorithm 2's two counts of one edge, or an edge's largest swing."""
        place = re.fullmatch(r"T=(\d+), (\d+) to (\d+)", spot.result.place)
        if place is None:
            raise UnwrittenError("the place names no edge")
        T, j, i = map(int, place.groups())
        if spot.column == "swing":
            plain = Plain(told={"d": f"the chance of the edge {j} -> {i}"})
            text = "measured = max((delta / d - 1) ** 2 for delta in (0, 1))"
            return plain.of(text, d=float(self.law.frequency[i, j]))
        if spot.column != "ratio" or T > MOST_COUNTED:
            raise UnwrittenError(f"no script is written for {spot.column} of {T} rounds")
        return of_network(self.topology).of(_RATIO, i=i, j=j, T=T)

    def _row(self, column: str, T: int, i: int, j: int) -> Row:
        d, pbar = float(self.law.frequency[i, j]), float(self.law.mean[j, i])
        at = {"T": float(T), "edge_chance": d}
        # p_ij is P[j, i]: what j receives of i's mass
        sent, heard = self.P[:, j, i], self.there[:, i, j]
        with_it = float(self.chance @ (sent * heard))
        without = float(self.chance @ (sent * ~heard))
        if column == "unseen":
            value = (1 - d) ** T
        elif column == "swing":
            value = float(((heard / d - 1) ** 2).max())
        elif column == "parts":
            mean = float(self.chance @ heard)
            value = max(abs((with_it + without) / pbar - 1), abs(mean / d - 1))
        else:
            # E[sum p / sum delta; > 0] = T E[p_1 / (delta_1 + X); > 0], X of the T - 1 others
            first = -math.expm1(T * math.log1p(-d)) / (T * d)
            value = abs(T * d / pbar * (with_it * first + without * _inverse(T - 1, d)) - 1)
        # sums of positive numbers, and one difference with 1
        room = 64 * UNIT * (len(self.chance) + T)
        return Row(np.array([value]), at, f"T={T}, {j} to {i}", rounding=room)


def _inverse(count: int, chance: float) -> float:
    """E[1 / X; X > 0] of a binomial X."""
    total, log_odds = 0.0, math.log(chance) - math.log1p(-chance)
    log_term = count * math.log1p(-chance)
    for k in range(1, count + 1):
        log_term += math.log(count - k + 1) - math.log(k) + log_odds
        total += math.exp(log_term) / k
    return total
