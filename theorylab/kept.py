"""What was computed is kept, and the oldest goes first."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


def make_room(store: dict[Any, Any], most: int) -> None:
    """Let the oldest of ``store`` go, so that one more is no more than ``most``."""
    while len(store) >= most:
        del store[next(iter(store))]


def kept(store: dict[Key, Value], key: Key, make: Callable[[], Value], most: int) -> Value:
    """``store[key]``, made where there is none; ``most`` are kept."""
    if key not in store:
        make_room(store, most)
        store[key] = make()
    return store[key]
