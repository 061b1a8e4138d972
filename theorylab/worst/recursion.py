"""The recursion of a round over one network, exact, and its smallest part that matters.

y is the state, g the gradients: the round asks at C y + D g and goes on to A y + B g. Differences
of two runs live in the span of what the first states and the gradients reach; what no query and no
metric ever sees is divided out. Both are exact linear algebra over the rationals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.worst.check_certificate import Rounds
from theorylab.worst.round_map import RoundMap, Row

Exact = NDArray[np.object_]  # of Fractions


@dataclass(frozen=True)
class Recursion:
    """A (m, m), B (m, q), C (q, m), D (q, q), all of Fractions."""

    A: Exact
    B: Exact
    C: Exact
    D: Exact


@dataclass(frozen=True)
class Reduced:
    """Recursions in the first k of the coordinates zeta of every y that is reached.

    y = span zeta, zeta = coordinates y; span (m, K), coordinates (K, m), K >= k: the others are
    of what nothing depends on. metric (k,): the mean model. starts (k, s).
    """

    recursions: tuple[Recursion, ...]
    span: Exact
    coordinates: Exact
    metric: Exact
    starts: Exact


def exact(rows: Any) -> Exact:
    """An array of Fractions."""
    plain = np.array(rows, dtype=object)
    made = [Fraction(entry) for entry in plain.reshape(-1)]
    return np.array([*made, None], dtype=object)[:-1].reshape(plain.shape)


def recursion(rounds: Rounds, P: list[dict[int, Fraction]]) -> Recursion:
    """The round over the network P, one of ``rounds.phases``."""
    m, q = rounds.m, rounds.q
    queries, after = rounds.advanced(P, [{k: Fraction(1)} for k in range(m + q)])
    (C, D), (A, B) = (
        np.split(exact([[row.get(k, 0) for k in range(m + q)] for row in some]), [m], axis=1)
        for some in (queries, after)
    )
    return Recursion(A, B, C, D)


def mean_model(round_map: RoundMap) -> Exact:
    """The row of the mean of the models."""
    n = round_map.clients
    return exact([Fraction(1, n)] * n + [0] * (round_map.state - n))


def reduced(recursions: Sequence[Recursion], metric: Exact, starts: Sequence[Row]) -> Reduced:
    """All of them in common coordinates."""
    span, coordinates = _reached(recursions, starts)
    seen_rows = _closed([*metric[None], *(row for r in recursions for row in r.C)], recursions)
    Q, seen = echelon(seen_rows)
    cut = [Recursion((Q @ r.A)[:, seen], Q @ r.B, r.C[:, seen], r.D) for r in recursions]
    first = Q @ exact(starts).T
    columns = [*first.T, *(column for r in cut for column in r.B.T)]
    turned = [Recursion(r.A.T, r.B, r.C, r.D) for r in cut]
    rows, reached = echelon(_closed(columns, turned))
    U = rows.T
    last = [Recursion((r.A @ U)[reached], r.B[reached], r.C @ U, r.D) for r in cut]
    wanted = Q[reached] @ span
    free = [k for k in range(span.shape[1]) if k not in echelon(list(wanted))[1]]
    unit = exact(np.eye(span.shape[1], dtype=int).tolist())
    turn = np.concatenate([wanted, unit[free]])
    back = echelon(list(np.concatenate([turn, unit], axis=1)))[0][:, len(turn) :]
    whole = span @ back, turn @ coordinates
    return Reduced(tuple(last), *whole, metric[seen] @ U, first[reached])


def _reached(recursions: Sequence[Recursion], starts: Sequence[Row]) -> tuple[Exact, Exact]:
    """A basis (m, K) of the states that are reached, and their coordinates (K, m) in it."""
    columns = [*exact(starts), *(column for r in recursions for column in r.B.T)]
    rows, pivots = echelon(_closed(columns, [Recursion(r.A.T, r.B, r.C, r.D) for r in recursions]))
    return rows.T, exact(np.eye(rows.shape[1], dtype=int).tolist())[pivots]


def _closed(rows: Sequence[Any], recursions: Sequence[Recursion]) -> list[Any]:
    """A basis of the span of the rows that every A, from the right, keeps."""
    basis = list(echelon(rows)[0])
    fresh = basis
    while fresh:
        found = [row @ r.A for row in fresh for r in recursions]
        larger = list(echelon([*basis, *found])[0])
        fresh = larger if len(larger) > len(basis) else []
        basis = larger
    return basis


def echelon(rows: Sequence[Any]) -> tuple[Exact, list[int]]:
    """The reduced echelon form without zero rows, and its pivot columns.

    >>> echelon(exact([[2, 4], [1, 2]]))[1]
    [0]
    """
    left = [np.array(row, dtype=object) for row in rows if any(row)]
    made: list[Any] = []
    pivots: list[int] = []
    for column in range(len(left[0]) if left else 0):
        k = next((k for k, row in enumerate(left) if row[column]), None)
        if k is None:
            continue
        row = left.pop(k)
        row = row / row[column]
        left = [r - r[column] * row if r[column] else r for r in left]
        left = [r for r in left if any(r)]
        made = [r - r[column] * row if r[column] else r for r in made]
        made.append(row)
        pivots.append(column)
    return np.array(made, dtype=object).reshape(len(made), -1), pivots
