"""How many messages a run sends until a round: one for every edge between two clients."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from theorylab.algorithms import Algorithm
from theorylab.runs.configuration import Setting
from theorylab.runs.simulate import algorithm_draws
from theorylab.runs.task import Task
from theorylab.topologies import Topology


def messages_to(setting: Task, rounds: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Messages of run r, all clients together, in its first ``rounds[r]`` rounds, (R,).

    inf where ``rounds`` is; None as of ``messages_by_round``.
    """
    finite = np.isfinite(rounds)
    last = int(rounds[finite].max(initial=0))
    sent = messages_by_round(setting, last, np.arange(len(rounds)))
    if sent is None:
        return None
    at = np.where(finite, rounds, 0).astype(np.int64)
    return np.where(finite, sent[np.arange(len(rounds)), at], math.inf)


def messages_by_round(
    setting: Task, last: int, runs: NDArray[np.int64]
) -> NDArray[np.float64] | None:
    """Messages of each run, all clients together, in its first 0 .. ``last`` rounds, (R, last + 1).

    A message that is lost or late has been sent. None as of ``sent_by_round``, and where clients
    are down or steps are no rounds.
    """
    if not isinstance(setting, Setting):
        return None
    faults = setting.faults
    down = faults is not None and (bool(faults.failing) or len(faults.down) > 0)
    if down:
        return None
    graph, own = setting.topology, setting.configuration.own_graphs
    sent: dict[int, NDArray[Any]] = {}
    for run in runs.tolist() if own and graph.period is None else [0]:
        counts = sent_by_round(setting.algorithm, graph, last, run)
        if counts is None:
            return None
        sent[run] = np.concatenate([[0], np.cumsum(counts)])
    return np.array([sent.get(run, sent.get(0)) for run in runs.tolist()], dtype=np.float64)


def sent_by_round(
    algorithm: Algorithm, topology: Topology, rounds: int, run: int = 0
) -> NDArray[np.int64] | None:
    """Messages of all clients together in each of the first rounds of a run, (rounds,).

    An edge of P(t) that is no self-loop is one message, as often as the method mixes in a round.
    None where the edges of P(t) are not what is sent: the method draws its own, or chooses among
    several networks.
    """
    if algorithm_draws(algorithm) or topology.networks:
        return None
    if algorithm.name == "local":  # trains alone
        return np.zeros(rounds, np.int64)
    times = int(algorithm.options().get("gossip_steps", 1))
    counts = [_edges(topology.matrix(t, run)) for t in range(rounds)]
    return times * np.array(counts, np.int64)


def _edges(P: csr_array) -> int:
    return int(P.nnz) - int(np.count_nonzero(P.diagonal()))
