"""What HGP has to know of a network: pbar and dbar, exact or estimated (pdbo, Section 4.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from theorylab.hypergradients import random_rounds
from theorylab.topologies import Topology, from_networkx, unreachable

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class EdgeLaw:
    """Mean weights and edge frequencies, [i, j] from j to i throughout.

    mean: (n, n) or (R, n, n), E P; the paper's pbar_ij (from i to j) is mean[j, i].
    frequency: same shape, how often j -> i is there; the paper's dbar_{j -> i}.
    source: where they come from.
    """

    mean: Floats
    frequency: Floats
    source: str

    @property
    def debiased(self) -> Floats:
        """pbar_ij / dbar_{j -> i} at [i, j]: what a message of j is worth to i when it arrives.

        Raises:
            ValueError: where i sends to j but j never to i (Assumption 6).
        """
        sent = np.swapaxes(self.mean, -1, -2)
        lost = (sent > 0) & (self.frequency == 0)
        if lost.any():
            *_, i, j = np.argwhere(lost)[0]
            raise ValueError(
                f"hypergradient: Assumption 6 fails: client {i} sends to {j} with mean weight "
                f"{sent[lost][0]:.6g}, but the frequency of edge {j} -> {i} is 0 ({self.source})"
            )
        safe = np.where(self.frequency > 0, self.frequency, 1.0)
        return np.asarray(np.where(sent > 0, sent / safe, 0.0))


def network_of(where: str, given: Any) -> Topology:
    """A topology as it came; a networkx Graph or DiGraph as the edge list that it is.

    Raises TypeError, one line, for anything else.
    """
    if isinstance(given, Topology):
        return given
    if type(given).__module__.partition(".")[0] == "networkx":
        return from_networkx(given)
    raise TypeError(
        f"{where}: topology is a {type(given).__name__}; need a Topology or a networkx graph "
        "(theorylab.topologies.topology, from_matrices)"
    )


def edge_law(topology: Topology) -> EdgeLaw:
    """The exact law of a topology whose rounds are independent and alike.

    Static networks, and those of ``random_rounds``: sto-u, sto-d, random-out, random-in,
    random-symmetric, erdos-renyi with time_varying. Others: ``estimated_law``.

    Raises:
        ValueError: on a topology that is none of these, naming what it lacks.
    """
    if random_rounds.is_redrawn(topology):
        mean, often = random_rounds.mean(topology), random_rounds.frequency(topology)
        return EdgeLaw(mean, often, "closed form")
    if topology.period == 1:
        P = topology.matrix(0).toarray()
        there = (P > 0).astype(np.float64)
        np.fill_diagonal(there, 1.0)  # delta_{i -> i} = 1 by Section 2, whatever is kept
        return EdgeLaw(P, there, "static network")
    if topology.period is not None:
        raise ValueError(
            f"edge_law: {topology.name} has period {topology.period}, so its rounds depend on "
            "each other; Assumption 5 needs independent rounds"
        )
    raise ValueError(
        f"edge_law: no closed form for {topology.name}; need a static network, sto-u, sto-d, "
        "random-out, random-in, random-symmetric, or estimated_law(topology, rounds)"
    )


def estimated_law(
    topology: Topology, rounds: int, runs: NDArray[np.int64] | None = None, first: int = 0
) -> EdgeLaw:
    """pbar and dbar as pdbo's Algorithm 2 counts them, lines 1-2, 7, 12, 14-15: (R, n, n).

    Averages over rounds first .. first + T - 1 of P and of the edges, one estimate a run. Each
    average is unbiased; their ratio, which HGP uses, is not. On sto-d, where i -> j and j -> i are
    separate edges, E[phat_ij / dhat_ji] = pbar_ij E[1 / dhat_ji], about pbar_ij / dbar_ji times
    1 + (1 - dbar_ji) / (T dbar_ji), given that the edge was seen. On sto-u the ratio is the mean
    weight over the rounds in which the edge was there, and unbiased given that there was one. The
    same estimates enter all M factors of HGP's products, a second bias of order 1/T.
    """
    if rounds < 1:
        raise ValueError(f"estimated_law: rounds is {rounds}; need at least 1")
    runs = np.arange(1) if runs is None else runs
    n = topology.clients
    P, there = np.zeros((len(runs), n, n)), np.zeros((len(runs), n, n))
    for t in range(first, first + rounds):
        now = matrices(topology, t, runs)
        P += now
        there += arrived(now)
    return EdgeLaw(P / rounds, there / rounds, f"estimated from {rounds} rounds")


def matrices(topology: Topology, t: int, runs: NDArray[np.int64]) -> Floats:
    """P(t) of every run, dense (R, n, n)."""
    if hasattr(topology, "matrices"):  # drawn for all runs at once
        drawn: Floats = topology.matrices(t, runs)
        return drawn
    if topology.period is not None:
        P = topology.matrix(t).toarray()
        return np.broadcast_to(P, (len(runs), *P.shape))
    return np.array([topology.matrix(t, int(run)).toarray() for run in runs])


def arrived(P: Floats) -> NDArray[np.bool_]:
    """[.., i, j]: i received from j in a round with mixing P; itself always (Section 2)."""
    edges = P > 0
    n = P.shape[-1]
    edges[..., np.arange(n), np.arange(n)] = True
    return edges


def check_connected(law: EdgeLaw, where: str) -> None:
    """Raise ValueError, naming a client, unless E P is strongly connected (Assumption 2)."""
    for P in law.mean.reshape(-1, *law.mean.shape[-2:]):
        witness = unreachable(csr_array(P))
        if witness is not None:
            raise ValueError(f"{where}: Assumption 2 fails: {witness} in the graph of E P")
