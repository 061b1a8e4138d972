"""A topology from a list of edges: in memory, or in a JSON file."""

from __future__ import annotations

import json
import math
import os
import pathlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from theorylab.kernels import read_text
from theorylab.topologies._base import Topology
from theorylab.topologies._edges import check_column_stochastic, check_strongly_connected
from theorylab.topologies._numbers import clients_of, flag
from theorylab.topologies._weights import WEIGHTS, assemble, check_weights, mixing_matrix

KEYS = ("clients", "edges", "weights", "self_loops", "allow_disconnected")


class EdgeList(Topology, name="edge-list"):
    """A static topology with the given edges.

    Args:
        clients: n; None takes it from the file.
        edges: ``[from, to]`` each, or ``[from, to, weight]`` each with P[to, from] = weight.
        path: a JSON file ``{"clients": n, "edges": [...]}``, optionally with "weights",
            "self_loops" and "allow_disconnected"; give ``edges`` or ``path``, not both, and with
            ``path`` none of the options that the file can hold.
        weights: "uniform" (default), "metropolis", "lazy", "lazy-metropolis"; "given" (default,
            and the only choice) if the edges carry weights.
        self_loops: add the edge i -> i for every client; edges that carry weights have to list
            them. False adds none.
        allow_disconnected: False refuses a graph that is not strongly connected.

    Raises:
        ValueError: one line naming the file (or "edge-list"), the edge or column, and the value.
    """

    def __init__(
        self,
        clients: int | None = None,
        *,
        edges: Sequence[Sequence[float]] | None = None,
        path: str | os.PathLike[str] | None = None,
        weights: str | None = None,
        self_loops: bool | None = None,
        allow_disconnected: bool | None = None,
    ) -> None:
        where = self.name
        if (edges is None) == (path is None):
            raise ValueError(f"{where}: need edges or path, and not both")
        chosen: dict[str, Any] = {
            "clients": clients,
            "edges": edges,
            "weights": weights,
            "self_loops": self_loops,
            "allow_disconnected": allow_disconnected,
        }
        if path is not None:
            where = f"{where} {os.fspath(path)}"
            chosen = _combine(chosen, _read(pathlib.Path(path), where), where)
        n = clients_of(chosen["clients"], where)
        loops = chosen.get("self_loops")
        loops = True if loops is None else flag(loops, f"{where}: self_loops")
        cut = chosen.get("allow_disconnected")
        cut = False if cut is None else flag(cut, f"{where}: allow_disconnected")
        rows = _edges(chosen["edges"], n, where)
        given = bool(rows) and len(rows[0]) == 3
        rule = chosen.get("weights") or ("given" if given else "uniform")
        if (rule == "given") != given:
            has = "a weight each" if given else "no weights"
            need = "'given'" if given else f"one of {', '.join(WEIGHTS)}"
            raise ValueError(f"{where}: weights={rule!r}, but the edges have {has}; need {need}")
        if not given:
            rule = check_weights(rule, loops, where)
        self.weights, self.self_loops = rule, loops
        self._P = _matrix(n, rows, rule, loops, where)
        if not cut:
            check_strongly_connected(self._P, where)
        options = {
            "edges": [list(row) for row in rows],  # the edges themselves: a file can change
            "weights": rule,
            "self_loops": loops,
            "allow_disconnected": cut,
        }
        super().__init__(n, period=1, options=options)

    def _build(self, t: int, run: int) -> csr_array:
        return self._P


def _matrix(
    n: int, rows: list[tuple[float, ...]], rule: str, self_loops: bool, where: str
) -> csr_array:
    ends = np.array([row[:2] for row in rows], dtype=np.int64).reshape(-1, 2)
    source, target = ends[:, 0], ends[:, 1]
    if rule != "given":
        return mixing_matrix(n, source, target, rule, self_loops, where)
    P = assemble(n, source, target, np.array([row[2] for row in rows], dtype=np.float64))
    check_column_stochastic(P, where)
    bare = P.diagonal() == 0
    if self_loops and bare.any():
        i = int(np.argmax(bare))
        raise ValueError(
            f"{where}: client {i} has no self-loop; need an edge [{i}, {i}, weight], "
            "or self_loops=False"
        )
    return P


