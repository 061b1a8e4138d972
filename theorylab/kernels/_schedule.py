"""A GPU schedule's name, its cut into blocks, and its arguments as words."""

from __future__ import annotations

import operator
import struct
from collections.abc import Sequence
from dataclasses import dataclass

RESERVED = 1024  # bytes of shared memory that the driver takes for each block


@dataclass(frozen=True)
class Facts:
    """What a plan needs to know of a device. Sizes in bytes.

    shared: the most a block may have. shared_of_all: a multiprocessor's, for all its blocks. free:
    of memory, when the device was first asked; what is free now: ``Library.spare``. threads_of_all:
    that a multiprocessor can hold.
    """

    name: str
    capability: int
    multiprocessors: int
    l2: int
    shared: int
    shared_of_all: int
    free: int
    total: int
    threads_of_all: int = 2048


@dataclass(frozen=True)
class Grid:
    """blocks of threads, each block with ``shared`` bytes of shared memory."""

    blocks: int
    threads: int
    shared: int = 0


@dataclass(frozen=True)
class Schedule:
    """A C++ template and what fills it.

    types: as csrc/cuda/schedules.hpp lists them. known: sizes that only run-time compilation can
    build in, after the types; 0 stands for a size that stays an argument.
    """

    name: str
    types: tuple[str, ...]
    known: tuple[int, ...] = ()

    def __str__(self) -> str:
        return f"{self.name}<{', '.join(self.types)}>"

    @property
    def kernel(self) -> str:
        """C++ name of the ``__global__`` function, with the known sizes."""
        filled = (*self.types, *map(str, self.known))
        return f"tl::{self.name}_gpu<{', '.join(filled)}>"


def carve_out(grid: Grid, facts: Facts) -> int:
    """Per cent of a multiprocessor's memory that should be shared: what its blocks use together.

    Unasked, the driver may give one block's worth, and the others wait; what is not asked for
    caches what the kernel reads. The driver rounds up to what the chip has.
    """
    if not grid.shared:
        return 0
    each = grid.shared + RESERVED
    resident = min(facts.shared_of_all // each, facts.threads_of_all // grid.threads)
    resident = min(resident, -(-grid.blocks // facts.multiprocessors))
    return min(100, -(-100 * max(resident, 1) * each // facts.shared_of_all))


def packed(words: Sequence[int | float]) -> bytes:
    """The words of a call one after another, 8 bytes each."""
    return struct.pack(f"<{len(words)}Q", *map(word, words))


def word(value: int | float) -> int:
    """The 8 bytes of an argument as an integer. TypeError on what is neither."""
    if isinstance(value, float):
        bits: int = struct.unpack("<Q", struct.pack("<d", value))[0]
        return bits
    return operator.index(value) % 2**64  # no single-precision number: it would be cut
