"""Every constant of a matrix or a graph in one call."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array, issparse

from theorylab.constants import mixing
from theorylab.constants.topology_constants import topology_constants
from theorylab.known import How, Known
from theorylab.topologies import (
    Topology,
    check_column_stochastic,
    check_strongly_connected,
    from_networkx,
)

DENSE_PAIR = 2000  # clients; C and q look at dense products


class Given(Topology):
    """The static topology of a matrix that somebody already has."""

    name = "given"

    def __init__(self, P: csr_array) -> None:
        self._P = P
        super().__init__(P.shape[0], period=1, options={})

    def _build(self, t: int, run: int) -> csr_array:
        return self._P


def constants_of(
    P_or_graph: Any, horizon: int = 100, run: int = 0, *, certify: bool = False
) -> dict[str, Known]:
    """Constants of a mixing matrix, a networkx graph, or a ``Topology``.

    Args:
        P_or_graph: column-stochastic (n, n), numpy or any scipy sparse, ``P[i, j]`` the share of
            j's mass that i receives; or a networkx Graph (Metropolis weights) or DiGraph (uniform);
            or a Topology.
        horizon: last round of delta, C and q, at least 1.
        run: the run of a drawn Topology.
        certify: replace what ``certified_constants`` can enclose by the enclosure.

    Returns:
        What ``topology_constants`` gives, and for one matrix also periodicity,
        strongly_connected, symmetric, lambda (of a symmetric P only), perron_min and perron_max
        (absent where there is no single Perron vector). Above ``DENSE_PAIR`` clients those of the
        one matrix alone: delta, C, q and the printed formulas are left out.

    Raises:
        TypeError: neither matrix nor graph. ValueError: not square, empty, nan, a column that does
            not sum to 1, or a client out of reach; one line naming row, column and value.
    """
    built = _topology(P_or_graph)
    small = built.clients <= DENSE_PAIR
    found = topology_constants(built, horizon, run) if small else {}
    if built.period == 1:
        found |= _of_one(built.matrix(0), found)
    if certify:
        from theorylab.constants.certified import certified_constants

        found |= certified_constants(built, horizon, run)
    return found


def _topology(given: Any) -> Topology:
    where = "constants_of"
    if isinstance(given, Topology):
        return given
    if issparse(given) or isinstance(given, np.ndarray):
        check_column_stochastic(given, where)
        P = csr_array(given, dtype=np.float64, copy=True)
        P.sum_duplicates()
        P.eliminate_zeros()
        P.sort_indices()
        other = 'topology("edge-list", n, edges=..., allow_disconnected=True)'
        check_strongly_connected(P, where, other)
        return Given(P)
    import networkx

    if isinstance(given, networkx.Graph):
        if not len(given):
            raise ValueError(f"{where}: the graph has no node; need at least one")
        built = from_networkx(given, allow_disconnected=True)
        other = "from_networkx(graph, allow_disconnected=True) in its place"
        check_strongly_connected(built.matrix(0), where, other)
        return built
    raise TypeError(
        f"{where}: got a {type(given).__name__}; need a numpy or scipy matrix, a networkx graph, "
        "or a Topology"
    )


def _of_one(P: csr_array, known: dict[str, Known]) -> dict[str, Known]:
    found = {
        "clients": Known(float(P.shape[0]), How.EXACT, "given"),
        "max_out_degree": mixing.max_out_degree(P),
        "p": mixing.p_min(P),
        "self_loops": mixing.self_loops(P),
        "doubly_stochastic": mixing.doubly_stochastic(P),
        "symmetric": mixing.symmetric(P),
        "strongly_connected": mixing.strongly_connected(P),
        "periodicity": mixing.periodicity(P),
    }
    for name, of in (("lambda2", mixing.lambda2), ("diameter", mixing.diameter)):
        found[name] = known.get(name) or of(P)
    found["spectral_gap"] = mixing.spectral_gap(found["lambda2"])
    if found["symmetric"].value:
        found["lambda"] = mixing.symmetric_lambda(P, found["lambda2"])
        # a symmetric P has its eigenvalues' moduli for singular values
        found["sigma2"] = known.get("sigma2") or found["lambda2"]
    else:
        found["sigma2"] = known.get("sigma2") or mixing.sigma2(P)
    if found["strongly_connected"].value:
        pi = mixing.perron(P)
        found["perron_min"] = Known(float(pi.vector.min()), pi.how, pi.source)
        found["perron_max"] = Known(float(pi.vector.max()), pi.how, pi.source)
    return found
