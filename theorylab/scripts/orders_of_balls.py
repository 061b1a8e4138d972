"""Sorts, largest places, medians and whole numbers of balls, as NumPy has them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from flint import arb, fmpq

from theorylab.scripts.arrays_of_balls import Balls, ball, kept
from theorylab.scripts.balls import Ball, UndecidedError, UnenclosedError, Work


def ordered(array: Any) -> Balls:
    """np.sort of one row: the k-th number is between the k-th lower and the k-th upper end."""
    row = ball(array).raw
    if all(type(x) is fmpq for x in row):
        return Balls(np.array([*sorted(row), None], object)[:-1])
    balls = [arb(x) for x in row]
    if not all(x.is_finite() for x in balls):
        raise UnenclosedError("a sort of what may be infinite")
    least = sorted(x.lower() for x in balls)
    most = sorted(x.upper() for x in balls)
    return Balls(np.array([*map(arb.union, least, most), None], object)[:-1])


def _by_rows(of: Callable[[Any], Any], x: Any, axis: Any) -> Any:
    """``of`` every row along an axis; with None of all entries."""
    x = ball(x)
    if axis is None or x.ndim == 1:
        return of(x.ravel())
    apart = np.moveaxis(x.raw, axis, -1)
    rows = [_plain(of(Balls(row))) for row in apart.reshape(-1, apart.shape[-1])]
    found = np.array(rows).reshape(*apart.shape[:-1], *np.shape(rows[0]))
    return kept(np.moveaxis(found, -1, axis) if np.ndim(rows[0]) else found)


def _plain(found: Any) -> Any:
    return found.raw if type(found) is Balls else found.x if type(found) is Ball else found


def sort(x: Any, axis: Any = -1) -> Any:
    return _by_rows(ordered, x, axis)


def argsort(x: Any, axis: Any = -1, kind: Any = None) -> Any:
    return _by_rows(
        lambda row: np.array(sorted(range(len(row)), key=row.tolist().__getitem__)), x, axis
    )


def argmax(x: Any, axis: Any = None) -> Any:
    def first(row: Any) -> int:
        numbers = row.tolist()
        return max(range(len(numbers)), key=numbers.__getitem__)

    return _by_rows(first, x, axis)


def median(x: Any, axis: Any = None) -> Any:
    def middle(row: Any) -> Any:
        last = len(row) - 1
        return (ordered(row)[last // 2] + ordered(row)[-(-last // 2)]) / 2

    return _by_rows(middle, x, axis)


def floor(x: Any) -> Any:
    """The whole number below; UndecidedError where a ball lies around a whole number."""
    Work.asked = True
    if type(x) is fmpq:
        return fmpq(x.p // x.q)
    least, most = x.lower().floor(), x.upper().floor()
    if not x.is_finite() or least != most:
        raise UndecidedError("a rounding to a whole number that the balls leave open")
    return least.unique_fmpz() * fmpq(1)


def rint(x: Any) -> Any:
    """The nearest whole number, of two the even one."""
    below = floor(x)
    apart = Ball(x) - Ball(below)
    if apart == _HALF:
        return below + below.p % 2
    return below + int(apart > _HALF)


_HALF = Ball(fmpq(1, 2))
