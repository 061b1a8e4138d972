"""local_steps on a GPU: the call, and the client losses where the GPU reads them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from theorylab.kernels._device import Array, DeviceArrays, Taken
from theorylab.kernels._local_steps_plan import ROWS, Model, plan
from theorylab.kernels._local_steps_tables import (
    LossTable,
    aligned_rows,
    checked_counts,
    checked_ids,
)
from theorylab.kernels._paths import Schedule
from theorylab.kernels._tape import Moving

_LARGEST = 2**30  # coordinates of a model, and rows of data


class DeviceTable:
    """A LossTable on one GPU: what a kernel's call names of it."""

    def __init__(self, call: DeviceArrays, table: LossTable) -> None:
        self._arrays: list[Array] = []
        self._library, self._device = call.library, call.device
        self.single = table.single is not None
        sizes = table.sizes
        starts = None if sizes is None else np.cumsum(sizes) - sizes
        arrays = [table.rows, table.centers, table.labels, starts, sizes]
        if self.single:
            arrays[0] = table.single
        elif isinstance(table.rows, np.ndarray) and table.rows.shape[1] < table.stride:
            arrays[0] = aligned_rows(table.rows)  # short rows, which the host reads unpadded
        hosted = [array for array in arrays if isinstance(array, np.ndarray)]
        call.check_room(sum(array.nbytes for array in hosted), "the client losses need")
        rows, centers, labels, begin, counts = map(self._address, arrays)
        self.rows, self.centers = rows, centers
        self.places = (labels, begin, counts)

    def _address(self, array: Array | None) -> int:
        if array is None:
            return 0
        if isinstance(array, np.ndarray):
            array = self._library.upload(array, self._device)
        self._arrays.append(array)
        return self._library.address(array)


@dataclass(frozen=True)
class Steps:
    """What a call does besides where from: the arguments of ``ClientLosses.local_steps``."""

    seed: int
    round: int | Moving
    steps: int
    eta: float | Moving
    alpha: float
    rho: float


def steps_on_device(
    table: LossTable,
    kept: dict[Any, Any],
    x: Array,
    w: Array,
    ids: Array,
    counts: Array | None,
    steps: Steps,
) -> Array:
    """The last x where x lives. ``kept`` holds what was uploaded before.

    ids, counts: NumPy arrays, or int64 arrays beside x.
    """
    call, point = _points(table, x)
    weight = call.take("w", w)
    runs, n = point.shape[:2]
    if weight.shape != (runs, n):
        raise ValueError(f"local_steps: w has shape {weight.shape}; need ({runs},{n})")
    if isinstance(ids, np.ndarray):
        ids = checked_ids(ids, runs)
    if isinstance(counts, np.ndarray):
        counts = checked_counts(counts, (runs, n), steps.steps)
    held = _held(call, table, kept)
    numbers = _numbers(call, kept, "runs", ids, (runs,))
    limits = 0 if counts is None else _numbers(call, kept, "counts", counts, (runs, n))
    return _launch(call, table, held, point, steps, (weight, numbers, limits), False)


def gradients_on_device(table: LossTable, kept: dict[Any, Any], x: Array) -> Array:
    """grad f_i(x[r, i]), all rows and no noise, where x lives."""
    call, point = _points(table, x)
    held = _held(call, table, kept)
    exact = replace(table, batch=0, noise=0.0)
    return _launch(call, exact, held, point, Steps(0, 0, 1, 0.0, 0.0, 0.0), (0, 0, 0), True)


def _points(table: LossTable, x: Array) -> tuple[DeviceArrays, Taken]:
    call = DeviceArrays("local_steps", "x", x)
    if call.dtype != table.dtype:
        raise TypeError(f"local_steps: x has dtype {call.dtype}; need {table.dtype}")
    point = call.take("x", x)
    n, d = table.clients, table.dim
    if len(point.shape) != 3 or point.shape[1:] != (n, d):
        raise ValueError(f"local_steps: x has shape {point.shape}; need (R,{n},{d})")
    if max(d, table.most, 0 if table.rows is None else len(table.rows)) > _LARGEST:
        raise ValueError(f"local_steps: d={d} came; need at most {_LARGEST} coordinates and rows")
    return call, point


