"""Numbers that enclose: a fraction as long as it is short, and an Arb ball from there on.

``Ball`` is one number; ``arrays_of_balls`` has many. Each operation encloses its exact result
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
from flint import arb, ctx, fmpq
from flint.utils.flint_exceptions import DomainError

from theorylab.scripts.recorded import Recorded, ends_of

MOST_WORK = 120_000_000  # entries of arrays that are added or multiplied: some twenty seconds
SURELY = 2  # times what is left: a loop that would take as much is not gone on with
ALONE = 4  # what a number on its own costs
ARRAY = 16  # what an array costs besides its entries
CALLED = 8  # what an exponential, a logarithm or a sine costs
SHORT = 256  # bits of a fraction
LONG = 1 << 15  # of one where nothing but a fraction decides
FAST = 16  # products of two numbers in a matrix of flint's that cost as much as one on its own


class UnenclosedError(ValueError):
    """Balls do not say what a script prints; the text says why."""


class UndecidedError(UnenclosedError):
    """These balls leave something open that narrower ones may decide."""


class Work:
    """How many operations may still be done, looked at in every turn of a loop; and how many bits a
    fraction may have before it becomes a ball."""

    left, longest = MOST_WORK, SHORT
    played = False
    asked = False  # whether a comparison was decided
    taken = False  # whether a loop was played on intervals of float64

    @classmethod
    def done(cls, count: int) -> None:
        cls.left -= count
        if cls.left < 0:
            raise UnenclosedError("it takes too many operations for balls")

    @classmethod
    def fits(cls, *counts: int) -> None:
        """Refuse an array of that many entries, a factor an axis, before it is there."""
        if math.prod(counts) > cls.left:
            size = f"an array of {math.prod(counts):.0e} numbers"
            raise UnenclosedError(f"it takes too many operations for balls: {size}")

    @classmethod
    def priced(cls, more: float) -> None:
        """Refuse what would take so many more operations."""
        if more > SURELY * cls.left:
            raise UnenclosedError(
                f"it takes too many operations for balls: some {more:.0e} more, and "
                f"{cls.left:.0e} are left"
            )


def fitting(*arrays: Any) -> None:
    """Refuse arrays that are long once they are broadcast, before they are."""
    sizes = [each.size for each in arrays if type(each) is np.ndarray]
    if len(sizes) > 1 and math.prod(sizes) > Work.left:
        Work.fits(*np.broadcast_shapes(*map(np.shape, arrays)))


def told(number: object, text: str) -> str:
    """A number as text: not of a script that is played, which would read another one than
    NumPy's."""
    if Work.played:
        raise UnenclosedError("the script reads the text of a number")
    return f"{type(number).__name__}({text})"


def lacking(name: str) -> Exception:
    """Of an attribute that NumPy's numbers may have: a script that asks for it must not go on as if
    they had none. Python and NumPy themselves ask for names with underscores."""
    text = f"{name} of an array has no balls"
    return AttributeError(text) if name.startswith("__") else UnenclosedError(text)


class Float64:
    """The dtype of an array of balls: ``astype`` takes it, and nothing else may ask for it."""

    __hash__ = None  # type: ignore[assignment]

    def __getattr__(self, name: str) -> Any:
        raise lacking(f"dtype.{name}")

    def _refused(self, *_: Any) -> Any:
        raise UnenclosedError("what is asked of a dtype has no balls")

    __eq__ = __ne__ = __bool__ = __repr__ = __str__ = __format__ = _refused


def _operation(of: Callable[[Any, Any], Any], swapped: bool = False) -> Callable[[Ball, Any], Any]:
    def method(self: Ball, other: Any) -> Any:
        y = exact(other)
        if y is None:
            return NotImplemented
        return Ball(of(y, self.x) if swapped else of(self.x, y))

    return method


def decided(
    is_true: Callable[[Any, Any], bool], is_false: Callable[[Any, Any], bool]
) -> Callable[[Any, Any], bool]:
    """A comparison of flint's numbers that raises where they leave it open."""

    def compare(x: Any, y: Any) -> bool:
        true = is_true(x, y)
        if true == is_false(x, y):  # flint says False of both where balls meet
            raise UndecidedError("a comparison that the balls leave undecided")
        Work.asked = True
        return true

    return compare


def _comparison(
    is_true: Callable[[Any, Any], bool], is_false: Callable[[Any, Any], bool]
) -> Callable[[Ball, Any], Any]:
    compare = decided(is_true, is_false)

    def method(self: Ball, other: Any) -> Any:
        y = exact(other)
        return NotImplemented if y is None else compare(self.x, y)

    return method


def called(name: str) -> Callable[[Any], Any]:
    """A function of flint's numbers."""
    return lambda x: getattr(x if type(x) in (arb, Recorded) else arb(x), name)()


def _function(name: str) -> Callable[[Ball], Ball]:
    of = called(name)
    return lambda self: Ball(of(self.x))


