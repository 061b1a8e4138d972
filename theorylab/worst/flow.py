"""Multipliers of pairs of one client's points that leave no values of functions over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Flow:
    """Of nodes 0, ..., ``last``, of which 0 is x*; its value counts for nothing.

    Multipliers of (a, b) with a >= 1 are ``free``. That of (0, b) is what then leaves nothing of
    the value of b, or 1 of that of the node ``measured``.
    """

    def __init__(self, last: int, measured: int | None = None) -> None:
        self.free = [(a, b) for a in range(1, last + 1) for b in range(last + 1) if b != a]
        self.pairs = [*self.free, *((0, b) for b in range(1, last + 1))]
        self.derived = np.zeros((last, len(self.free)))
        for k, (a, b) in enumerate(self.free):
            self.derived[a - 1, k] = 1
            if b:
                self.derived[b - 1, k] = -1
        self.constant = np.array([float(b == measured) for b in range(1, last + 1)])

    def forms(self, each: Mapping[Any, Floats]) -> list[Floats]:
        """The form of every free multiplier, with those that it moves; each: of every pair."""
        return [each[a, b] + each[0, a] - (each[0, b] if b else 0) for a, b in self.free]

    def told(self, shares: Sequence[int], client: int, unit: int) -> list[Any]:
        """All multipliers as a certificate has them, from the free ones in parts of ``unit``."""
        level = [int(v) * unit for v in self.constant]
        for v, (a, b) in zip(shares, self.free, strict=True):
            level[a - 1] += v
            if b:
                level[b - 1] -= v
        each = zip([*shares, *level], self.pairs, strict=True)
        return [[v, "pair", client, a, b] for v, (a, b) in each if v]
