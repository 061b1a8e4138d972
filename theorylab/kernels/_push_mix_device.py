"""push_mix on a GPU: how a call is cut into blocks, and the edges in the form the GPU reads."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.kernels._calls import Calls
from theorylab.kernels._cuts import (
    MOST_BLOCKS,
    PLANS,
    even_threads,
    held_tiles,
    packet_of,
    power_above,
    up,
)
from theorylab.kernels._device import Array, DeviceArrays, Taken
from theorylab.kernels._paths import Facts, Grid, Schedule
from theorylab.kernels._push_mix_columns_device import ColumnsPlan, columns_plan, listed_entries
from theorylab.kernels._push_mix_dense_device import DensePlan, dense_plan, launch_dense
from theorylab.kernels._push_mix_groups_device import grouped_steps, groups_plan

_NARROW = 128  # bytes of a tile's row: narrower ones are slow
_CLIENTS = 2**31  # a sender's number is an int32 on the device


@dataclass(frozen=True)
class Plan:
    """How one call runs.

    tiles: the schedule with tiles in shared memory, else the gather. vec: columns of a thread,
    step: how far apart. tile: columns. staged: room for edges in shared memory (0: they are read in
    place).
    """

    tiles: bool
    vec: int
    step: int
    tile: int
    staged: int
    grid: Grid


@functools.lru_cache(maxsize=PLANS)
def plan(
    runs: int, n: int, d: int, itemsize: int, edges: int, alignment: int, facts: Facts
) -> Plan:
    """Cut (R, n, d) for this device; d >= 1. Where no tile fits, the gather is used.

    Args:
        edges: the most entries of one run's P. alignment: of x, x1, z1, as for ``packet_of``.
    """
    for least in (_NARROW, 0):
        for staged in (edges, 0):
            for vec, step, limit, (tile, blocks, most) in held_tiles(
                runs, d, alignment, itemsize, facts
            ):
                shared = tiles_bytes(n, tile, staged, itemsize)
                wide = tile * itemsize >= min(least, d * itemsize)
                if wide and shared <= most and n * tile < 2**31:
                    threads = even_threads(n, tile // vec, limit)
                    return Plan(True, vec, step, tile, staged, Grid(blocks, threads, shared))
    vec = 16 // itemsize if packet_of(alignment, d, itemsize) == 16 else 1
    packets = min(32, power_above(-(-d // vec)))
    while packets > 1 and n * packets * vec * itemsize > facts.l2 // 4:
        packets //= 2
    tile, threads = packets * vec, 256
    tasks = runs * -(-d // tile) * -(-n // (threads // packets))
    return Plan(False, vec, 1, tile, 0, Grid(min(tasks, MOST_BLOCKS), threads))


def tiles_bytes(n: int, tile: int, staged: int, itemsize: int) -> int:
    """Shared memory of ``push_mix_tiles``: TilesLayout in csrc/cuda/push_mix.cuh."""
    edge = 2 * itemsize
    offsets = up((n + 1) * 4) if staged else 0
    return up(staged * edge) + offsets + up(2 * n * itemsize) + 2 * up(n * tile * itemsize)


def push_mix_on_device(
    parts: Sequence[tuple[NDArray[Any], NDArray[Any], NDArray[Any]]],
    per_run: bool,
    x: Array,
    w: Array,
    out: tuple[Array, Array, Array] | None,
    kept: dict[Any, Any],
    matrix_units: bool = False,
    calls: Calls | None = None,
) -> tuple[Array, Array, Array]:
    """(x1, w1, z1) where x lives; shapes were checked.

    Args:
        kept: holds P's edges on devices. calls: of this P and ``kept``, what may come again.
    """
    call = DeviceArrays("push_mix", "x", x, listed=calls is not None)
    taken, weight = call.take("x", x), call.take("w", w)
    if taken.shape[-2] >= _CLIENTS:
        raise ValueError(
            f"push_mix: x has n={taken.shape[-2]}; need at most {_CLIENTS - 1} clients on a GPU"
        )
    n, d = taken.shape[-2:]
    runs = taken.shape[0] if len(taken.shape) == 3 else 1
    size = call.dtype.itemsize
    dense = dense_plan(runs, n, d, size, call.facts) if matrix_units and d else None
    if matrix_units and d and dense is None:
        raise ValueError(
            f"push_mix: matrix_units with n={n} needs more shared memory than a block has "
            f"({call.facts.shared} bytes); leave it off"
        )
    x1, w1, z1 = mix_results(call, taken, weight, out)
    grouped, arrays = not matrix_units and runs * n, (taken, weight, x1, w1, z1)
    if not (grouped and _launch_groups(call, parts, int(per_run), kept, arrays)):
        _launch_edges(call, parts, int(per_run), kept, matrix_units, dense, arrays)
    if calls is not None:
        call.run(calls, matrix_units, (taken, weight), (x1, w1, z1), out is None)
    return x1.array, w1.array, z1.array


def _launch_edges(
    call: DeviceArrays,
    parts: Sequence[tuple[NDArray[Any], NDArray[Any], NDArray[Any]]],
    apart: int,
    kept: dict[Any, Any],
    matrix_units: bool,
    dense: DensePlan | None,
    arrays: tuple[Taken, Taken, Taken, Taken, Taken],
) -> None:
    """Row by row, or on matrix units, with ``dense`` where x has coordinates."""
    x, w, x1, w1, z1 = arrays
    n, d = x.shape[-2:]
    runs = x.shape[0] if len(x.shape) == 3 else 1
    key = (*call.place, call.type)
    if key not in kept:
        kept[key] = call.sent(packed_edges(parts, call.dtype), "P's edges need")
    indptr, edges = (call.library.address(array) for array in kept[key])
    if runs * n and matrix_units:
        _launch_weights(call, runs, n, apart, indptr, edges, w, w1)
        if dense is not None:
            launch_dense(call, dense, (runs, n, d), parts, apart, kept, (x, w1, x1, z1))
    elif runs * n:
        most = max(len(data) for _, _, data in parts)
        _launch(call, parts, most, apart, kept, indptr, edges, arrays)


def mix_results(
    call: DeviceArrays, x: Taken, w: Taken, out: tuple[Array, Array, Array] | None
) -> list[Taken]:
    """[x1, w1, z1]: ``out``, checked, or fresh memory."""
    shapes = {"out[0]": x.shape, "out[1]": w.shape, "out[2]": x.shape}
    return call.results(shapes, out, {"x": x, "w": w})


def _launch(
    call: DeviceArrays,
    parts: Sequence[tuple[NDArray[Any], NDArray[Any], NDArray[Any]]],
    most: int,
    apart: int,
    kept: dict[Any, Any],
    indptr: int,
    edges: int,
    arrays: tuple[Taken, Taken, Taken, Taken, Taken],
) -> None:
    x, w, x1, w1, z1 = arrays
    n, d = x.shape[-2:]
    runs, item = (x.shape[0] if len(x.shape) == 3 else 1), call.dtype.itemsize
    made = few = None
    if d:
        aligned = x.address | x1.address | z1.address
        made = plan(runs, n, d, item, most, aligned, call.facts)
        narrow = made.tile * item < min(_NARROW, d * item) or not made.tiles
        if narrow:
            few = columns_plan(runs, n, d, item, packet_of(aligned, d, item) == 16, call.facts)
    if made is None or few or not made.tiles:
        _launch_weights(call, runs, n, apart, indptr, edges, w, w1)
    if made is None:
        return
    if few:
        _launch_columns(call, parts, apart, kept, few, (x, w1, x1, z1))
    elif made.tiles:
        types = (call.type, str(made.vec), str(made.step))
        call.launch(
            Schedule("push_mix_tiles", types, (made.tile, 0)), made.grid,
            runs, n, d, made.tile, apart, made.staged, indptr, edges, x, w, x1, w1, z1,
        )  # fmt: skip
    else:
        call.launch(
            Schedule("push_mix_gather", (call.type, str(made.vec))), made.grid,
            runs, n, d, made.tile, apart, indptr, edges, x, w1, x1, z1,
        )  # fmt: skip


def _launch_groups(
    call: DeviceArrays,
    parts: Sequence[tuple[NDArray[Any], NDArray[Any], NDArray[Any]]],
    apart: int,
    kept: dict[Any, Any],
    arrays: tuple[Taken, Taken, Taken, Taken, Taken],
) -> bool:
    """Whether four rows at once pay, and then launches them."""
    x, _, x1, _, z1 = arrays
    n, d = x.shape[-2:]
    runs, item = (x.shape[0] if len(x.shape) == 3 else 1), call.dtype.itemsize
    if not d or packet_of(x.address | x1.address | z1.address, d, item) != 16:
        return False
    if ("grouped", call.type) not in kept:
        kept["grouped", call.type] = grouped_steps(parts, n, call.dtype)
    packed = kept["grouped", call.type]
    made = packed and groups_plan(runs, n, d, item, packed.most, packed.equal, call.facts)
    if not made:
        return False
    key = (*call.place, call.type, "groups")
    if key not in kept:
        kept[key] = call.sent(packed[:3], "P's edges need")
    indptr, steps, shares = (call.library.address(array) for array in kept[key])
    call.launch(
        Schedule("push_mix_groups", (call.type, str(16 // item), str(int(packed.equal)))),
        made.grid, runs, n, d, made.tile, apart, packed.most, indptr, steps, shares, *arrays,
    )  # fmt: skip
    return True


def _launch_columns(
    call: DeviceArrays,
    parts: Sequence[tuple[NDArray[Any], NDArray[Any], NDArray[Any]]],
    apart: int,
    kept: dict[Any, Any],
    made: ColumnsPlan,
    arrays: tuple[Taken, Taken, Taken, Taken],
) -> None:
    """``arrays``: x, w1 (made before), x1, z1."""
    x, _, x1, z1 = arrays
    n, d = x.shape[-2:]
    runs, item = (x.shape[0] if len(x.shape) == 3 else 1), call.dtype.itemsize
    key = (*call.place, call.type, "columns")
    if key not in kept:
        packed = listed_entries(parts, n, call.dtype)
        kept[key] = packed.equal, call.sent(packed[:3], "P's edges need")
    equal, sent = kept[key]
    packets = packet_of(x.address | x1.address | z1.address, d, item) == 16
    types = (call.type, str(16 // item if packets else 1), str(int(equal)))
    call.launch(
        Schedule("push_mix_columns", types), made.grid,
        runs, n, d, made.tile, apart, *map(call.library.address, sent), *arrays,
    )  # fmt: skip


def _launch_weights(
    call: DeviceArrays, runs: int, n: int, apart: int, indptr: int, edges: int, w: Taken, w1: Taken
) -> None:
    grid = Grid(-(-runs * n // 256), 256)
    call.launch(Schedule("push_weights", (call.type,)), grid, runs, n, apart, indptr, edges, w, w1)


def packed_edges(
    parts: Sequence[tuple[NDArray[Any], NDArray[Any], NDArray[Any]]], dtype: np.dtype[Any]
) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Offsets (R (n+1)) and (sender, share) of all matrices, shares rounded to ``dtype``."""
    edge = np.dtype([("from", np.int32), ("share", dtype)], align=True)
    packed = np.empty(sum(len(data) for _, _, data in parts), edge)
    offsets, begin = [], 0
    for indptr, indices, data in parts:
        here = slice(begin, begin + len(data))
        packed["from"][here], packed["share"][here] = indices, data
        offsets.append(indptr.astype(np.int64) + begin)
        begin += len(data)
    return np.concatenate(offsets), packed
