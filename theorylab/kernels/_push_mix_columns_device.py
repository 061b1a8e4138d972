"""push_mix on a GPU for many clients: few columns of all of them in shared memory."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from theorylab.kernels._cuts import PLANS, shared_each
from theorylab.kernels._paths import Facts, Grid
from theorylab.kernels._push_mix_groups_device import Parts, equal_shares

# Threads of a row, and how many of them must have columns where rows do not begin at packets of 16
# bytes. One H200, float32, 11 entries a row, as a share of a copy's speed:
#   n                             1000  1500  2000  2000, d odd
#   eight threads with columns     .56   .55
#   six or seven                               .41   .33
#   push_mix_gather                .43   .43   .43   .13
# With 101 entries a row and n = 1,000 it takes 4.7 ms where narrow tiles took 14 (d = 262,144).
_LANES, _FEWEST = 8, 4
_CLIENTS = 1 << 16  # a sender is 16 bits
_TOGETHER = 8  # entries of a packet: kEntries in csrc/cuda/push_mix_columns.cuh
_THREADS = 1024


@dataclass(frozen=True)
class ColumnsPlan:
    """tile: columns."""

    tile: int
    grid: Grid


class Lists(NamedTuple):
    """P's entries for ``push_mix_columns``, of all runs.

    places: (R, n + 1, 2), rows in order of their length, with the first packet of each. senders:
    (packets + 1, 8), n where there is none. shares: (packets + 1, 8), or (R, n) where ``equal``.
    """

    places: NDArray[np.int32]
    senders: NDArray[np.uint16]
    shares: NDArray[Any]
    equal: bool


@functools.lru_cache(maxsize=PLANS)
def columns_plan(
    runs: int, n: int, d: int, itemsize: int, packets: bool, facts: Facts
) -> ColumnsPlan | None:
    """Cut (R, n, d), d >= 1; None where too few columns fit or too few tiles would keep it busy.

    Args:
        packets: whether rows begin at packets of 16 bytes.
    """
    vec = 16 // itemsize
    lanes = min(_LANES, shared_each(facts, 1) // ((n + 1) * 16), -(-d // vec))
    tiles = runs * -(-d // (lanes * vec)) if lanes else 0
    least = min(_LANES, -(-d // vec)) if packets else _FEWEST
    if lanes < least or n >= _CLIENTS or 2 * tiles < facts.multiprocessors:
        return None
    grid = Grid(min(tiles, facts.multiprocessors), _THREADS, (n + 1) * lanes * 16)
    return ColumnsPlan(lanes * vec, grid)


def listed_entries(parts: Parts, n: int, dtype: np.dtype[Any]) -> Lists:
    """The lists of all matrices, in the order in which the host adds them."""
    equal = equal_shares(parts, n, dtype)
    places = np.zeros((len(parts), n + 1, 2), np.int32)
    senders, shares, begin = [], [], 0
    for own, (indptr, indices, data) in zip(places, parts, strict=True):
        length = np.diff(indptr)
        groups = -(-length // _TOGETHER)
        order = np.argsort(-groups, kind="stable")  # threads that go together end together
        own[:n, 0] = order
        own[1:, 1] = np.cumsum(groups[order])
        first = np.empty(n, np.int64)
        first[order] = own[:n, 1]
        row = np.repeat(np.arange(n), length)
        at = first[row] * _TOGETHER + np.arange(len(indices)) - np.asarray(indptr)[row]
        sender = np.full(own[n, 1] * _TOGETHER, n, np.uint16)
        sender[at] = indices
        senders.append(sender)
        if equal is None:
            share = np.zeros(len(sender), dtype)
            share[at] = data
            shares.append(share)
        own[:, 1] += begin
        begin += len(sender) // _TOGETHER
    senders.append(np.full(_TOGETHER, n, np.uint16))  # read ahead of need
    shares.append(np.zeros(_TOGETHER, dtype))
    return Lists(
        places,
        np.concatenate(senders).reshape(-1, _TOGETHER),
        np.concatenate(shares).reshape(-1, _TOGETHER) if equal is None else equal,
        equal is not None,
    )