def _combine(chosen: dict[str, Any], read: dict[str, Any], where: str) -> dict[str, Any]:
    if chosen["clients"] is not None and chosen["clients"] != read.get("clients"):
        raise ValueError(
            f"{where}: clients is {chosen['clients']!r}, but the file has "
            f"{read.get('clients')!r}; need the same"
        )
    for option in ("weights", "self_loops", "allow_disconnected"):
        if chosen[option] is not None:
            if option in read:
                raise ValueError(f"{where}: {option} is set here and in the file; need one")
            read[option] = chosen[option]
    return read


def _read(path: pathlib.Path, where: str) -> dict[str, Any]:
    try:
        read = json.loads(read_text(path))
    except OSError as error:
        raise ValueError(f"{where}: {error.strerror or error}; need a readable file") from None
    except UnicodeDecodeError:
        raise ValueError(f"{where}: not UTF-8 text; need JSON") from None
    except json.JSONDecodeError as error:
        raise ValueError(
            f"{where}: line {error.lineno} column {error.colno}: {error.msg}; need JSON"
        ) from None
    except RecursionError:
        raise ValueError(f"{where}: nested too deep; need {{clients, edges}}") from None
    except ValueError as error:  # an integer without end
        raise ValueError(f"{where}: {error}; need {{clients, edges}}") from None
    if not isinstance(read, dict):
        raise ValueError(f"{where}: the file holds a {type(read).__name__}; need an object")
    for key in read:
        if key not in KEYS:
            raise ValueError(f"{where}: unknown key {key!r}; need some of {', '.join(KEYS)}")
    for key in ("clients", "edges"):
        if key not in read:
            raise ValueError(f"{where}: no key {key!r}; need clients and edges")
    for key, value in read.items():
        kind = {"clients": int, "edges": list, "weights": str}.get(key, bool)
        if type(value) is not kind:  # exactly: True is an int to isinstance
            raise ValueError(f"{where}: {key} is a {type(value).__name__}; need a {kind.__name__}")
    return read


def _edges(edges: Any, n: int, where: str) -> list[tuple[float, ...]]:
    """Checked edges: (from, to) or (from, to, weight), of one length throughout."""
    if not isinstance(edges, Sequence | np.ndarray) or isinstance(edges, str):
        raise TypeError(f"{where}: edges is a {type(edges).__name__}; need a list")
    rows: list[tuple[float, ...]] = []
    seen: set[tuple[float, ...]] = set()
    for k, edge in enumerate(edges):
        if not isinstance(edge, Sequence | np.ndarray) or isinstance(edge, str):
            raise ValueError(f"{where}: edge {k} is {edge!r}; need [from, to]")
        row = tuple(v.item() if isinstance(v, np.generic) else v for v in edge)
        if len(row) not in (2, 3) or (rows and len(row) != len(rows[0])):
            raise ValueError(
                f"{where}: edge {k} is {list(row)!r}; need [from, to] throughout, "
                "or [from, to, weight] throughout"
            )
        for end in row[:2]:
            if type(end) is not int or not 0 <= end < n:
                raise ValueError(
                    f"{where}: edge {k} is {list(row)!r}: {end!r} is no client; "
                    f"need integers 0..{n - 1}"
                )
        if row[:2] in seen:
            raise ValueError(f"{where}: edge {k} is {list(row)!r}, listed twice; need it once")
        seen.add(row[:2])
        if len(row) == 3:
            weight = row[2]
            if type(weight) not in (int, float) or not math.isfinite(weight) or weight <= 0:
                raise ValueError(f"{where}: edge {k} is {list(row)!r}; need a finite weight > 0")
            row = (*row[:2], float(weight))
        rows.append(row)
    return rows
