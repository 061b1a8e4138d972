"""Numbers of n clients in which a search begins: apart, one away, once around."""

from __future__ import annotations

import math
from collections.abc import Sequence


def turned(n: int, size: float = 1.0) -> list[float]:
    """size, -size, size, ... around 0 for an even n."""
    return [size if i % 2 == 0 else -size for i in range(n)]


def away(n: int, size: float = 1.0) -> list[float]:
    """The first client alone."""
    return [size] + [0.0] * (n - 1)


def wave(n: int) -> list[float]:
    """Once around the clients: what a ring mixes slowest."""
    return [math.cos(2 * math.pi * i / n) for i in range(n)]


def outvoted(n: int) -> list[float]:
    """One client against all others, whose mean is near 0."""
    return [1.0] + [-0.8 / (n - 1)] * (n - 1) if n > 1 else [1.0]


def columns(*parts: Sequence[float]) -> list[list[float]]:
    """A row of coordinates for each client."""
    return [list(row) for row in zip(*parts, strict=True)]
