"""Numbers that enclose: a fraction as long as it is short, and an Arb ball from there on.

``Ball`` is one number and ``Balls`` a NumPy array of them. Each operation encloses its exact result
on all that its operands enclose. What is left open is never taken for decided: a comparison that
two balls leave open raises ``UndecidedError``, and the larger of such two is a ball around both.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb, arb_mat, ctx, fmpq
from flint.utils.flint_exceptions import DomainError

MOST_WORK = 10_000_000  # numbers that are made: ten seconds
SHORT = 256  # bits of a fraction
FAST = 16  # products of two numbers in a matrix of flint's that cost as much as one on its own
_LARGE = 64  # entries of a matrix that is better flint's


class UnenclosedError(ValueError):
    """Balls do not say what a script prints; the text says why."""


class UndecidedError(UnenclosedError):
    """These balls leave something open that narrower ones may decide."""


class Work:
    """How many numbers may still be made; looked at in every turn of a loop."""

    left = MOST_WORK

    @classmethod
    def done(cls, count: int) -> None:
        cls.left -= count
        if cls.left < 0:
            raise UnenclosedError("it takes too many operations for balls")


def _operation(of: Callable[[Any, Any], Any], swapped: bool = False) -> Callable[[Ball, Any], Any]:
    def method(self: Ball, other: Any) -> Any:
        y = _exact(other)
        if y is None:
            return NotImplemented
        return Ball(of(y, self.x) if swapped else of(self.x, y))

    return method


def _comparison(
    is_true: Callable[[Any, Any], bool], is_false: Callable[[Any, Any], bool]
) -> Callable[[Ball, Any], Any]:
    def method(self: Ball, other: Any) -> Any:
        y = _exact(other)
        if y is None:
            return NotImplemented
        true = is_true(self.x, y)
        if true == is_false(self.x, y):  # flint says False of both where balls meet
            raise UndecidedError("a comparison that the balls leave undecided")
        return true

    return method


def _function(name: str) -> Callable[[Ball], Ball]:
    return lambda self: Ball(getattr(arb(self.x), name)())


def _power(x: Any, y: Any) -> Any:
    if type(y) is fmpq and y.q == 1:
        y = int(y.p)
    if type(y) is not int:
        return arb(x) ** arb(y)
    if type(x) is not arb and fmpq(x).height_bits() * abs(y) <= SHORT:
        return fmpq(x) ** y
    whole = arb(x) ** y
    return whole if y < 0 or not whole.is_nan() else _product(arb(x), y)


def _product(x: Any, k: int) -> Any:
    """x^k of a ball around 0, of which flint knows no power."""
    half = _product(x, k // 2) if k > 1 else arb(1)
    return half * half * x if k % 2 else half * half


class Ball:
    """A real number. x: ``fmpq``, it itself; ``arb``, around it; or an ``acb``, of which nothing
    but ``abs`` is asked."""

    __hash__ = None  # type: ignore[assignment]
    __slots__ = ("x",)

    def __init__(self, x: Any) -> None:
        Work.left -= 1  # and no more: NumPy's product of matrices goes on over what is raised
        self.x = arb(x) if type(x) is fmpq and x.height_bits() > SHORT else x

    __add__ = __radd__ = _operation(operator.add)
    __mul__ = __rmul__ = _operation(operator.mul)
    __sub__, __rsub__ = _operation(operator.sub), _operation(operator.sub, True)
    __truediv__, __rtruediv__ = _operation(operator.truediv), _operation(operator.truediv, True)
    __pow__, __rpow__ = _operation(_power), _operation(_power, True)
    __lt__, __ge__ = _comparison(operator.lt, operator.ge), _comparison(operator.ge, operator.lt)
    __gt__, __le__ = _comparison(operator.gt, operator.le), _comparison(operator.le, operator.gt)
    __eq__ = _comparison(operator.eq, operator.ne)
    __ne__ = _comparison(operator.ne, operator.eq)
    exp, log, sin, cos, tanh = map(_function, ("exp", "log", "sin", "cos", "tanh"))

    def __neg__(self) -> Ball:
        return Ball(-self.x)

    def __abs__(self) -> Ball:
        return Ball(abs(self.x))

    def __bool__(self) -> bool:
        return bool(self != 0)

    def __int__(self) -> int:
        if type(self.x) is not fmpq or self.x.q != 1:
            raise UndecidedError("a whole number is needed, and the balls leave it open")
        return int(self.x.p)

    def __repr__(self) -> str:
        return f"Ball({self.x})"

    def sqrt(self) -> Ball:
        """The root; a fraction's as a fraction where it is one."""
        try:
            return Ball(self.x.sqrt())
        except DomainError:  # no square, or below 0, which a ball says with a nan
            return Ball(arb(self.x).sqrt())

    @property
    def ends(self) -> tuple[float, float]:
        """(a, b): floats, rounded outward, that it lies between; nan where it may be infinite."""
        x = arb(self.x)
        if not x.is_finite():
            return math.nan, math.nan
        least, most = x.lower(), x.upper()
        low, high = float(least), float(most)
        return (
            low if arb(low) <= least else math.nextafter(low, -math.inf),
            high if arb(high) >= most else math.nextafter(high, math.inf),
        )


