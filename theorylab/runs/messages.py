"""How many messages a run sends until a round: one for every edge between two clients."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from theorylab.runs.configuration import Setting
from theorylab.runs.simulate import algorithm_draws
from theorylab.runs.task import Task


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

    An edge of P(t) that is no self-loop is one message, as often as the method mixes in a round.
    A message that is lost or late has been sent. None where the edges of P(t) are not what is
    sent: the method draws its own, or chooses among several networks, clients are down, or steps
    are no rounds.
    """
    if not isinstance(setting, Setting):
        return None
    faults = setting.faults
    down = faults is not None and (bool(faults.failing) or len(faults.down) > 0)
    if algorithm_draws(setting.algorithm) or down or setting.topology.networks:
        return None
    if setting.algorithm.name == "local":  # trains alone
        return np.zeros((len(runs), last + 1))
    times = int(setting.algorithm.options().get("gossip_steps", 1))
    graph, own = setting.topology, setting.configuration.own_graphs
    sent: dict[int, NDArray[Any]] = {}
    for run in runs.tolist() if own and graph.period is None else [0]:
        counts = [_edges(graph.matrix(t, run)) for t in range(last)]
        sent[run] = times * np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
    return np.array([sent.get(run, sent.get(0)) for run in runs.tolist()], dtype=np.float64)


def _edges(P: csr_array) -> int:
    return int(P.nnz) - int(np.count_nonzero(P.diagonal()))
