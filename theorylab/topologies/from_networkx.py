"""A static topology from a networkx graph."""

from __future__ import annotations

from typing import Any

from theorylab.topologies._base import TOPOLOGIES
from theorylab.topologies._given import edges_of, fitting
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
        self_loops: give every client a self-loop; False: only those of the graph.
        allow_disconnected: take a graph in which some client does not hear of another.

    Returns:
        The static network of that graph.

    Raises:
        TypeError: if ``graph`` is not a networkx Graph or DiGraph.
        ValueError: as in ``EdgeList``, or if an edge lacks "weight".

    >>> import networkx as nx
    >>> from_networkx(nx.path_graph(3)).matrix(0).toarray().round(4).tolist()
    [[0.6667, 0.3333, 0.0], [0.3333, 0.3333, 0.3333], [0.0, 0.3333, 0.6667]]
    """
    where = "from_networkx"
    size, edges, weights = edges_of(graph, weights, where)

    def made(clients: int) -> EdgeList:
        return EdgeList(
            fitting(where if name is None else name, clients, size),
            edges=edges,
            weights=weights,
            self_loops=self_loops,
            allow_disconnected=allow_disconnected,
        )

    if name is not None:
        TOPOLOGIES.add(name, made)
    return made(size)
