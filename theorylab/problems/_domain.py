"""What is added to a smooth f: a convex set that models stay in, or a term with a proximal map.

With g the term plus the indicator of the set, ``prox(x, s)`` is argmin_y g(y) + |y - x|^2 / (2 s),
and ``project(x)`` the nearest point of the set. ``residual`` bounds the length of the shortest
vector of G + dg(x*) at a point of the set near x, for all G in a box: the certificate of a minimum.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.formulas import Box
from theorylab.known import EPS, How, Known
from theorylab.problems._options import number

Floats = NDArray[Any]


class Domain:
    """All of R^d and no term.

    Attributes:
        confines: models have to stay in a set. diameter: sup |x - y| over it; None without one.
    """

    confines = True
    bend = 0.0  # strong convexity of g

    @property
    def diameter(self) -> Known | None:
        return None

    @property
    def around(self) -> Box | None:
        """A bounded box with the set in it; None where there is none."""
        return None

    def value(self, x: Floats) -> Any:
        """g (...,) at points x (..., d) of the set."""
        return np.zeros(x.shape[:-1], x.dtype)

    def steepest(self, size: float) -> float:
        """The largest slope of g along a coordinate, at points with entries of at most ``size``."""
        return 0.0

    def project(self, x: Floats) -> Floats:
        return x

    def prox(self, x: Floats, step: float) -> Floats:
        return self.project(x)

    def off(self, x: Floats) -> float:
        """How far x (..., d) is from the set at most: 0 but for rounding where it is inside."""
        return float(np.linalg.norm(x - self.project(x), axis=-1).max(initial=0.0))

    def nearest(self, x: Floats) -> float:
        """A bound of the distance from x (d,), which ``prox`` gave, to the point of the set that
        ``residual`` speaks of."""
        return 0.0

    def residual(self, x: Floats, slope: Box) -> float:
        low, high = self.slopes(x)
        ends = [np.where(np.isfinite(end), end, 0.0) for end in (low, high)]
        size = np.abs([slope.low, slope.high, *ends]).max(axis=0)
        gaps = np.maximum(np.maximum(low + slope.high, -(high + slope.low)), 0)
        return _norm(gaps + 4 * EPS * size)

    def slopes(self, x: Floats) -> tuple[Floats, Floats]:
        """(least, greatest) entries of dg(x) (d,), of a g that is a sum over coordinates."""
        return np.zeros_like(x), np.zeros_like(x)


class Interval(Domain):
    """A box, low <= x <= high, beside l1 |x|_1 + l2 |x|^2 / 2."""

    def __init__(self, d: int, low: Any = -math.inf, high: Any = math.inf,
                 l1: float = 0.0, l2: float = 0.0) -> None:  # fmt: skip
        self.low, self.high = _filled("set: low", low, d), _filled("set: high", high, d)
        if not (self.low <= self.high).all():
            raise ValueError(f"set: low is {low!r} and high {high!r}; need low <= high")
        self.l1, self.bend = l1, l2
        self.confines = bool(np.isfinite([self.low, self.high]).any())

    @property
    def diameter(self) -> Known | None:
        far = float(np.linalg.norm(self.high - self.low)) if self.confines else math.inf
        few = (len(self.low) + 4) * EPS
        return Known(far * (1 + few), How.UPPER, "|high - low|") if math.isfinite(far) else None

    @property
    def around(self) -> Box | None:
        return None if self.diameter is None else Box(self.low, self.high)

    def value(self, x: Floats) -> Any:
        return self.l1 * np.abs(x).sum(-1) + self.bend * (x * x).sum(-1) / 2

    def steepest(self, size: float) -> float:
        return self.l1 + self.bend * size

    def project(self, x: Floats) -> Floats:
        return np.clip(x, self.low, self.high).astype(x.dtype, copy=False)

    def prox(self, x: Floats, step: float) -> Floats:
        # of one coordinate the minimum over an interval is the nearest point of it to the free one
        cut = step * self.l1
        soft = x - np.clip(x, -cut, cut) if self.l1 else x
        return self.project(soft / (1 + step * self.bend) if self.bend else soft)

    def slopes(self, x: Floats) -> tuple[Floats, Floats]:
        low = np.where(x > 0, self.l1, -self.l1) + self.bend * x
        high = np.where(x < 0, -self.l1, self.l1) + self.bend * x
        return np.where(x <= self.low, -np.inf, low), np.where(x >= self.high, np.inf, high)


class Ball(Domain):
    """|x - center| <= radius."""

    def __init__(self, d: int, radius: Any, center: Any = 0.0) -> None:
        self.radius = number("set", "radius", radius, above=0)
        self.center = _filled("set: center", center, d)

    @property
    def diameter(self) -> Known:
        return Known(2 * self.radius, How.EXACT, "2 radius")

    @property
    def around(self) -> Box:
        return Box(self.center, self.center) + Box(-self.radius, self.radius)

    def project(self, x: Floats) -> Floats:
        gap = x - self.center
        far = np.linalg.norm(gap, axis=-1, keepdims=True)
        out = far > self.radius
        near = self.center + gap * (self.radius / np.where(out, far, 1))
        return np.where(out, near, x).astype(x.dtype, copy=False)

    def nearest(self, x: Floats) -> float:
        return 4 * (len(x) + 8) * EPS * (self.radius + float(np.linalg.norm(self.center)))

    def residual(self, x: Floats, slope: Box) -> float:
        gap = x - self.center
        far, room = float(np.linalg.norm(gap)), self.nearest(x)
        if far < self.radius - room / 2:
            return _norm(slope.size)
        # the way out at the nearest point of the sphere differs from this one by rounding
        out = gap / far
        push = max(0.0, -float(out @ ((slope.low + slope.high) / 2)))
        rest = slope + Box(push * out, push * out)
        return _norm(rest.size) + push * (room / self.radius + (len(x) + 8) * EPS)


class Simplex(Domain):
    """x >= 0 with the sum ``total``; the projection sorts."""

    def __init__(self, d: int, total: Any = 1.0) -> None:
        self.total = number("set", "total", total, above=0)
        self._dim = d

    @property
    def diameter(self) -> Known:
        far = math.nextafter(self.total * math.sqrt(2), math.inf) if self._dim > 1 else 0.0
        return Known(far, How.UPPER, "sqrt(2) total")

    @property
    def around(self) -> Box:
        return Box(np.zeros(self._dim), np.full(self._dim, self.total))

    def project(self, x: Floats) -> Floats:
        down = -np.sort(-x, axis=-1)
        level = (np.cumsum(down, axis=-1) - self.total) / np.arange(1, x.shape[-1] + 1)
        most = level.max(axis=-1, keepdims=True)  # the level at which the sum is right
        near: Floats = np.maximum(x - most, 0).astype(x.dtype, copy=False)
        return near

    def nearest(self, x: Floats) -> float:
        """To x times total / sum x, which has the zeros of x."""
        total = math.fsum(x)
        return float(np.linalg.norm(x)) * (abs(self.total / total - 1) + 4 * EPS)

    def residual(self, x: Floats, slope: Box) -> float:
        # the normal cone has any c where x > 0, and at most c where x = 0
        c = -float(((slope.low + slope.high) / 2)[x > 0].mean())
        rest = slope + c
        return _norm(np.where(x > 0, rest.size, np.maximum(-rest.low, 0)))


class Affine(Domain):
    """A x = b, of independent rows; the projection keeps a factorisation."""

    def __init__(self, d: int, A: Any, b: Any) -> None:
        self.A = np.atleast_2d(_numbers("set: A", A))
        self.b = np.atleast_1d(_numbers("set: b", b))
        rows = len(self.A)
        if self.A.shape != (rows, d) or self.b.shape != (rows,):
            raise ValueError(
                f"set: A has shape {self.A.shape}, b {self.b.shape}; need (m,{d}) and (m,)"
            )
        if not (np.isfinite(self.A).all() and np.isfinite(self.b).all()):
            raise ValueError("set: A or b is not finite; need finite numbers")
        left, sizes, self._rows = np.linalg.svd(self.A, full_matrices=False)
        self._least = float(sizes.min(initial=math.inf)) - 16 * (rows + d) * EPS * sizes.max()
        if rows > d or not self._least > 0:
            raise ValueError("set: rows of A depend on each other; need independent rows")
        self._there = self._rows.T @ ((left.T @ self.b) / sizes)

    def project(self, x: Floats) -> Floats:
        gap = x - self._there
        near: Floats = (x - (gap @ self._rows.T) @ self._rows).astype(x.dtype, copy=False)
        return near

    def nearest(self, x: Floats) -> float:
        rest = np.abs(self.A @ x - self.b)
        rest += (len(x) + 4) * EPS * (np.abs(self.A) @ np.abs(x) + np.abs(self.b))
        return float(_norm(rest) / self._least)

    def residual(self, x: Floats, slope: Box) -> float:
        middle = (slope.low + slope.high) / 2
        w = np.linalg.lstsq(self.A.T, -middle, rcond=None)[0]  # any w is right: A^T w is normal
        off = (len(w) + 4) * EPS * (np.abs(self.A.T) @ np.abs(w))
        normal = self.A.T @ w
        return _norm((slope + Box(normal - off, normal + off)).size)


def _norm(sizes: Floats) -> float:
    return float(np.linalg.norm(sizes)) * (1 + (len(sizes) + 4) * EPS)


def _numbers(what: str, value: Any) -> Floats:
    try:
        return np.asarray(value, float)
    except (TypeError, ValueError):
        raise TypeError(f"{what} is {value!r}; need numbers") from None


def _filled(what: str, value: Any, d: int) -> Floats:
    made = _numbers(what, value)
    if made.shape not in ((), (d,)) or np.isnan(made).any():
        raise ValueError(f"{what} is {value!r}; need a number, or {d} of them")
    return np.full(d, made) if made.shape == () else made
