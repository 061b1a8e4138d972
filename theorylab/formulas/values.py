"""The functions that terms are computed by: NumPy's, torch's, CuPy's or those of other numbers.

They go by NumPy's names. Inputs have axes in front of their shape, runs and clients, as many as
they like; these are spread over each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from theorylab.formulas.term import Shape

_FAR = 355.0  # cosh of it squared still fits into a float64


class Arrays:
    """NumPy's functions of arrays; a subclass says where another library differs.

    like: an array of the library, with the precision and the place of what is made anew.
    """

    plain: Any = np

    def __init__(self, like: Any = None) -> None:
        self.like = like

    def __getattr__(self, name: str) -> Any:
        return getattr(self.plain, name)

    def number(self, value: Fraction) -> Any:
        return float(value)

    def bell(self, y: Any) -> Any:
        """1 / cosh(y)^2, and 0 where that is less than a float64 can hold."""
        return 1 / self.cosh(self.clip(y, -_FAR, _FAR)) ** 2

    def zeros(self, shape: Shape) -> Any:
        return np.zeros_like(self.like, shape=shape)

    def sum(self, a: Any, axes: Shape) -> Any:
        return a.sum(axes)

    def solid(self, a: Any) -> Any:
        """The same numbers, packed where that makes what follows faster."""
        return a

    def joined(self, parts: Sequence[Any]) -> Any:
        """Side by side along the last axis, spread over the axes in front of it."""
        front = parts[0].shape[:-1]
        if any(part.shape[:-1] != front for part in parts):
            front = np.broadcast_shapes(*(part.shape[:-1] for part in parts))
            parts = [
                part if part.shape[:-1] == front else part + self.zeros((*front, part.shape[-1]))
                for part in parts
            ]
        return self.concatenate(parts, -1)


class _NumPy(Arrays):
    """NumPy's arrays, where a short last axis is dear: each of its rows is a loop of its own."""

    def sum(self, a: Any, axes: Shape) -> Any:
        if axes == (-1,) and a.shape[-1] == 2:  # one addition has the bits of any order
            return a[..., 0] + a[..., 1]
        return np.add.reduce(a, axes)

    def solid(self, a: Any) -> Any:
        return np.ascontiguousarray(a)


class Tensors(Arrays):
    """torch's functions, on the device of the points."""

    def __init__(self, like: Any) -> None:
        import torch

        super().__init__(like)
        self.plain = torch

    def __getattr__(self, name: str) -> Any:
        """torch's function, which takes no numbers of Python's in the place of a tensor."""
        like, whole = self.like, getattr(self.plain, name)
        return lambda *v: whole(*(like.new_tensor(a) if type(a) is float else a for a in v))

    def zeros(self, shape: Shape) -> Any:
        return self.like.new_zeros(shape)

    def power(self, a: Any, b: Any) -> Any:
        return a**b

    def concatenate(self, parts: Any, axis: int) -> Any:
        return self.plain.cat(parts, axis)


def namespace_of(x: Any) -> Arrays:
    """The functions for points such as ``x`` (R, n, d): NumPy's serve CuPy's arrays, too."""
    if isinstance(x, np.ndarray):
        return _NumPy(x[:0])
    return Tensors(x[:0].detach()) if hasattr(x, "detach") else Arrays(x[:0])