def _launch(
    call: DeviceArrays,
    table: LossTable,
    held: DeviceTable,
    point: Taken,
    steps: Steps,
    given: tuple[Taken | int, Taken | int, Taken | int],
    gradients: bool,
) -> Array:
    """given: w, runs and counts, 0 for ones, zeros and all steps."""
    w, ids, counts = given
    runs, n, d = point.shape
    made = plan(runs * n, model_of(table, steps.rho != 0), call.facts)
    # Stays until the kernel is on the stream, whose order the library keeps.
    work = made.work * (1 if made.passes else made.grid.blocks) // 8
    room = [((work,), np.dtype(np.float64))] if work else []
    out, *work_space = call.fresh((point.shape, call.dtype), *room)
    if not runs * n * d:
        return out.array
    family = f"tl::Family::{table.family}"
    diagonals = held.rows if table.family == "kDiagonal" else 0
    moment = (steps.seed, steps.round, ids, steps.steps, counts)
    apart = (
        n, d, table.scale, table.clip, table.noise, diagonals, held.centers, *moment, steps.eta,
        steps.alpha, point, w, out,
    )  # fmt: skip
    if made.pairs:
        schedule = Schedule("local_steps_pairs", (call.type, family))
        call.launch(schedule, made.grid, runs, *apart, int(gradients))
        return out.array
    if made.passes:
        one = Schedule("local_steps_pass", (call.type, family))
        squares = Schedule("local_steps_squares", (call.type,))
        for first in range(0, runs * n, made.passes.group):
            tasks = min(made.passes.group, runs * n - first)
            for number in range(steps.steps + 1):
                if number:
                    call.launch(
                        squares, made.passes.squares, first, tasks, d, steps.steps, counts,
                        table.noise, steps.rho, number - 1, *work_space,
                    )  # fmt: skip
                call.launch(one, made.grid, first, tasks, *apart, number, *work_space)
        return out.array
    cut = made.cut
    data = "float" if held.single else call.type
    types = (call.type, data, family, str(int(cut.near and table.family in ROWS)))
    call.launch(
        Schedule("local_steps_blocks", types), made.grid,
        runs, n, d, table.columns, table.features, table.stride, table.batch,
        table.reg, table.scale, table.clip, table.noise,
        held.rows, diagonals, held.centers, *held.places,
        *moment, steps.eta, steps.alpha, steps.rho, point, w, out, int(gradients),
        cut.group, cut.chunk, cut.many, int(cut.near), int(cut.kept), *(work_space or (0,)),
    )  # fmt: skip
    return out.array


def model_of(table: LossTable, sam: bool) -> Model:
    item = table.dtype.itemsize
    data = 4 if table.single is not None else item
    packet = 16 // data
    across = table.dim if table.family == "kDense" else table.features
    width = -(-across // packet) * packet if table.family in ROWS else 0
    rows = table.dim if table.family == "kDense" else table.batch or table.most
    fixed = table.family == "kDense" or not table.batch
    d = table.columns * width if table.family == "kSoftmax" else table.dim  # class by class there
    return Model(
        table.family, d, table.columns, width, rows, fixed, sam, table.noise > 0, item, data
    )


def _held(call: DeviceArrays, table: LossTable, kept: dict[Any, Any]) -> DeviceTable:
    key = call.place
    if key not in kept:
        if not isinstance(table.centers if table.rows is None else table.rows, np.ndarray):
            own = table.centers if table.rows is None else table.rows
            call.take("the client losses' data", own)
        kept[key] = DeviceTable(call, table)
    made: DeviceTable = kept[key]
    return made


def _numbers(
    call: DeviceArrays, kept: dict[Any, Any], name: str, given: Array, shape: tuple[int, ...]
) -> int | Taken:
    """Address of int64 numbers on the device. A host array goes up once as long as it is equal."""
    if not isinstance(given, np.ndarray):
        taken = call.take(name, given, np.int64)
        if taken.shape != shape:
            raise ValueError(f"local_steps: {name} have shape {taken.shape}; need {shape}")
        return taken
    key, content = (*call.place, name), given.tobytes()
    there = kept.get(key)
    if there is None or there[0] != content:
        there = kept[key] = (content, call.library.upload(given, call.device))
    return call.keep(there[1])  # what is kept may be another thread's by now
