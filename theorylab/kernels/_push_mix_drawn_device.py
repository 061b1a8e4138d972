"""push_mix_drawn on a GPU: how a call is cut into blocks that draw their own network."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from theorylab.kernels._cuts import PLANS, held_tiles, up
from theorylab.kernels._device import Array, DeviceArrays
from theorylab.kernels._draws_device import id_words
from theorylab.kernels._paths import Facts, Grid, Schedule
from theorylab.kernels._push_mix_device import mix_results
from theorylab.kernels._tape import Moving
from theorylab.kernels.draws import PURPOSES

_THREADS = 512


@dataclass(frozen=True)
class Plan:
    """vec: columns of a thread, step: how far apart. tile: columns."""

    vec: int
    step: int
    tile: int
    grid: Grid


@functools.lru_cache(maxsize=PLANS)
def plan(
    runs: int, n: int, d: int, itemsize: int, degree: int, loops: int, alignment: int, facts: Facts
) -> Plan | None:
    """Cut (R, n, d), d >= 1, for this device; None where shared memory is too small.

    Args:
        alignment: of x, x1, z1, as for ``packet_of``.
    """
    for vec, step, _, (tile, blocks, most) in held_tiles(runs, d, alignment, itemsize, facts):
        shared = drawn_bytes(n, tile, degree, loops, itemsize)
        if shared <= most:
            return Plan(vec, step, tile, Grid(blocks, _THREADS, shared))
    return None


def drawn_bytes(n: int, tile: int, degree: int, loops: int, itemsize: int) -> int:
    """Shared memory of ``push_mix_drawn``: DrawnLayout in csrc/cuda/push_mix_drawn.cuh."""
    drawing = up((n * (2 * degree + loops) + n + 1 + 2 * degree) * 4)
    buffer = max(up(n * tile * itemsize), drawing)
    return up(n * (degree + loops) * 4) + up((n + 1) * 4) + up(n * itemsize) + 2 * buffer


def push_mix_drawn_on_device(
    seed: int,
    t: int | Moving,
    ids: Array,
    degree: int,
    x: Array,
    w: Array,
    self_loops: bool,
    out: tuple[Array, Array, Array] | None,
) -> tuple[Array, Array, Array] | None:
    """(x1, w1, z1) where x lives, or None where a network does not fit; shapes were checked."""
    call = DeviceArrays("push_mix_drawn", "x", x)
    taken, weight = call.take("x", x), call.take("w", w)
    n, d = taken.shape[-2:]
    runs = taken.shape[0] if len(taken.shape) == 3 else 1
    loops = int(self_loops)
    # The most that can fit, so that nothing is allocated for a call that another path serves.
    if not d or plan(runs, n, d, call.dtype.itemsize, degree, loops, 16, call.facts) is None:
        return None
    x1, w1, z1 = mix_results(call, taken, weight, out)
    first, listed = id_words(call, x, "runs", ids)
    if runs * n:
        aligned = taken.address | x1.address | z1.address
        made = plan(runs, n, d, call.dtype.itemsize, degree, loops, aligned, call.facts)
        if made is None:
            return None
        call.launch(
            Schedule("push_mix_drawn", (call.type, str(made.vec), str(made.step)), (made.tile,)),
            made.grid,
            runs, n, d, made.tile, seed, PURPOSES["topology"], t, first, listed, degree, loops,
            taken, weight, x1, w1, z1,
        )  # fmt: skip
    return x1.array, w1.array, z1.array
