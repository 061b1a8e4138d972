"""From a directed graph to a column-stochastic matrix.

uniform      P[j, i] = 1 / |N_out(i)|, the self-loop counted
metropolis   P[j, i] = 1 / (1 + max(d_i, d_j)), the rest on the diagonal (Xiao, Boyd 2004);
             needs a symmetric graph, gives a symmetric, hence doubly stochastic, matrix
lazy         (I + P) / 2 of the uniform weights; lazy-metropolis of the Metropolis weights
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from theorylab.topologies._edges import Ints

if TYPE_CHECKING:  # slow to import
    from scipy.sparse import csr_array

WEIGHTS = ("uniform", "metropolis", "lazy", "lazy-metropolis")


def check_weights(weights: object, self_loops: bool, where: str) -> str:
    """``weights`` if it names a rule that can keep ``self_loops``; else ValueError."""
    if not isinstance(weights, str) or weights not in WEIGHTS:
        raise ValueError(f"{where}: weights={weights!r}; need one of {', '.join(WEIGHTS)}")
    if weights.endswith("metropolis") and not self_loops:
        # 1 - sum_j 1/(1 + max) >= 1/(1 + d_i): the rule always leaves mass at home.
        raise ValueError(
            f"{where}: weights={weights!r} with self_loops=False; need self_loops=True"
        )
    return weights


def mixing_matrix(
    clients: int, source: Ints, target: Ints, weights: str, self_loops: bool, where: str
) -> csr_array:
    """The matrix of the edges ``source[k] -> target[k]``; repeated edges count once.

    Args:
        source, target: clients, shape (edges,) each.
        weights: one of ``WEIGHTS``.
        self_loops: add i -> i for every client (before the weights are set).

    Raises:
        ValueError: if a client has no out-edge, or Metropolis weights meet an edge without its
            reverse.
    """
    weights = check_weights(weights, self_loops, where)
    if self_loops:
        everyone = np.arange(clients)
        source, target = np.append(source, everyone), np.append(target, everyone)
    source, target = _distinct(clients, source, target)
    if weights.endswith("metropolis"):
        value = _metropolis(clients, source, target, where)
    else:
        degree = np.bincount(source, minlength=clients)
        if not degree.all():
            lost = int(np.argmin(degree))
            raise ValueError(f"{where}: client {lost} has no out-edge; its mass would be lost")
        value = 1.0 / degree[source]
    if weights.startswith("lazy"):
        # Halving is exact. A client without a self-loop gets one here.
        everyone = np.arange(clients)
        source, target = np.append(source, everyone), np.append(target, everyone)
        value = np.append(value / 2, np.full(clients, 0.5))
        return assemble(clients, source, target, value)
    starts = np.zeros(clients + 1, np.int64)
    np.cumsum(np.bincount(target, minlength=clients), out=starts[1:])
    from scipy.sparse import csr_array

    P = csr_array((value, source, starts), shape=(clients, clients))
    P.has_canonical_format = True  # as ``_distinct`` has sorted them
    return P


def _distinct(clients: int, source: Ints, target: Ints) -> tuple[Ints, Ints]:
    """Each edge once, by rows of P: sorted by target, then by source."""
    edges = np.sort(target * np.int64(clients) + source)
    first = np.ones(len(edges), bool)  # np.unique hashes, which costs more than to sort
    np.not_equal(edges[1:], edges[:-1], out=first[1:])
    target, source = np.divmod(edges[first], clients)
    return source, target


def assemble(clients: int, source: Ints, target: Ints, value: NDArray[np.float64]) -> csr_array:
    """CSR with ``P[target, source] = value``; repeated entries are added up."""
    from scipy.sparse import csr_array

    P = csr_array((value, (target, source)), shape=(clients, clients))
    P.sum_duplicates()
    P.sort_indices()
    return P


def _metropolis(clients: int, source: Ints, target: Ints, where: str) -> NDArray[np.float64]:
    alone = ~np.isin(target * np.int64(clients) + source, source * np.int64(clients) + target)
    if alone.any():
        first = int(np.min((source * np.int64(clients) + target)[alone]))
        raise ValueError(
            f"{where}: edge {first // clients} -> {first % clients} has no reverse; "
            "Metropolis weights need a symmetric graph"
        )
    away = source != target
    degree = np.bincount(source[away], minlength=clients)
    value = np.zeros(len(source))
    value[away] = 1.0 / (1 + np.maximum(degree[source[away]], degree[target[away]]))
    given = np.bincount(source[away], weights=value[away], minlength=clients)
    value[~away] = 1.0 - given[source[~away]]
    return value
