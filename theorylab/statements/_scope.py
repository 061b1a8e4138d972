"""What of an instance a claim speaks of: which parts may move, which are fixed, and how far."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

Extent = str | tuple[float, float] | Sequence[str]
WORDS = ("free", "fixed")
_NEED = "'free', 'fixed', a pair (low, high), or a list of names"


def checked(scope: Mapping[str, Extent]) -> None:
    """Raise TypeError or ValueError, one line, on what is no scope."""
    if not isinstance(scope, Mapping) or not all(isinstance(key, str) for key in scope):
        raise TypeError(f"scope: {scope!r} came; need a mapping from the names of parts")
    for key, extent in scope.items():
        if isinstance(extent, str):
            if extent not in WORDS:
                raise ValueError(f"scope: {key}: {extent!r} came; need {_NEED}")
        elif not _is_range(extent) and not _is_names(extent):
            raise ValueError(f"scope: {key}: {extent!r} came; need {_NEED}")


def _is_range(extent: Any) -> bool:
    """Whether it is a pair of numbers, the smaller one first; an end may be infinite."""
    if not isinstance(extent, tuple | list) or len(extent) != 2:
        return False
    numbers = all(isinstance(x, int | float) and not isinstance(x, bool) for x in extent)
    whole = numbers and all(abs(x) < 10**300 for x in extent if isinstance(x, int))  # a float
    return whole and not any(math.isnan(x) for x in extent) and extent[0] <= extent[1]


def _is_names(extent: Any) -> bool:
    listed = isinstance(extent, tuple | list) and len(extent) > 0
    return listed and all(isinstance(x, str) for x in extent)
