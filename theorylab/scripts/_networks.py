"""Mixing matrices as lines of a script: by what makes them where that is short, else as numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.scripts.base import UnscriptedError
from theorylab.scripts.text import array
from theorylab.topologies import Topology

Floats = NDArray[Any]
MOST = 64  # rounds of a network that does not repeat
_SUM = 1e-12  # how far a row sum may be from 1 by the rounding of its entries


@dataclass(frozen=True)
class Network:
    """lines: they assign ``P``. at: P(t) as an expression in ``t``. weights: whether push-sum's
    weights move, that is whether a row does not sum to 1. fixed: one matrix for all rounds."""

    lines: list[str]
    at: str
    weights: bool
    fixed: bool


def network(topology: Topology, rounds: int) -> Network:
    """The matrices of rounds 0 .. ``rounds`` - 1, over the edges of run 0; none of one client.

    Raises UnscriptedError where they are drawn anew in too many rounds.
    """
    period = topology.period
    if period is None or period > rounds:
        period = rounds
    if period > MOST:
        raise UnscriptedError(f"a network with other edges in each of {period} rounds")
    matrices = [topology.matrix(t, 0).toarray() for t in range(period)]
    apart = max(float(np.abs(P.sum(axis=1) - 1).max()) for P in matrices)
    if all((matrices[0] == P).all() for P in matrices):
        one = len(matrices[0]) == 1 and matrices[0][0, 0] == 1
        lines = [] if one else [f"P = {matrix(matrices[0])}"]
        return Network(lines, "" if one else "P", apart > _SUM, True)
    lines = [f"P = [{', '.join(map(matrix, matrices))}]"]
    at = "P[t]" if period == rounds else f"P[t % {period}]"
    return Network(lines, at, apart > _SUM, False)


def matrix(P: Floats) -> str:
    """An expression that is ``P`` to the last bit or two."""
    n = len(P)
    for text in _guesses(P, n):
        made = eval(text, {"np": np})
        if made.shape == P.shape and np.abs(made - P).max() <= 2.0**-52 * np.abs(P).max():
            return text
    return array(P)


def _guesses(P: Floats, n: int) -> list[str]:
    found = [f"np.full(({n}, {n}), 1 / {n})"]
    degrees = sorted({int(np.count_nonzero(column)) for column in P.T})
    if len(degrees) == 1 and n > 2:
        shifts = [int(i) for i in np.flatnonzero(P[:, 0])]
        if len(shifts) <= 4:
            parts = ["np.eye(n)" if s == 0 else f"np.roll(np.eye(n), {s}, axis=0)" for s in shifts]
            whole = " + ".join(parts).replace("(n)", f"({n})")
            found.append(f"({whole}) / {len(shifts)}")
        row = np.array2string(P[:, 0])
        if len(row) and n > 6:
            near = _circulant(P, n)
            found += [near] if near else []
    if n > 8 and n % 2 == 0:  # two sources, each heard by half of the others
        k = n // 2
        rest = f"np.full(({n}, {n - 2}), 1 / {n})"
        found.append(f"np.c_[np.tile(np.eye(2), ({k}, 1)) / {k}, {rest}]")
    return found


def _circulant(P: Floats, n: int) -> str:
    """Of the entry on the diagonal and one beside it, on both sides."""
    own, near = P[0, 0], P[1, 0]
    text = f"{own!r} * np.eye({n}) + {near!r} * (np.roll(np.eye({n}), 1, 0)"
    return f"{text} + np.roll(np.eye({n}), -1, 0))".replace("np.float64(", "").replace(") *", " *")
