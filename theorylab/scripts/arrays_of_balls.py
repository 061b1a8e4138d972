"""Arrays of numbers that enclose: ``Balls``.

NumPy adds and multiplies flint's numbers in loops of its own. But of two balls that meet flint says
neither less nor not less, and NumPy would take that for an answer. So flint's numbers stay inside
of ``Balls``: what it hands out is a ``Ball``, and what compares is written here.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from flint import acb, arb, arb_mat, fmpq

from theorylab.scripts.balls import (
    ARRAY,
    FAST,
    Ball,
    Float64,
    Work,
    decided,
    exact,
    fitting,
    lacking,
    larger_of,
    power_of,
    shortened,
    smaller_of,
    told,
)
from theorylab.scripts.recorded import Recorded, Tape

_LARGE = 64  # entries of a matrix that is better flint's
_MOVED = ("reshape", "ravel", "flatten", "copy", "transpose", "swapaxes", "repeat", "squeeze")
_ADDED = ("sum", "prod", "cumsum", "trace", "diagonal")


def _operation(of: Callable[[Any, Any], Any], swapped: bool = False) -> Callable[..., Any]:
    def method(self: Balls, other: Any) -> Any:
        y = other.raw if type(other) is Balls else entries(other)
        if y is None:
            return NotImplemented
        fitting(self.raw, y)
        return made(of(y, self.raw) if swapped else of(self.raw, y))

    return method


def _comparison(is_true: Any, is_false: Any) -> Callable[..., Any]:
    compare = decided(is_true, is_false)

    def method(self: Balls, other: Any) -> Any:
        y = entries(other)
        return NotImplemented if y is None else np.asarray(each(compare, self.raw, y), bool)

    return method


def _in_place(of: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    def method(self: Balls, other: Any) -> Balls:
        self[...] = of(self, other)
        return self

    return method


def _power(x: Any, y: Any) -> Any:
    if type(y) is fmpq and y.q == 1:
        y = int(y.p)
    if type(y) is int and 1 <= y <= 4:
        return functools.reduce(operator.mul, [x] * y)
    return each(power_of, x, y)


def each(function: Callable[..., Any], *arrays: Any) -> Any:
    """``function`` of flint's numbers, entry by entry."""
    fitting(*arrays)
    return _of_entries(function, len(arrays))(*arrays)


@functools.lru_cache(64)
def _of_entries(function: Callable[..., Any], count: int) -> Any:
    return np.frompyfunc(function, count, 1)