def _exact(number: Any) -> Any:
    """The same number as flint's or an int; None of an array and of what is no number."""
    kind = type(number)
    if kind is Ball:
        return number.x
    if kind is int:
        return number
    if isinstance(number, bool | np.bool_ | np.integer):
        return int(number)
    if isinstance(number, float | np.floating):
        finite = math.isfinite(number)
        return fmpq(*float(number).as_integer_ratio()) if finite else arb(float(number))
    return fmpq(number.numerator, number.denominator) if kind is Fraction else None


def ball(number: Any) -> Any:
    """A number as ``Ball``, an array or nested lists as ``Balls``: the same numbers exactly."""
    if type(number) is Ball or type(number) is Balls:
        return number
    exact = _exact(number)
    if exact is not None:
        return Ball(fmpq(exact) if type(exact) is int else exact)
    return np.asarray(each(ball)(np.asarray(number, object)), object).view(Balls)


def each(function: Callable[..., Any], operands: int = 1) -> Any:
    """``function`` of numbers as NumPy's of arrays."""
    return np.frompyfunc(function, operands, 1)


def over(a: Any, b: Any) -> Any:
    """a / b: of whole numbers their exact quotient, too."""
    return a / b if Fraction in (type(a), type(b)) else ball(a) / b


def power(a: Any, b: Any) -> Any:
    """a ** b: of whole numbers with a negative exponent, too."""
    whole = isinstance(a, int | np.integer) and isinstance(b, int | np.integer)
    return a**b if whole and b >= 0 else ball(a) ** b


def larger(a: Any, b: Any) -> Any:
    """The larger one of two numbers: around both where it is open which one that is."""
    if Ball not in (type(a), type(b)):
        return max(a, b)
    x, y = ball(a).x, ball(b).x
    return Ball(max(x, y) if type(x) is fmpq and type(y) is fmpq else arb(x).max(arb(y)))


def smaller(a: Any, b: Any) -> Any:
    """The smaller one, likewise."""
    return -larger(-a, -b)


class Balls(np.ndarray[Any, Any]):
    """An array whose entries are all ``Ball``."""

    def __matmul__(self, other: Any) -> Any:
        if self.ndim == 2 and self.size > _LARGE and isinstance(other, Balls):
            Work.done(self.size * max(1, other.size // len(other)) // FAST)
            columns = other if other.ndim == 2 else other[:, None]
            found = of_matrix(matrix(self) * matrix(columns))
            return found if other.ndim == 2 else found[:, 0]
        return kept(np.matmul(np.asarray(self), np.asarray(other, object)))

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        return kept(array[()] if array.ndim == 0 else array)

    def max(self, axis: Any = None, **keep: Any) -> Any:  # type: ignore[override]
        """The largest entries, as ``larger`` has them."""
        return reduced(larger, self, axis, **keep)

    def min(self, axis: Any = None, **keep: Any) -> Any:  # type: ignore[override]
        return reduced(smaller, self, axis, **keep)


def reduced(function: Callable[..., Any], array: Any, axis: Any = None, **keep: Any) -> Any:
    """One number of many, by a function of two."""
    whole = np.asarray(array, object)
    if axis is None:
        whole, axis = whole.ravel(), 0
    return kept(each(function, 2).reduce(whole, axis=axis, **keep))


def kept(result: Any) -> Any:
    """Of NumPy's result, arrays of objects as ``Balls``, and others as plain arrays."""
    if isinstance(result, tuple):
        return tuple(map(kept, result))
    if not isinstance(result, np.ndarray):
        return result
    plain = np.asarray(result)
    if plain.dtype != object:
        return plain
    return (plain if all(type(e) is Ball for e in plain.flat) else each(ball)(plain)).view(Balls)


def matrix(array: Any) -> Any:
    """flint's matrix of balls."""
    return arb_mat([[entry.x for entry in row] for row in ball(array)])


def of_matrix(entries: Any) -> Balls:
    rows = [[Ball(entries[i, j]) for j in range(entries.ncols())] for i in range(entries.nrows())]
    return np.array(rows, object).view(Balls)


def bits_of_balls(bits: int) -> int:
    """Set the precision, in bits, and give back the one before."""
    before, ctx.prec = ctx.prec, bits
    return before