def shortened(x: Any) -> Any:
    """A fraction that is not too long, or a ball around it; a long one costs more."""
    bits = x.height_bits()
    if bits <= SHORT:
        return x
    Work.left -= ALONE * bits // SHORT
    return x if bits <= Work.longest else arb(x)


def root(x: Any) -> Any:
    """The root of one of flint's numbers; a fraction's as a fraction where it is one."""
    try:
        return x.sqrt()
    except DomainError:  # no square, or below 0, which a ball says with a nan
        return arb(x).sqrt()


def power_of(x: Any, y: Any) -> Any:
    """x^y of flint's numbers."""
    if type(y) is fmpq and y.q == 1:
        y = int(y.p)
    if type(x) is Recorded:
        return x**y
    if type(y) is not int:
        return arb(x) ** arb(y)
    if type(x) is not arb and fmpq(x).height_bits() * abs(y) <= Work.longest:
        return fmpq(x) ** y
    whole = arb(x) ** y
    return whole if y < 0 or not whole.is_nan() else _product(arb(x), y)


def _product(x: Any, k: int) -> Any:
    """x^k of a ball around 0, of which flint knows no power."""
    half = _product(x, k // 2) if k > 1 else arb(1)
    return half * half * x if k % 2 else half * half


class Ball:
    """A real number. x: ``fmpq``, it itself; ``arb``, around it; an ``acb``, of which nothing
    but ``abs`` is asked; or, while a turn is written down, one that is ``Recorded``."""

    __hash__ = None  # type: ignore[assignment]
    __slots__ = ("x",)
    shape, ndim, size = (), 0, 1

    def __init__(self, x: Any) -> None:
        Work.left -= ALONE
        self.x = shortened(x) if type(x) is fmpq else x

    __add__ = __radd__ = _operation(operator.add)
    __mul__ = __rmul__ = _operation(operator.mul)
    __sub__, __rsub__ = _operation(operator.sub), _operation(operator.sub, True)
    __truediv__, __rtruediv__ = _operation(operator.truediv), _operation(operator.truediv, True)
    __pow__, __rpow__ = _operation(power_of), _operation(power_of, True)
    __lt__, __ge__ = _comparison(operator.lt, operator.ge), _comparison(operator.ge, operator.lt)
    __gt__, __le__ = _comparison(operator.gt, operator.le), _comparison(operator.le, operator.gt)
    __eq__ = _comparison(operator.eq, operator.ne)
    __ne__ = _comparison(operator.ne, operator.eq)
    exp, log, sin, cos, tanh = map(_function, ("exp", "log", "sin", "cos", "tanh"))

    def __getattr__(self, name: str) -> Any:
        raise lacking(name)

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
        return told(self, str(self.x))

    def sqrt(self) -> Ball:
        return Ball(root(self.x))

    @property
    def ends(self) -> tuple[float, float]:
        """See ``ends_of``."""
        return ends_of(self.x)


def exact(number: Any) -> Any:
    """The same number as flint's or an int; None of an array and of what is no number.

    Raises UnenclosedError of a float while a script is played: what the script writes with a point
    is a ``Ball`` already, so that a float came from arithmetic that rounds.
    """
    kind = type(number)
    if kind is Ball:
        return number.x
    if kind is int:
        return number
    if isinstance(number, bool | np.bool_ | np.integer):
        return int(number)
    if isinstance(number, float | np.floating):
        if Work.played:
            raise UnenclosedError("the script has a number that float64 has rounded")
        finite = math.isfinite(number)
        return fmpq(*float(number).as_integer_ratio()) if finite else arb(float(number))
    return fmpq(number.numerator, number.denominator) if kind is Fraction else None


def larger_of(x: Any, y: Any) -> Any:
    """The larger one of two of flint's: around both where it is open which one that is."""
    if Recorded in (type(x), type(y)):
        return x.max(y) if type(x) is Recorded else y.max(x)
    return arb(x).max(arb(y)) if arb in (type(x), type(y)) else max(x, y)


def smaller_of(x: Any, y: Any) -> Any:
    if Recorded in (type(x), type(y)):
        return x.min(y) if type(x) is Recorded else y.min(x)
    return arb(x).min(arb(y)) if arb in (type(x), type(y)) else min(x, y)


def larger(a: Any, b: Any) -> Any:
    """The larger one of two numbers, likewise."""
    return max(a, b) if Ball not in (type(a), type(b)) else Ball(larger_of(*_both(a, b)))


def smaller(a: Any, b: Any) -> Any:
    return min(a, b) if Ball not in (type(a), type(b)) else Ball(smaller_of(*_both(a, b)))


def _both(a: Any, b: Any) -> tuple[Any, Any]:
    x, y = exact(a), exact(b)
    if x is None or y is None:
        raise TypeError("one of two is no number")
    return x, y


def bits_of_balls(bits: int) -> int:
    """Set the precision, in bits, and give back the one before."""
    before, ctx.prec = ctx.prec, bits
    return before
