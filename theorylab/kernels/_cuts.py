"""How calls are cut into blocks of a GPU: what the plans of several kernels have in common."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from theorylab.kernels._schedule import RESERVED, Facts

MOST_BLOCKS = 2**31 - 1  # of a grid
PLANS = 256  # that are kept of a kernel: a run calls with the same sizes in every round
_LINE = 128  # bytes: what shared memory's parts are aligned to
_PACKETS = 32  # of a row of a tile, at most: a warp's
_SEGMENT = 64  # bytes of a row that a tile must hold at least


class ColumnTiles(NamedTuple):
    """Tiles of ``tile`` columns, the blocks that work them off, and what each of these may have.

    shared: bytes of shared memory.
    """

    tile: int
    blocks: int
    shared: int


def column_tiles(
    runs: int, d: int, vec: int, itemsize: int, facts: Facts, residents: tuple[int, ...] = (2, 1)
) -> Iterator[ColumnTiles]:
    """Tiles of (R, n, d) that hold all n, best first; whether one fits is for the caller to say.

    Two blocks on a multiprocessor with tiles of ``_SEGMENT`` bytes a row or more, then one; or as
    many as ``residents`` says, in its order.

    Args:
        vec: numbers of a thread.
    """
    for resident in residents:
        at_once = resident * facts.multiprocessors
        packets = min(_PACKETS, power_above(-(-d // vec)))
        while packets and packets * vec * itemsize >= min(_SEGMENT, d * itemsize):
            tile = packets * vec
            tiles = runs * -(-d // tile)
            # Few tiles leave processors idle: make them narrower, down to a memory segment.
            narrower = packets > 1 and tiles < at_once and tile // 2 * itemsize >= _SEGMENT
            if not narrower:
                yield ColumnTiles(tile, min(tiles, at_once), shared_each(facts, resident))
            packets //= 2


class HeldTiles(NamedTuple):
    """How push_mix's tiles are held: a thread has ``vec`` columns, ``step`` apart, of a ``cut``.

    threads: the most of a block.
    """

    vec: int
    step: int
    threads: int
    cut: ColumnTiles


def held_tiles(
    runs: int, d: int, alignment: int, itemsize: int, facts: Facts
) -> Iterator[HeldTiles]:
    """Tiles of (R, n, d), best first, and the columns of a thread.

    Where rows begin at packets of 16 bytes these are neighbours, which travel together. Otherwise
    they are a warp apart, so that neighbours are read by neighbours; narrow tiles have one each.
    Where no two blocks fit with the widest tiles, three with half of them are best: on an H200, n =
    100, 11 entries a row in float64 at .82 of a copy's speed (two blocks .77, one .79), 16 in
    float32 at .67 (.61 and .64).

    Args:
        alignment: as for ``packet_of``.
    """
    vec = 16 // itemsize
    widest = _PACKETS * vec
    if packet_of(alignment, d, itemsize) == 16:
        for cut in column_tiles(runs, d, vec, itemsize, facts, (2,)):
            if cut.tile == widest:
                yield HeldTiles(vec, 1, 512, cut)
        for cut in column_tiles(runs, d, vec, itemsize, facts, (3,)):
            if 2 * cut.tile == widest:
                yield HeldTiles(vec, 1, {4: 320, 8: 256}[itemsize], cut)
        for cut in column_tiles(runs, d, vec, itemsize, facts):
            yield HeldTiles(vec, 1, 512, cut)
        return
    wide = column_tiles(runs, d, vec, itemsize, facts)
    yield from (HeldTiles(vec, _PACKETS, 512, cut) for cut in wide if cut.tile == widest)
    yield from (HeldTiles(1, 1, 512, cut) for cut in column_tiles(runs, d, 1, itemsize, facts))


def shared_each(facts: Facts, resident: int) -> int:
    """Bytes of shared memory for a block, if ``resident`` of them are to share a multiprocessor."""
    return min(facts.shared_of_all // resident - RESERVED, facts.shared)


def even_threads(rows: int, each: int, most: int = 512) -> int:
    """Threads of a block, of at most ``most``, so that few of them have a row less than others.

    Args:
        each: threads of a row, a power of 2 up to ``most``.
    """
    turns = -(-rows * each // most)
    return up(-(-rows // turns) * each, max(each, 32))


def packet_of(alignment: int, d: int, itemsize: int) -> int:
    """Bytes that travel together: 16, 8 or 4, as rows of d numbers from there on allow.

    Args:
        alignment: in bytes, or an address; the bitwise or of several addresses is one of all.
    """
    packet = 16
    while packet > itemsize and (alignment % packet or d * itemsize % packet):
        packet //= 2
    return packet


def power_above(number: int) -> int:
    """The least power of 2 that is at least ``number``."""
    return 1 << (number - 1).bit_length()


def up(size: int, unit: int = _LINE) -> int:
    """``size`` rounded up to whole units."""
    return -(-size // unit) * unit
