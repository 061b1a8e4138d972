"""What was measured is kept: the versions of a statement, and statements of one run, share it."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


def kept(store: dict[Key, Value], key: Key, make: Callable[[], Value], most: int) -> Value:
    """``store[key]``, made where there is none; ``most`` are kept, and the oldest go first."""
    if key not in store:
        while len(store) >= most:
            del store[next(iter(store))]
        store[key] = make()
    return store[key]
