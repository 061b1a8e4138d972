"""Interval arithmetic of arrays: ends that enclose every value of a function over a box.

Each operation rounds outward: by one float for what IEEE rounds, by ``_LIBM`` floats for what NumPy
computes by approximation (its own bound is 4). Ends may be infinite, so that all of R^d is a box.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.formulas.term import Shape
from theorylab.formulas.values import Arrays

Floats = NDArray[np.float64]
_LIBM = 8
_HUGE = 2.0**400  # factors and products from here on are rounded in any case


def _down(a: Any, floats: int = 1) -> Floats:
    return _off(a, -np.inf, floats)


def _up(a: Any, floats: int = 1) -> Floats:
    return _off(a, np.inf, floats)


def _off(a: Any, to: float, floats: int) -> Floats:
    """Some floats farther; an infinite end stays."""
    made = np.asarray(a, np.float64)
    for _ in range(floats):
        made = np.where(np.isfinite(made), np.nextafter(made, to), made)
    return made


class Box:
    """Arrays of the least and the greatest values, of one shape."""

    __array_ufunc__ = None
    __slots__ = ("high", "low")

    def __init__(self, low: Any, high: Any) -> None:
        low, high = np.broadcast_arrays(np.asarray(low, float), np.asarray(high, float))
        self.low = np.where(np.isnan(low), -np.inf, low)
        self.high = np.where(np.isnan(high), np.inf, high)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.low.shape

    @property
    def dtype(self) -> Any:
        return self.low.dtype

    @property
    def size(self) -> Floats:
        """The largest absolute value."""
        return np.maximum(np.abs(self.low), np.abs(self.high))

    def __add__(self, other: Any) -> Box:
        other = box(other)
        return Box(_sum(self.low, other.low, -np.inf), _sum(self.high, other.high, np.inf))

    __radd__ = __add__

    def __neg__(self) -> Box:
        return Box(-self.high, -self.low)

    def __sub__(self, other: Any) -> Box:
        return self + -box(other)

    def __rsub__(self, other: Any) -> Box:
        return box(other) + -self

    def __mul__(self, other: Any) -> Box:
        other = box(other)
        pairs = [(a, b) for a in (self.low, self.high) for b in (other.low, other.high)]
        return Box(
            np.minimum.reduce([_times(a, b, -np.inf) for a, b in pairs]),
            np.maximum.reduce([_times(a, b, np.inf) for a, b in pairs]),
        )

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Box:
        other = box(other)
        open_ = (other.low <= 0) & (other.high >= 0)
        with np.errstate(all="ignore"):
            low = np.where(open_, -np.inf, _inverse(other.high, -np.inf))
            high = np.where(open_, np.inf, _inverse(other.low, np.inf))
        half = (other.low >= 0) & (other.high > 0)  # from 0 up: nothing below 0
        with np.errstate(all="ignore"):
            low = np.where(half, np.maximum(0, _inverse(other.high, -np.inf)), low)
        return self * Box(low, high)

    def __rtruediv__(self, other: Any) -> Box:
        return box(other) / self

    def __pow__(self, k: Any) -> Box:
        """An integer power; of what is above 0 any power."""
        k = float(k)
        if k == int(k) and k < 0:
            inverse: Box = box(1.0) / self ** (-k)
            return inverse
        with np.errstate(all="ignore"):
            low, high = self.low**k, self.high**k
        if k == int(k) and int(k) % 2 == 0:
            low, high = np.minimum(low, high), np.maximum(low, high)
            low = np.where((self.low <= 0) & (self.high >= 0), 0.0, low)
        elif k != int(k):
            low = np.where(self.low < 0, np.nan, low)
        floor = 0.0 if k == int(k) and int(k) % 2 == 0 else -np.inf
        return Box(np.maximum(floor, _down(low, _LIBM)), _up(high, _LIBM))

    def __abs__(self) -> Box:
        through = (self.low <= 0) & (self.high >= 0)
        low = np.where(through, 0.0, np.minimum(np.abs(self.low), np.abs(self.high)))
        return Box(low, self.size)

    def __matmul__(self, other: Box) -> Box:
        left, right = self[..., :, :, None], other[..., None, :, :]
        return (left * right).sum(-2)

    def __getitem__(self, key: Any) -> Box:
        return Box(self.low[key], self.high[key])

    def swapaxes(self, i: int, j: int) -> Box:
        return Box(self.low.swapaxes(i, j), self.high.swapaxes(i, j))

    def sum(self, axis: Any) -> Box:
        """Term by term, each sum rounded outward."""
        axes = axis if isinstance(axis, tuple) else (axis,)
        made = self
        for k in sorted(axes, reverse=True):
            parts = [
                Box(np.take(made.low, j, k), np.take(made.high, j, k)) for j in range(made.shape[k])
            ]
            none = np.zeros(made.shape[:k] + made.shape[k + 1 :])
            total = sum(parts[1:], parts[0] if parts else Box(none, none))
            made = Box(np.expand_dims(total.low, k), np.expand_dims(total.high, k))
        return Box(made.low.squeeze(axes), made.high.squeeze(axes))


def _sum(a: Any, b: Any, to: float) -> Floats:
    """a + b rounded that way, and not at all where it is exact: Knuth's error of a sum is 0."""
    with np.errstate(all="ignore"):
        s = a + b
        back = s - a
        error = (a - (s - back)) + (b - back)
    return np.where(error == 0, s, _off(s, to, 1))


