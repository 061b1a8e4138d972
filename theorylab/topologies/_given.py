"""Matrices that a user gives: made canonical, and checked against what they promise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from theorylab.topologies._edges import check_column_stochastic
from theorylab.topologies._weights import mixing_matrix

if TYPE_CHECKING:  # slow to import
    from scipy.sparse import csr_array

SUMS = ("columns", "rows")


def check_sums(where: str, sums: Any) -> None:
    """ValueError unless ``sums`` says what sums to 1."""
    if sums not in SUMS:
        raise ValueError(f"{where}: sums is {sums!r}; need one of {', '.join(SUMS)}")


def fitting(where: str, clients: int, known: int | None) -> int:
    """``clients``, where the matrices fix no other number."""
    if known is not None and clients != known:
        raise ValueError(f"{where}: its matrices are of {known} clients; need clients = {known}")
    return clients


def edges_of(graph: Any, weights: str | None, where: str) -> tuple[int, list[list[Any]], str]:
    """How many nodes a networkx graph has, its edges as ``EdgeList`` takes them, and their rule.

    Arguments and errors are those of ``from_networkx``; ``where`` begins the messages.
    """
    import networkx

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
    return len(nodes), edges, weights


def canonical(where: str, given: Any, clients: int | None, sums: str) -> csr_array:
    """A dense, sparse or networkx matrix as float64 CSR, checked.

    A networkx graph has the weights of ``from_networkx``, connected or not.

    Raises TypeError or ValueError, one line, on what is no (n, n) matrix of finite numbers >= 0
    whose columns, or rows, sum to 1 within n eps.
    """
    if hasattr(given, "is_multigraph"):
        size, edges, rule = edges_of(given, None, "from_networkx")
        ends = np.array(edges, dtype=np.int64).reshape(-1, 2)
        given = mixing_matrix(size, ends[:, 0], ends[:, 1], rule, True, where)
    if hasattr(given, "detach"):  # a torch tensor
        given = given.detach().cpu().numpy()
    from scipy.sparse import csr_array, issparse

    if not issparse(given):
        kind = type(given).__name__
        try:
            given = np.asarray(given, dtype=np.float64)
            if not given.ndim:
                raise TypeError
        except (TypeError, ValueError):
            raise TypeError(
                f"{where}: it is a {kind}; need an (n, n) array, a scipy sparse "
                "array or a networkx graph"
            ) from None
    square = len(given.shape) == 2 and given.shape[0] == given.shape[1]
    if clients is not None and not (square and given.shape[0] == clients):
        raise ValueError(
            f"{where}: P has shape {tuple(given.shape)}; need ({clients}, {clients}), one row and "
            "one column a client"
        )
    try:
        check_column_stochastic(given, where, rows=sums == "rows")
    except ValueError as error:
        text = str(error)
        if sums == "columns" and "sums to" in text and _rows_sum_to_one(given):
            text += "; its rows do: need sums='rows' where clients pull and average"
        raise ValueError(text) from None
    P = csr_array(given, dtype=np.float64, copy=True)
    P.sum_duplicates()
    P.eliminate_zeros()
    P.sort_indices()
    return P


def _rows_sum_to_one(P: Any) -> bool:
    rows = np.asarray(P.sum(axis=1)).ravel()
    return bool((np.abs(rows - 1) <= len(rows) * np.finfo(float).eps).all())
