"""A static topology from a networkx graph."""

from __future__ import annotations

from typing import Any

from theorylab.topologies._base import TOPOLOGIES
from theorylab.topologies._given import fitting
from theorylab.topologies.edge_list import EdgeList


def from_networkx(
    graph: Any,
    *,
    name: str | None = None,
    weights: str | None = None,
    self_loops: bool = True,
    allow_disconnected: bool = False,
) -> EdgeList:
    """An ``edge-list`` topology with the edges of a networkx Graph or DiGraph.

    Nodes become clients 0..n-1 in sorted order, or in the graph's own order where they cannot be
    compared. An edge of a Graph counts in both directions.

    Args:
        graph: Graph or DiGraph; not a multigraph.
        name: under which commands and instances find it; None: none does.
        weights: "uniform", "metropolis", "lazy", "lazy-metropolis", or "given": the edge
            attribute "weight" of u -> v becomes P[v, u]. None is Metropolis for a Graph and
            uniform for a DiGraph; edge attributes are then ignored.
        self_loops, allow_disconnected: as in ``EdgeList``.

    Raises:
        TypeError: if ``graph`` is not a networkx Graph or DiGraph.
        ValueError: as in ``EdgeList``, or if an edge lacks "weight".
    """
    import networkx

    where = "from_networkx"
    if not isinstance(graph, networkx.Graph) or graph.is_multigraph():
        raise TypeError(f"{where}: graph is a {type(graph).__name__}; need a Graph or DiGraph")
    if weights is None:
        weights = "uniform" if graph.is_directed() else "metropolis"
    try:
        nodes = sorted(graph.nodes)
    except TypeError:  # nodes of mixed kinds
        nodes = list(graph.nodes)
    client = {node: k for k, node in enumerate(nodes)}
    edges: list[list[Any]] = []
    for u, v, data in graph.edges(data=True):
        carried: list[Any] = []
        if weights == "given":
            if "weight" not in data:
                raise ValueError(f"{where}: edge {u!r} -> {v!r} has no attribute 'weight'; need it")
            carried = [data["weight"]]
        edges.append([client[u], client[v], *carried])
        if not graph.is_directed() and u != v:
            edges.append([client[v], client[u], *carried])

    def made(clients: int) -> EdgeList:
        return EdgeList(
            fitting(where if name is None else name, clients, len(nodes)),
            edges=edges,
            weights=weights,
            self_loops=self_loops,
            allow_disconnected=allow_disconnected,
        )

    if name is not None:
        TOPOLOGIES.add(name, made)
    return made(len(nodes))
