"""f_i(x) = a sum_j huber_b(x_j - c_ij): the gradient is linear, clipped to [-ab, ab].

The Huber loss. It attains the worst case of many first-order bounds, and B = a b sqrt(d) is
attained, not approached.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from theorylab.problems import _apart
from theorylab.problems._options import Array, Start, number
from theorylab.problems._separable import Separable


def _starts(n: int, personal: bool) -> Iterator[Start]:
    if not personal:
        yield "far", {"center": 10.0}
        yield "centres apart", {"centers": _apart.columns(_apart.turned(n, 3.0))}


class ClippedLinear(Separable, name="clipped-linear"):
    """``Separable`` with psi(y) = clip(y, -b, b) and phi(y) = y^2/2, or b|y| - b^2/2 outside.

    L = a; B = a b sqrt(d); sigma_g from |clip(x - a) - clip(x - b)| <= 2 clip(|a - b| / 2).

    Args:
        clip: b > 0; the others as for ``Separable``.
    """

    moves = replace(Separable.moves, anywhere={"dim": 1}, starts=_starts)
    _limit_is = "attained where every |x_j - c_ij| >= b"

    def __init__(
        self,
        clients: int,
        *,
        clip: float = 1.0,
        dim: int | None = None,
        scale: float = 1.0,
        center: float | None = None,
        spread: float | None = None,
        sigma: float = 0.0,
        seed: int = 0,
        centers: Any = None,
    ) -> None:
        self._slope_limit = self._clip = number(self.name, "clip", clip, above=0)
        super().__init__(
            clients,
            dim=dim,
            scale=scale,
            center=center,
            spread=spread,
            sigma=sigma,
            seed=seed,
            centers=centers,
        )

    @staticmethod
    def client_loss(x: Any, c: Any, a: Any, b: Any) -> Any:
        """f_i for one model x (d,), its center c (d,), the scale a and the clip b."""
        inner = np.clip(x - c, -b, b)
        return a * (inner * (x - c - inner / 2)).sum()

    @staticmethod
    def client_gradient(x: Any, c: Any, a: Any, b: Any) -> Any:
        """grad f_i, likewise."""
        return a * np.clip(x - c, -b, b)

    def _potential(self, y: Array) -> Array:
        inner = self._slope(y.copy())
        return np.asarray(inner * (y - 0.5 * inner))  # both branches in one formula

    def _slope(self, y: Array) -> Array:
        np.maximum(y, -self._slope_limit, out=y)  # np.clip costs three times as much on 8 numbers
        return np.minimum(y, self._slope_limit, out=y)

    def describe(self) -> dict[str, Any]:
        return {**super().describe(), "clip": self._slope_limit}
