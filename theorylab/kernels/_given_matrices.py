"""Matrices that are given to a GPU as they are, call after call: what was made of the last ones.

A matrix is found by which object it is and how it came, and taken only if every byte of it is as it
was: one that was written into since counts as another. What is kept of it goes when the matrix
does.
"""

from __future__ import annotations

import weakref
from collections import OrderedDict
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Parts = Sequence[tuple[NDArray[Any], NDArray[Any], NDArray[Any]]]
Content = list[tuple[np.dtype[Any], bytes]]
MOST_KEPT = 16
MOST_BYTES = 64 << 20


def content_of(parts: Parts) -> Content | None:
    """Copies of all arrays; None where one is not plain, which is for others to refuse."""
    arrays = [array for part in parts for array in part]
    if any(array.ndim != 1 or not array.flags.c_contiguous for array in arrays):
        return None
    return [(array.dtype, array.tobytes()) for array in arrays]


def parts_of(content: Content) -> Parts:
    """The copies as arrays, read-only."""
    arrays = [np.frombuffer(data, dtype) for dtype, data in content]
    return list(zip(arrays[::3], arrays[1::3], arrays[2::3], strict=True))


class GivenMatrices:
    """What was made of the last matrices, as long as these live.

    how: in which way they came. The same matrices that come in another way are others.
    """

    def __init__(self) -> None:
        self._kept: OrderedDict[Hashable, tuple[Any, Content, Any]] = OrderedDict()
        self._bytes = 0

    def get(self, matrices: Sequence[Any], content: Content, how: Hashable = None) -> Any | None:
        """What was made of just these matrices when they had this content; or None."""
        key = how, *map(id, matrices)
        kept = self._kept.get(key)
        return kept[2] if kept is not None and kept[1] == content else None

    def keep(
        self, matrices: Sequence[Any], content: Content, made: Any, how: Hashable = None
    ) -> None:
        """For ``get``. Earlier ones go where ``MOST_KEPT`` or ``MOST_BYTES`` are reached."""
        key, size = (how, *map(id, matrices)), _size(content)
        if size > MOST_BYTES:
            return
        self._drop(key)
        while len(self._kept) >= MOST_KEPT or (self._kept and self._bytes + size > MOST_BYTES):
            self._drop(next(iter(self._kept)))

        def drop(_: Any) -> None:
            self._drop(key)

        lives = [weakref.ref(matrix, drop) for matrix in matrices]
        self._kept[key] = lives, content, made
        self._bytes += size

    def _drop(self, key: Hashable) -> None:
        kept = self._kept.pop(key, None)
        if kept is not None:
            self._bytes -= _size(kept[1])


def _size(content: Content) -> int:
    return sum(len(data) for _, data in content)
