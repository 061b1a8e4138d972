"""push_mix_drawn on a GPU: how a call is cut into blocks that draw their own network."""

from __future__ import annotations

from dataclasses import dataclass

from theorylab.kernels._device import Array, DeviceArrays
from theorylab.kernels._draws_device import id_words
from theorylab.kernels._paths import Facts, Grid, Schedule
from theorylab.kernels.draws import PURPOSES

_LINE = 128  # bytes: what shared memory's parts are aligned to
_RESERVED = 1024  # bytes of shared memory that the driver takes for each block
_THREADS = 512
_SEGMENT = 64  # bytes of a row that a tile must hold at least


@dataclass(frozen=True)
class Plan:
    """vec: numbers that travel together. tile: columns."""

    vec: int
    tile: int
    grid: Grid


def plan(
    runs: int, n: int, d: int, itemsize: int, degree: int, loops: int, alignment: int, facts: Facts
) -> Plan | None:
    """Cut (R, n, d), d >= 1, for this device; None where shared memory is too small.

    Two blocks on a multiprocessor if they fit with tiles of ``_SEGMENT`` bytes a row, else one.

    Args:
        alignment: of x, x1, z1 in bytes (a power of 2).
    """
    vec = max(1, min(16, alignment) // itemsize)
    while d % vec:
        vec //= 2
    for resident in (2, 1):
        budget = min(facts.shared_of_all // resident - _RESERVED, facts.shared)
        packets = min(32, 1 << (-(-d // vec) - 1).bit_length())
        while packets and packets * vec * itemsize >= min(_SEGMENT, d * itemsize):
            tile = packets * vec
            tiles = runs * -(-d // tile)
            # Few tiles leave processors idle: make them narrower, down to a memory segment.
            idle = tiles < resident * facts.multiprocessors
            narrower = idle and packets > 1 and packets // 2 * vec * itemsize >= _SEGMENT
            shared = drawn_bytes(n, tile, degree, loops, itemsize)
            if shared <= budget and not narrower:
                blocks = min(tiles, resident * facts.multiprocessors)
                return Plan(vec, tile, Grid(blocks, _THREADS, shared))
            packets //= 2
    return None


def drawn_bytes(n: int, tile: int, degree: int, loops: int, itemsize: int) -> int:
    """Shared memory of ``push_mix_drawn``: DrawnLayout in csrc/cuda/push_mix_drawn.cuh."""
    drawing = _up((n * (2 * degree + loops) + n + 1 + 2 * degree) * 4)
    buffer = max(_up(n * tile * itemsize), drawing)
    return _up(n * (degree + loops) * 4) + _up((n + 1) * 4) + _up(n * itemsize) + 2 * buffer


def push_mix_drawn_on_device(
    seed: int,
    t: int,
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
    shapes = {"out[0]": taken.shape, "out[1]": weight.shape, "out[2]": taken.shape}
    x1, w1, z1 = call.results(shapes, out)
    if out is not None:
        outputs = dict(zip(shapes, (x1, w1, z1), strict=True))
        call.apart({"x": taken, "w": weight}, outputs)
    first, listed = id_words(call, x, "runs", ids)
    if runs * n:
        aligned = min((one.address & -one.address) or 16 for one in (taken, x1, z1))
        made = plan(runs, n, d, call.dtype.itemsize, degree, loops, aligned, call.facts)
        if made is None:
            return None
        call.launch(
            Schedule("push_mix_drawn", (call.type, str(made.vec)), (made.tile,)), made.grid,
            runs, n, d, made.tile, seed, PURPOSES["topology"], t, first, listed, degree, loops,
            taken, weight, x1, w1, z1,
        )  # fmt: skip
    return x1.array, w1.array, z1.array


def _up(size: int) -> int:
    return -(-size // _LINE) * _LINE
