"""The likeliest outcomes of many independent draws, in falling order of their chances.

A mean that lies in rare outcomes is not seen by a few runs, which are all alike. Where most draws
have one outcome that is nearly sure, a few hundred outcomes of all draws together have nearly all
of the chance: none of the rare ones, one of them, two of them. What a nonnegative number is on
these, times their chances, is never above its mean.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

RARE = -4.0  # log of the least chance of the likeliest outcome: beyond it a few tell too little
_ENTRIES = 1 << 22  # of the table


def likeliest(chances: Sequence[Floats], count: int) -> tuple[NDArray[np.int64], Floats] | None:
    """The ``count`` likeliest outcomes of independent draws of these ``chances``, each (m,), > 0.

    Returns (which outcome each draw has (R, U), the chance of all (R,)); None where the table has
    no room, or the likeliest one is rarer than ``RARE``.
    """
    orders = [np.argsort(-each, kind="stable") for each in chances]
    top = [float(each.max()) for each in chances]
    mode = sum(map(math.log, top))
    if not count or mode < RARE or len(chances) * count > _ENTRIES:
        return None
    # shares[k][j]: the chance of the j-th likeliest outcome of a draw over that of the likeliest
    pairs = zip(chances, orders, strict=True)
    shares = [(each[order] / each.max()).tolist() for each, order in pairs]
    several = [k for k in range(len(chances)) if len(shares[k]) > 1]
    moving = sorted(several, key=lambda k: -shares[k][1])
    found = _best(moving, shares, count)
    table = np.repeat(np.array([[order[0] for order in orders]], np.int64), len(found), axis=0)
    weights = np.full(len(found), math.prod(top))
    for row, others in enumerate(found):
        for unit, j in others:
            table[row, unit] = orders[unit][j]
            weights[row] *= shares[unit][j]
    return table, weights


def _best(
    moving: Sequence[int], shares: Sequence[Sequence[float]], count: int
) -> list[tuple[tuple[int, int], ...]]:
    """The ``count`` largest products of one share a draw: of each the draws that are not at their
    likeliest, with which outcome they have.

    Every set of them comes from one other, whose product is no smaller: the last draw's outcome
    made rarer, the next draw added, or the last draw replaced by the next one.
    """
    found: list[tuple[tuple[int, int], ...]] = [()]
    # entries: (-product, order of arrival, the draws before the last, place of the last, its j)
    waiting: list[tuple[float, int, Any, int, int]] = []
    arrivals = 0

    def push(product: float, others: Any, place: int, j: int) -> None:
        nonlocal arrivals
        if place < len(moving) and j < len(shares[moving[place]]):
            arrivals += 1
            share = shares[moving[place]][j]
            heapq.heappush(waiting, (-product * share, arrivals, (product, others), place, j))

    push(1.0, (), 0, 1)
    while waiting and len(found) < count:
        negative, _, (before, others), place, j = heapq.heappop(waiting)
        whole = (*others, (moving[place], j))
        found.append(whole)
        push(before, others, place, j + 1)
        push(-negative, whole, place + 1, 1)
        if j == 1:
            push(before, others, place + 1, 1)
    return found
