"""What a GPU bench is made of: a case with its sizes, its work on a board, and trials of bits."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.bench._gpu_board import Array, Board
from theorylab.bench._gpu_time import Call

Place = Callable[[NDArray[Any]], Array]


@dataclass(frozen=True)
class Case:
    """One kernel at one size.

    dry: the sizes of a dry run. share: of the floor's speed that is aimed at. against: a peer, and
    how many times faster than it is aimed at.
    """

    name: str
    sizes: Mapping[str, int]
    dry: Mapping[str, int]
    dtype: str = "float32"
    share: float | None = None
    against: tuple[str, float] | None = None


@dataclass
class Work:
    """What a case times, each as its variants on different arrays.

    bytes, flops: the least that any implementation moves and does. floor: what of the device bounds
    it: "copy" (half read, half written), "read" or "write". lacking: peers that are not here, and
    why.
    """

    bytes: int
    flops: int
    floor: str
    ours: list[Call]
    peers: dict[str, list[Call]] = field(default_factory=dict)
    lacking: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Trial:
    """One call whose bits on the device must be the host's.

    call(place, into): the kernel on arrays that ``place`` puts where they belong; ``into`` are
    buffers for the results, or None. shapes: of the results; empty where the call takes no buffers.
    limits: for each result how far it may be from the host's; None, or none at all: same bits.
    """

    label: str
    call: Callable[[Place, tuple[Array, ...] | None], Sequence[Array]]
    shapes: tuple[tuple[int, ...], ...] = ()
    limits: tuple[NDArray[Any] | None, ...] = ()


@dataclass(frozen=True)
class Kernel:
    """A kernel's cases. needs: the module that puts it on a GPU.

    set_bytes(sizes, itemsize): memory of one set of arrays. work(board, case, sizes, sets).
    trials(rng, dtype, small): fresh random inputs.
    """

    needs: str
    cases: tuple[Case, ...]
    set_bytes: Callable[[Mapping[str, int], int], int]
    work: Callable[[Board, Case, Mapping[str, int], int], Work]
    trials: Callable[[np.random.Generator, str, bool], Iterator[Trial]]

    def missing(self) -> str | None:
        """Why this kernel cannot run on a GPU yet, or None."""
        if importlib.util.find_spec(f"theorylab.kernels.{self.needs}") is None:
            return f"theorylab.kernels.{self.needs} is not there: no schedule for a GPU yet"
        return None


def sets_of(board: Board, bytes_of_a_set: int) -> int:
    """How many sets of arrays rotate: four times the second-level cache, and at least two."""
    wanted = -(-4 * board.facts().l2 // max(bytes_of_a_set, 1))
    return int(min(16, max(2, wanted)))
