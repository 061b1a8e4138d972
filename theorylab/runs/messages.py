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

    An edge of P(t) that is no self-loop is one message, as often as the method mixes in a round.
    A message that is lost or late has been sent. inf where ``rounds`` is. None where the edges of
    P(t) are not what is sent: the method draws its own, or chooses among several networks, clients
    are down, or steps are no rounds.
    """
    if not isinstance(setting, Setting):
        return None
    faults = setting.faults
    down = faults is not None and (bool(faults.failing) or len(faults.down) > 0)
    if algorithm_draws(setting.algorithm) or down or setting.topology.networks:
        return None
    if setting.algorithm.name == "local":  # trains alone
        return np.where(np.isfinite(rounds), 0.0, math.inf)
    times = int(setting.algorithm.options().get("gossip_steps", 1))
    graph, own = setting.topology, setting.configuration.own_graphs
    last = int(max((t for t in rounds if math.isfinite(t)), default=0))
    sent: dict[int, NDArray[Any]] = {}
    made = np.full(len(rounds), math.inf)
    for r, t in enumerate(rounds):
        if not math.isfinite(t):
            continue
        run = r if own and graph.period is None else 0
        if run not in sent:
            most = int(t) if run else last
            counts = [_edges(graph.matrix(s, run)) for s in range(most)]
            sent[run] = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
        made[r] = times * int(sent[run][int(t)])
    return made


def _edges(P: csr_array) -> int:
    return int(P.nnz) - int(np.count_nonzero(P.diagonal()))