class Balls:
    """An array of balls, as NumPy has arrays. raw: flint's numbers, which nothing but this module
    and ``numpy_of_balls`` sees."""

    __array_ufunc__ = None  # so that NumPy's arrays leave the operation to this one
    __hash__ = None  # type: ignore[assignment]
    __slots__ = ("raw",)

    def __init__(self, raw: np.ndarray[Any, Any]) -> None:
        self.raw = raw

    __add__ = __radd__ = _operation(operator.add)
    __mul__ = __rmul__ = _operation(operator.mul)
    __sub__, __rsub__ = _operation(operator.sub), _operation(operator.sub, True)
    __truediv__, __rtruediv__ = _operation(operator.truediv), _operation(operator.truediv, True)
    __pow__, __rpow__ = _operation(_power), _operation(_power, True)
    __iadd__, __isub__ = _in_place(operator.add), _in_place(operator.sub)
    __imul__ = _in_place(operator.mul)
    __lt__, __ge__ = _comparison(operator.lt, operator.ge), _comparison(operator.ge, operator.lt)
    __gt__, __le__ = _comparison(operator.gt, operator.le), _comparison(operator.le, operator.gt)
    __eq__, __ne__ = _comparison(operator.eq, operator.ne), _comparison(operator.ne, operator.eq)

    def __matmul__(self, other: Any) -> Any:
        return _product(self, ball(other))

    dot = __matmul__

    def __rmatmul__(self, other: Any) -> Any:
        return _product(ball(other), self)

    def __neg__(self) -> Any:
        return made(-self.raw)

    def __getattr__(self, name: str) -> Any:
        raise lacking(name)

    def __abs__(self) -> Any:
        return made(abs(self.raw))

    def __getitem__(self, key: Any) -> Any:
        part = self.raw[key]
        whole = isinstance(part, np.ndarray)
        return Balls(part) if whole and part.ndim else Ball(part[()] if whole else part)

    def __setitem__(self, key: Any, value: Any) -> None:
        Tape.refuses_change()
        new = ball(value)
        self.raw[key] = new.raw if type(new) is Balls else new.x

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self.raw)))

    def __len__(self) -> int:
        return len(self.raw)

    def __bool__(self) -> bool:
        return bool(self != 0)

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray[Any, Any]:
        """What NumPy makes of it where it is not asked by ``NUMPY``: an array of ``Ball``."""
        return np.asarray(each(Ball, self.raw), object)

    def __repr__(self) -> str:
        return told(self, str(self.raw))

    shape = property(lambda self: self.raw.shape)
    ndim = property(lambda self: self.raw.ndim)
    size = property(lambda self: self.raw.size)
    dtype = Float64()
    T = property(lambda self: Balls(self.raw.T))
    flat = property(lambda self: tuple(Ball(x) for x in self.raw.flat))

    def mean(self, axis: Any = None, keepdims: bool = False) -> Any:
        total = made(self.raw.sum(axis=axis, keepdims=keepdims))
        return total / (self.size // (total.size if type(total) is Balls else 1))

    def max(self, axis: Any = None, **keep: Any) -> Any:
        """The largest entries: around all that may be the largest."""
        return reduced(larger_of, self, axis, **keep)

    def min(self, axis: Any = None, **keep: Any) -> Any:
        return reduced(smaller_of, self, axis, **keep)

    def all(self, axis: Any = None) -> Any:
        return (self != 0).all(axis)

    def any(self, axis: Any = None) -> Any:
        return (self != 0).any(axis)

    def astype(self, kind: Any) -> Any:
        """Whole numbers where the script asks for these."""
        if kind is float or kind is ball or type(kind) is Float64:
            return Balls(self.raw.copy())
        return np.array([*map(kind, self.flat)]).reshape(self.shape)

    def tolist(self) -> list[Any]:
        return list(each(Ball, self.raw).tolist())


def _named(name: str) -> Callable[..., Any]:
    def method(self: Balls, *args: Any, **keep: Any) -> Any:
        if name == "repeat":
            Work.fits(self.size, int(np.max(args[0])))
        return made(getattr(self.raw, name)(*args, **keep))

    return method


for _name in (*_MOVED, *_ADDED):
    setattr(Balls, _name, _named(_name))


def entries(number: Any) -> Any:
    """Flint's numbers, or an int, of what ``Balls`` can be combined with; None of anything else."""
    if type(number) is Balls:
        return number.raw
    if isinstance(number, np.ndarray | list | tuple):
        return ball(number).raw
    return exact(number)


def ball(number: Any) -> Any:
    """A number as ``Ball``, an array or nested lists as ``Balls``: the same numbers exactly."""
    if type(number) is Ball or type(number) is Balls:
        return number
    found = exact(number)
    if found is not None:
        return Ball(fmpq(found) if type(found) is int else found)
    if isinstance(number, list) and number and all(type(part) is Balls for part in number):
        return Balls(np.stack([part.raw for part in number]))
    plain = np.asarray(number, object)
    if plain.ndim == 0:
        raise TypeError(f"{type(number).__name__} is no number")
    return made(each(_entry, plain))


def over(a: Any, b: Any) -> Any:
    """a / b: of whole numbers their exact quotient, too."""
    return a / b if Fraction in (type(a), type(b)) else ball(a) / b


def power(a: Any, b: Any) -> Any:
    """a ** b: of whole numbers with a negative exponent, too."""
    whole = isinstance(a, int | np.integer) and isinstance(b, int | np.integer)
    return a**b if whole and b >= 0 else ball(a) ** b


_FLINT = {arb, fmpq, acb, Recorded}


def made(raw: Any) -> Any:
    """``Balls`` or ``Ball`` of what NumPy made of flint's numbers; a long fraction becomes an Arb
    ball. NumPy's own zeros and ones are whole numbers, and no other kind may be among them."""
    if type(raw) is not np.ndarray or raw.ndim == 0:
        number = raw[()] if type(raw) is np.ndarray else raw
        return Ball(number) if type(number) in _FLINT else ball(number)
    Work.done(raw.size + ARRAY)
    found = each(_entry, raw)
    same = all(map(operator.is_, found.ravel().tolist(), raw.ravel().tolist()))
    return Balls(raw if same else found)  # a view of an array stays one: it may be written to


def _entry(x: Any) -> Any:
    if type(x) is fmpq:
        return shortened(x)
    return x if type(x) in _FLINT else ball(x).x


def kept(result: Any) -> Any:
    """Of NumPy's result, arrays of objects as ``Balls``, and others as they are."""
    if isinstance(result, tuple | list):
        return type(result)(map(kept, result))
    if type(result) in _FLINT:
        return Ball(result)
    plain = not isinstance(result, np.ndarray) or result.dtype != object
    return result if plain else made(result)


def reduced(function: Callable[..., Any], array: Any, axis: Any = None, **keep: Any) -> Any:
    """One number of many, by a function of two of flint's."""
    raw, reduce = ball(array).raw, _of_entries(function, 2).reduce
    axes = range(raw.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    for one in sorted((each % raw.ndim for each in axes), reverse=True):
        raw = reduce(raw, axis=one, **keep)
    return made(raw)


def _product(a: Balls, b: Balls) -> Any:
    """a @ b. Of large matrices by flint: with the entries of a stack of matrices side by side."""
    if a.ndim == 2 and a.size > _LARGE and not Tape.open:
        columns = np.moveaxis(b.raw, -2, 0) if b.ndim > 1 else b.raw
        side = columns.reshape(len(columns), -1)
        Work.done(a.size * side.shape[1] // FAST)
        found = of_matrix(matrix(a) * arb_mat(side.tolist())).raw
        found = found.reshape(len(a), *columns.shape[1:])
        return Balls(np.moveaxis(found, 0, -2) if b.ndim > 1 else found)
    stacks = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    Work.done(math.prod((*stacks, *a.shape[-2:], *b.shape[-1:] * (b.ndim > 1))))
    return made(np.matmul(a.raw, b.raw))


def matrix(array: Any) -> Any:
    """flint's matrix of balls."""
    return arb_mat(ball(array).raw.tolist())


def of_matrix(found: Any) -> Balls:
    raw = np.empty(found.nrows() * found.ncols(), object)
    raw[:] = found.entries()
    return Balls(raw.reshape(found.nrows(), found.ncols()))
