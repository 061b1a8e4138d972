"""push_mix on a GPU where rows are long: four rows of P at once, and how a call is cut for it."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from theorylab.kernels._cuts import PLANS, column_tiles, even_threads, up
from theorylab.kernels._paths import Facts, Grid

Parts = Sequence[tuple[NDArray[Any], NDArray[Any], NDArray[Any]]]
_ROWS = 4  # of a group, and steps that are read together: kGroup in csrc/cuda/push_mix_groups.cuh
_SENDERS = 1 << 28  # a step's word has four bits for the rows
# Entries of a row, on average, from which groups are faster than push_mix_tiles, where a column has
# one share and where it has several. One H200, n = 100, float32, as a share of a copy's speed:
#   entries             16   24   41   100
#   groups, one share  .60  .51  .43   .40
#   groups, several    .47  .38  .30   .27
#   push_mix_tiles     .63  .48
_LONG = {True: 20, False: 40}
_SAVED = 0.8  # of the reads of x that may be left, or reading P in groups does not pay


@dataclass(frozen=True)
class GroupsPlan:
    """tile: columns. grid: blocks whose shared memory holds the steps of one run."""

    tile: int
    grid: Grid


class Groups(NamedTuple):
    """P's steps for ``push_mix_groups``, of all runs.

    offsets: (R (groups + 1)). steps: words. shares: (steps, 4), or (R, n) where ``equal``, that is
    all entries of a column are. most: the steps of the run that has most.
    """

    offsets: NDArray[np.int64]
    steps: NDArray[np.uint32]
    shares: NDArray[Any]
    equal: bool
    most: int


@functools.lru_cache(maxsize=PLANS)
def groups_plan(
    runs: int, n: int, d: int, itemsize: int, most: int, equal: bool, facts: Facts
) -> GroupsPlan | None:
    """Cut (R, n, d), d >= 1 in packets of 16 bytes; None where steps and a tile do not fit.

    Args:
        most: the most steps of one run.
    """
    vec = 16 // itemsize
    for tile, blocks, room in column_tiles(runs, d, vec, itemsize, facts, (3, 2, 1)):
        shared = groups_bytes(n, tile, most, equal, itemsize)
        three = blocks > 2 * facts.multiprocessors  # registers for 320 threads of each
        if shared <= room and (tile == 32 * vec or not three):
            threads = even_threads(-(-n // _ROWS), tile // vec, 320 if three else 512)
            return GroupsPlan(tile, Grid(blocks, threads, shared))
    return None


def groups_bytes(n: int, tile: int, most: int, equal: bool, itemsize: int) -> int:
    """Shared memory of ``push_mix_groups``: GroupsLayout in csrc/cuda/push_mix_groups.cuh."""
    groups = -(-n // _ROWS)
    shares = 0 if equal else up(most * _ROWS * itemsize)
    around = up((groups + 1) * 4) + up(2 * _ROWS * groups * itemsize)
    return up(most * 4) + shares + around + up(n * tile * itemsize)


def equal_shares(parts: Parts, n: int, dtype: np.dtype[Any]) -> NDArray[Any] | None:
    """(R, n): the one number of each column's entries, as ``dtype``; None where some differ."""
    shares = np.zeros((len(parts), n), dtype)
    for own, (_, indices, data) in zip(shares, parts, strict=True):
        rounded = data.astype(dtype)
        own[indices] = rounded
        if (own[indices] != rounded).any():
            return None
    return shares


def grouped_steps(parts: Parts, n: int, dtype: np.dtype[Any]) -> Groups | None:
    """The steps of all matrices; None where they do not pay.

    So it is where rows are short, have few senders in common, or are not ascending without repeats,
    in which order the host adds them.
    """
    entries = sum(len(data) for _, _, data in parts)
    if entries < min(_LONG.values()) * n * len(parts) or n >= _SENDERS:
        return None
    groups, equal = -(-n // _ROWS), equal_shares(parts, n, dtype)
    if entries < _LONG[equal is not None] * n * len(parts):
        return None
    offsets, words, shares, begin = [], [], [], 0
    for indptr, indices, data in parts:
        row = np.repeat(np.arange(n), np.diff(indptr))
        place = row * n + indices
        if (place[1:] <= place[:-1]).any():
            return None
        key = row // _ROWS * n + indices
        order = np.argsort(key, kind="stable")
        new = np.ones(len(key), bool)
        new[1:] = key[order][1:] != key[order][:-1]
        kept = key[order][new]
        counts = np.bincount(kept // n, minlength=groups)
        ends = np.cumsum(up_all(counts))
        starts = ends - up_all(counts)
        at = starts[kept // n] + np.arange(len(kept)) - (np.cumsum(counts) - counts)[kept // n]
        number, side = at[np.cumsum(new) - 1], row[order] % _ROWS
        word = np.zeros(int(ends[-1]), np.uint32)  # a step of no rows fills a group up
        word[at] = (kept % n).astype(np.uint32) << _ROWS
        np.bitwise_or.at(word, number, (1 << side).astype(np.uint32))
        words.append(word)
        if equal is None:
            share = np.zeros((len(word), _ROWS), dtype)
            share[number, side] = data[order]
            shares.append(share)
        offsets.append(np.r_[0, ends].astype(np.int64) + begin)
        begin += len(word)
    if begin > _SAVED * entries:
        return None
    return Groups(
        np.concatenate(offsets),
        np.concatenate(words),
        np.concatenate(shares) if equal is None else equal,
        equal is not None,
        max(map(len, words)),
    )


def up_all(counts: NDArray[np.intp]) -> NDArray[np.intp]:
    """Counts of steps, each rounded up to as many as are read together."""
    return -(-counts // _ROWS) * _ROWS
