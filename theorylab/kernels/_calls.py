"""Calls on a GPU that come again: launched as before, with other addresses.

Checking arrays, choosing a cut and packing words cost Python more than a small kernel takes. All of
that follows from what ``Library.seen`` tells of the arrays, so that a call whose arrays are seen as
those of an earlier one passes the same checks and makes the same launches. What is new in each
call, and looked at in each: addresses, overlap, the memory of results, and the stream.
"""

from __future__ import annotations

import struct
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from theorylab.kernels._cuts import PLANS
from theorylab.kernels._device_libraries import ALIGNED, Array, library_of
from theorylab.kernels._paths import Path, chosen_path
from theorylab.kernels._tape import Launch, Player, recording

_RECENT = 16  # kept calls of one kernel and its numbers: shapes, dtypes, alignments


def failed(where: str, error: Exception) -> RuntimeError:
    """What is raised where a launch fails, in one line."""
    return RuntimeError(f"{where}: the launch failed: {error}")


@dataclass(slots=True)
class Launches:
    """What a call puts on the stream, its arrays by number: given, results, work space.

    where: the kernel's name, for messages. device: of the arrays. play: put together when the call
    comes again, which most of a matrix that changes each time do not.
    """

    where: str
    path: Path
    device: int
    columns: int
    listed: list[Launch]
    play: Player | None = None

    def packed(self, addresses: Sequence[int]) -> bytes:
        return struct.pack(f"<{self.columns}Q", *addresses)

    def run(self, words: bytes, stream: int) -> None:
        """words: the arrays' addresses, packed."""
        try:
            if self.play is None:
                self.play = self.path.player([self.listed], self.device)
            self.play(0, words, self.columns, stream)
        except (RuntimeError, ValueError) as error:
            raise failed(self.where, error) from error


@dataclass(frozen=True, slots=True)
class Kept:
    """A call as it may come again.

    Attributes:
        seen: of the given arrays, and of the results where they were given, too.
        inputs: how many of them are none of results. sizes: bytes of each of them.
        like: for each fresh result, the number of the given array whose shape it has.
        work: numbers of each work space, of ``dtype``.
        words: of the last addresses that were looked at and found right.
    """

    launches: Launches
    seen: list[tuple[Any, ...]]
    inputs: int
    sizes: tuple[int, ...]
    like: tuple[int, ...]
    work: tuple[int, ...]
    dtype: np.dtype[Any]
    words: dict[tuple[int, ...], bytes] = field(default_factory=dict)

    def looked_at(self, addresses: tuple[int, ...]) -> bytes | None:
        """The words of a call with arrays there; None where results overlap, or fresh memory is not
        aligned as libraries give it, for which the cut was made.
        """
        given = len(self.sizes)
        if any(address % ALIGNED for address in addresses[given:]):
            return None
        if overlapping(addresses[:given], self.sizes, self.inputs) is not None:
            return None
        if len(self.words) >= _RECENT:
            self.words.clear()
        words = self.words[addresses] = self.launches.packed(addresses)
        return words


class Calls:
    """The calls of one kernel, or of one ``Mixing``, that may come again."""

    __slots__ = ("_kept",)

    def __init__(self) -> None:
        self._kept: dict[Hashable, tuple[Kept, ...]] = {}

    def keep(self, what: Hashable, kept: Kept) -> None:
        """what: the arguments that are no arrays."""
        if len(self._kept) >= PLANS:
            self._kept.clear()
        self._kept[what] = (kept, *self._kept.get(what, ())[: _RECENT - 1])

    def again(
        self, what: Hashable, given: tuple[Array, ...], out: tuple[Array, ...] | None
    ) -> Sequence[Array] | None:
        """The results, where such a call was kept and can be made as it was; else None.

        None says nothing of what is wrong: the call is to be made as if it were the first.

        Raises:
            RuntimeError: the launch failed.
        """
        recent = self._kept.get(what)
        if recent is None or recording() is not None or (out is not None and not out):
            return None
        library = library_of(given[0])
        looked = None if library is None else library.seen(given if out is None else given + out)
        if library is None or looked is None:
            return None
        seen, addresses = looked
        path = chosen_path()
        for kept in recent:
            if kept.seen == seen and kept.launches.path is path:
                break
        else:
            return None
        launches = kept.launches
        try:
            fresh = library.like([given[k] for k in kept.like], launches.device) if not out else []
            # Work space stays until the kernels are on the stream, whose order is kept.
            work = [library.empty((n,), kept.dtype, launches.device) for n in kept.work]
        except library.full:
            return None
        addresses += [library.address(array) for array in (*fresh, *work)]
        places = tuple(addresses)
        words = kept.words.get(places) or kept.looked_at(places)
        if words is None:
            return None
        launches.run(words, library.stream(launches.device))
        return out or fresh


def overlapping(begins: Sequence[int], sizes: Sequence[int], inputs: int) -> tuple[int, int] | None:
    """Two arrays by number with bytes in common, of which the second is an output; or None.

    Args:
        begins, sizes: in bytes. inputs: how many of the arrays are none; these come first.
    """
    end = 0
    for begin, size in sorted(zip(begins, sizes, strict=True)):
        if begin < end:
            break
        end = begin + size
    else:  # none overlaps its neighbour, and so no other
        return None
    for k, begin in enumerate(begins):
        for other in range(max(k + 1, inputs), len(begins)):
            # An empty array has no byte.
            if max(begin, begins[other]) < min(begin + sizes[k], begins[other] + sizes[other]):
                return k, other
    return None