def _times(a: Any, b: Any, to: float) -> Floats:
    """a b rounded that way, and not at all where Dekker's error of a product is 0."""
    with np.errstate(all="ignore"):
        p = a * b
        (a1, a2), (b1, b2) = _halves(a), _halves(b)
        error = ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2
        plain = (np.abs(a) < _HUGE) & (np.abs(b) < _HUGE) & (np.abs(p) > 1 / _HUGE)
    p = np.where((a == 0) | (b == 0), 0.0, p)  # 0 times any number, an infinite end's too
    return np.where((p == 0) & ((a == 0) | (b == 0)) | plain & (error == 0), p, _off(p, to, 1))


def _inverse(a: Any, to: float) -> Floats:
    """1 / a rounded that way; of a power of 2 it is exact."""
    return np.where(np.abs(np.frexp(a)[0]) == 0.5, 1 / a, _off(1 / a, to, 1))


def _halves(a: Any) -> tuple[Any, Any]:
    high = a * 134217729.0  # 2^27 + 1
    high = high - (high - a)
    return high, a - high


def box(value: Any) -> Box:
    return value if isinstance(value, Box) else Box(value, value)


def _rising(name: str, least: float = -np.inf, most: float = np.inf) -> Any:
    """A function that never falls, with values between ``least`` and ``most``."""

    def method(self: Boxes, a: Any) -> Box:
        a = box(a)
        with np.errstate(all="ignore"):
            low, high = getattr(np, name)(a.low), getattr(np, name)(a.high)
        return Box(np.maximum(least, _down(low, _LIBM)), np.minimum(most, _up(high, _LIBM)))

    return method


class Boxes(Arrays):
    """The functions of ``computed``, of boxes; a comparison may say 0, 1 or both."""

    exp, log1p, sqrt = _rising("exp", 0.0), _rising("log1p"), _rising("sqrt", 0.0)
    log, sinh, tanh = _rising("log"), _rising("sinh"), _rising("tanh", -1.0, 1.0)

    def zeros(self, shape: Shape) -> Box:
        return box(np.zeros(shape))

    def number(self, value: Fraction) -> Box:
        near = float(value)
        exact = Fraction(near) == value
        return box(near) if exact else Box(_down(near), _up(near))

    def add(self, a: Any, b: Any) -> Box:
        made: Box = box(a) + b
        return made

    def subtract(self, a: Any, b: Any) -> Box:
        made: Box = box(a) - b
        return made

    def multiply(self, a: Any, b: Any) -> Box:
        made: Box = box(a) * b
        return made

    def divide(self, a: Any, b: Any) -> Box:
        made: Box = box(a) / b
        return made

    def power(self, a: Any, k: Any) -> Box:
        return box(a) ** float(box(k).low) if box(k).low == box(k).high else Box(-np.inf, np.inf)

    def negative(self, a: Any) -> Box:
        return -box(a)

    def absolute(self, a: Any) -> Box:
        return abs(box(a))

    def sign(self, a: Any) -> Box:
        return Box(np.sign(box(a).low), np.sign(box(a).high))

    def maximum(self, a: Any, b: Any) -> Box:
        a, b = box(a), box(b)
        return Box(np.maximum(a.low, b.low), np.maximum(a.high, b.high))

    def minimum(self, a: Any, b: Any) -> Box:
        return -self.maximum(-box(a), -box(b))

    def cosh(self, a: Any) -> Box:
        even = abs(box(a))
        with np.errstate(all="ignore"):
            low, high = np.cosh(even.low), np.cosh(even.high)
        return Box(np.maximum(1.0, _down(low, _LIBM)), _up(high, _LIBM))

    def bell(self, y: Any) -> Box:
        return 1 / self.cosh(y) ** 2

    def cos(self, a: Any) -> Box:
        return self._wave(box(a), np.cos, 0.0)

    def sin(self, a: Any) -> Box:
        return self._wave(box(a), np.sin, np.pi / 2)

    def _wave(self, a: Box, of: Any, top: float) -> Box:
        """Between the values at the ends, but where a top or a bottom may lie between these."""
        with np.errstate(all="ignore"):
            ends = of(a.low), of(a.high)
            far = 1e-9 * (1 + a.size)  # tops are looked for a little outside, for they round
            low = np.where(_meets(a, top + np.pi, far), -1.0, _down(np.fmin(*ends), _LIBM))
            high = np.where(_meets(a, top, far), 1.0, _up(np.fmax(*ends), _LIBM))
        return Box(np.fmax(-1.0, low), np.fmin(1.0, high))

    def logaddexp(self, a: Any, b: Any) -> Box:
        a, b = box(a), box(b)
        low, high = np.logaddexp(a.low, b.low), np.logaddexp(a.high, b.high)
        return Box(_down(low, _LIBM), _up(high, _LIBM))

    def less(self, a: Any, b: Any) -> Box:
        a, b = box(a), box(b)
        return Box(a.high < b.low, a.low < b.high)

    def less_equal(self, a: Any, b: Any) -> Box:
        a, b = box(a), box(b)
        return Box(a.high <= b.low, a.low <= b.high)

    def where(self, c: Any, a: Any, b: Any) -> Box:
        a, b = box(a), box(b)
        true, false = c.low == 1, c.high == 0
        return Box(
            np.where(true, a.low, np.where(false, b.low, np.minimum(a.low, b.low))),
            np.where(true, a.high, np.where(false, b.high, np.maximum(a.high, b.high))),
        )

    def concatenate(self, parts: Any, axis: int) -> Box:
        parts = [box(part) for part in parts]
        return Box(*(np.concatenate([getattr(p, end) for p in parts], axis)
                     for end in ("low", "high")))  # fmt: skip


def _meets(a: Box, point: float, far: Any) -> Any:
    """Whether point + 2 pi k may lie within, for some whole k."""
    turn = 2 * np.pi
    k = np.floor((a.high + far - point) / turn)
    return ~(point + turn * k < a.low - far)  # of infinite ends: True
