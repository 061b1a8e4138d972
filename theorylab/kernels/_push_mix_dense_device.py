"""push_mix on a GPU's matrix units: a full P in the order in which lanes read it, and the cut."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.kernels._cuts import PLANS, packet_of, shared_each, up
from theorylab.kernels._device import DeviceArrays, Taken
from theorylab.kernels._paths import Facts, Grid, Schedule

Parts = Sequence[tuple[NDArray[Any], NDArray[Any], NDArray[Any]]]
_NARROWEST = 128  # bytes of a tile's row: kDenseBytes in csrc/cuda/push_mix_dense.cuh
_THREADS = 512
# By bytes of a number, as Unit<T> in csrc/cuda/push_mix_dense.cuh: rows of a row tile, columns of P
# of a step, numbers of a fragment, numbers between two rows of a tile.
_UNITS = {8: (8, 4, 32, 4), 4: (16, 8, 256, 8)}


@dataclass(frozen=True)
class DensePlan:
    """tile: columns. staged: P lies in shared memory."""

    tile: int
    staged: bool
    grid: Grid


@functools.lru_cache(maxsize=PLANS)
def dense_plan(runs: int, n: int, d: int, itemsize: int, facts: Facts) -> DensePlan | None:
    """Cut (R, n, d), d >= 1, for this device; None where shared memory is too small.

    P in shared memory with tiles of 256 bytes a row or more, else P from L2, the widest tile.
    """
    wide = _NARROWEST // itemsize
    most = 1
    while most < 8 and most * wide < d:
        most *= 2
    # Few tiles leave processors idle: make them narrower.
    while most > 1 and runs * -(-d // (most * wide)) < facts.multiprocessors:
        most //= 2
    for staged in (True, False):
        across = most
        while across and across >= (min(2, most) if staged else 1):
            tile = across * wide
            shared = dense_bytes(n, tile, staged, itemsize)
            if shared <= shared_each(facts, 1):
                blocks = min(runs * -(-d // tile), facts.multiprocessors)
                return DensePlan(tile, staged, Grid(blocks, _THREADS, shared))
            across //= 2
    return None


def dense_bytes(n: int, tile: int, staged: bool, itemsize: int) -> int:
    """Shared memory of ``push_mix_dense``: DenseLayout in csrc/cuda/push_mix_dense.cuh."""
    rows, depth, fragment, pad = _UNITS[itemsize]
    row_tiles, steps = -(-n // rows), -(-n // depth)
    buffer = up(steps * depth * (tile + pad) * itemsize)
    return (up(row_tiles * steps * fragment * itemsize) if staged else 0) + 2 * buffer


def fragments(parts: Parts, n: int, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Every run's P as (row tile, step, lane ...), filled up with 0; layouts: csrc/core/gpu.cuh.

    Shares are rounded to ``dtype``; entries stored twice are added up.
    """
    rows, depth, _, _ = _UNITS[dtype.itemsize]
    row_tiles, steps = -(-n // rows), -(-n // depth)
    made = []
    for indptr, indices, data in parts:
        full = np.zeros((row_tiles * rows, steps * depth), dtype)
        where = np.repeat(np.arange(n), np.diff(indptr)), indices
        np.add.at(full, where, data.astype(dtype))
        if dtype == np.float64:
            made.append(full.reshape(row_tiles, 8, steps, 4).transpose(0, 2, 1, 3))
            continue
        high = _tf32(full)
        both = np.stack([high, _tf32(full - high)])
        halves = both.reshape(2, row_tiles, 2, 8, steps, 2, 4)  # part, tile, e % 2, g, step, e / 2
        made.append(halves.transpose(1, 4, 0, 3, 6, 5, 2))
    return np.stack([np.ascontiguousarray(one).ravel() for one in made])


def launch_dense(
    call: DeviceArrays,
    made: DensePlan,
    sizes: tuple[int, int, int],
    parts: Parts,
    apart: int,
    kept: dict[Any, Any],
    arrays: tuple[Taken, Taken, Taken, Taken],
) -> None:
    """Put the product on the stream; ``arrays``: x, w1 (made before), x1, z1."""
    key = (*call.place, call.type, "fragments")
    if key not in kept:
        packed = fragments(parts, sizes[1], call.dtype)
        (kept[key],) = call.sent([packed], "P's fragments need")
    x, _, x1, z1 = arrays
    item = call.dtype.itemsize
    vec = packet_of(x.address | x1.address | z1.address, sizes[2], item) // item
    vec = vec if vec * item == 16 else 1  # no schedule for packets of 8 bytes
    call.launch(
        Schedule("push_mix_dense", (call.type, str(vec))), made.grid,
        *sizes, made.tile, apart, int(made.staged), call.library.address(kept[key]), *arrays,
    )  # fmt: skip


def _tf32(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """The nearest float32 whose significand has 11 bits, ties away from 0; finite values."""
    return ((values.view(np.uint32) + np.uint32(0x1000)) & np.uint32(0xFFFFE000)).view(np.float32)
