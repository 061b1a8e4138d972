"""push_mix on a GPU where rows are long: two rows of P at once, and how a call is cut for it."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.kernels._cuts import PLANS, column_tiles, up
from theorylab.kernels._paths import Facts, Grid

Parts = Sequence[tuple[NDArray[Any], NDArray[Any], NDArray[Any]]]
_THREADS = 512
_LONG = 24  # entries of a row from which reads of shared memory, not of x, are what takes time
_SAVED = 0.9  # of the reads of x that may be left, or reading P in pairs does not pay


@dataclass(frozen=True)
class PairsPlan:
    """tile: columns. grid: blocks whose shared memory holds the steps of one run."""

    tile: int
    grid: Grid


@functools.lru_cache(maxsize=PLANS)
def pairs_plan(
    runs: int, n: int, d: int, itemsize: int, steps: int, facts: Facts
) -> PairsPlan | None:
    """Cut (R, n, d), d >= 1 in packets of 16 bytes; None where steps and a tile do not fit.

    Args:
        steps: the most of one run.
    """
    for tile, blocks, most in column_tiles(runs, d, 16 // itemsize, itemsize, facts):
        shared = pairs_bytes(n, tile, steps, itemsize)
        if shared <= most and n * tile < 2**31:
            return PairsPlan(tile, Grid(blocks, _THREADS, shared))
    return None


def pairs_bytes(n: int, tile: int, steps: int, itemsize: int) -> int:
    """Shared memory of ``push_mix_pairs``: PairsLayout in csrc/cuda/push_mix_pairs.cuh."""
    pairs = -(-n // 2)
    around = up((pairs + 1) * 4) + up(2 * pairs * itemsize)
    return up(steps * 4 * itemsize) + around + 2 * up(n * tile * itemsize)


def paired_edges(
    parts: Parts, n: int, dtype: np.dtype[Any]
) -> tuple[NDArray[np.int64], NDArray[Any], int] | None:
    """(offsets (R (pairs + 1)), steps, the most of a run) of all matrices, shares as ``dtype``.

    None where it does not pay: rows are short, have few senders in common, or are not ascending
    without repeats, in which order the host adds them.
    """
    entries = sum(len(data) for _, _, data in parts)
    if entries < _LONG * n * len(parts):
        return None
    pairs, size = -(-n // 2), 4 * dtype.itemsize
    step = np.dtype({
        "names": ["from", "rows", "share"],
        "formats": [np.int32, np.uint32, (dtype, 2)],
        "offsets": [0, 4, 8],
        "itemsize": size,
    })  # fmt: skip
    offsets, made, begin = [], [], 0
    for indptr, indices, data in parts:
        row = np.repeat(np.arange(n), np.diff(indptr))
        place = row * n + indices
        if (place[1:] <= place[:-1]).any():
            return None
        key = row // 2 * n + indices
        order = np.argsort(key, kind="stable")
        new = np.ones(len(key), bool)
        new[1:] = key[order][1:] != key[order][:-1]
        number = np.cumsum(new) - 1
        steps = np.zeros(int(new.sum()), step)
        steps["from"] = indices[order][new]
        side = row[order] % 2
        np.bitwise_or.at(steps["rows"], number, (1 << side).astype(np.uint32))
        steps["share"][number, side] = data[order]
        ends = np.searchsorted(key[order][new], n * np.arange(pairs + 1))
        offsets.append(ends.astype(np.int64) + begin)
        made.append(steps)
        begin += len(steps)
    if begin > _SAVED * entries:
        return None
    joined = np.empty(begin, step)  # np.concatenate would leave the padding out
    for steps, ends in zip(made, offsets, strict=True):
        joined[ends[0] : ends[-1]] = steps
    return np.concatenate(offsets), joined, max(map(len, made))
