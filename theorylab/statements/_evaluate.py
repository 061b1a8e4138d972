"""Numbers for expressions: many digits, no overflow."""

from __future__ import annotations

import builtins
import contextlib
import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import mpmath
import sympy as sp
from sympy.printing.pycode import MpmathPrinter

from theorylab import symbols

DIGITS = 50  # decimal digits that bounds are evaluated with; mpmath's exponent never overflows
MOST_TERMS = 200_000  # of all sums of one expression together: they take seconds


class TooLongError(ValueError):
    """An expression has a number, but its sums have more terms than are allowed."""


@dataclass
class _Left:
    """Terms that all sums of a block may still have."""

    most: int
    terms: int


_LEFT: ContextVar[_Left | None] = ContextVar("terms that sums may have", default=None)


@contextlib.contextmanager
def within(terms: int) -> Iterator[None]:
    """Refuse, by TooLongError, the sums of this block that would have more ``terms`` together."""
    token = _LEFT.set(_Left(terms, terms))
    try:
        yield
    finally:
        _LEFT.reset(token)


def _counted(terms: int) -> None:
    """Refuse what has more terms than are left, before they are added."""
    left = _LEFT.get()
    if left is not None and terms > left.terms:
        raise TooLongError(
            f"evaluate: the sums of a check have more than {left.most} terms together; need a "
            "closed form, or fewer places"
        )


def evaluate(expr: sp.Expr, values: Mapping[sp.Symbol, Any]) -> mpmath.mpf:
    """``expr`` at ``values`` with ``DIGITS`` digits and no overflow.

    Raises ValueError, naming the symbol, when a value is missing, and where there is no finite real
    number: a division by 0, the root of a negative number, a function that has none. Sums are
    added up term by term; of too many terms (``MOST_TERMS``, or those that ``within`` leaves) they
    are a TooLongError. An integral is refused, as a quadrature does not bound its error.
    """
    try:
        order, _ = _compiled(expr)
    except _NONE as error:
        raise ValueError(_no_number(expr, error)) from None
    missing = sorted(symbols.name_of(s) for s in order if s not in values)
    if missing:
        raise ValueError(f"evaluate: no value for {', '.join(missing)}; need every symbol")
    found, terms = _number(expr, tuple(values[s] for s in order))
    _counted(terms)  # what is kept counts as if it were added here
    if (left := _LEFT.get()) is not None:
        left.terms -= terms
    return found


@functools.lru_cache(maxsize=1 << 15)  # the versions of a statement, and its places, share numbers
def _number(expr: sp.Expr, values: tuple[Any, ...]) -> tuple[mpmath.mpf, int]:
    """``expr`` at the values of its symbols in their order, and how many terms its sums have; what
    raises is not kept."""
    order, function = _compiled(expr)
    with mpmath.workdps(DIGITS):
        exact = [_exact(s, value) for s, value in zip(order, values, strict=True)]
        try:
            found = mpmath.mpf(function(*exact))
        except TooLongError:
            raise
        except _NONE as error:
            raise ValueError(_no_number(expr, error)) from None
    if not mpmath.isfinite(found):
        raise ValueError(_no_number(expr, found))
    return found, getattr(function, "sums", _NO_SUMS).terms


# What a formula raises where it has no value; sympy's printer has no word for its infinities.
_NONE = (ArithmeticError, ValueError, TypeError, LookupError, NameError, NotImplementedError)


def _no_number(expr: sp.Expr, why: object) -> str:
    text = str(why).splitlines()[0] if str(why) else ""
    kind = f"{type(why).__name__}: {text}" if isinstance(why, Exception) else text
    return f"evaluate: {expr} has no finite real value here ({kind.rstrip(': ')}); need one"


def spelled(number: mpmath.mpf) -> str:
    """Six digits, as a power of ten where float64 has no such number: no inf and no silent 0."""
    if number == 0 or 1e-300 < abs(number) < 1e300:
        return f"{float(number):.6g}"
    sign = "-" if number < 0 else ""
    return f"{sign}10^{float(mpmath.log10(abs(number))):.1f}"


@functools.lru_cache(maxsize=2048)
def _compiled(expr: sp.Expr) -> tuple[list[sp.Symbol], Callable[..., Any]]:
    order = sorted(expr.free_symbols, key=str)
    with mpmath.workdps(DIGITS):  # numbers inside the expression are made with these digits
        return order, by_place(expr, order, MpmathPrinter, {**vars(mpmath), "mpmath": mpmath})


def by_place(
    expr: sp.Expr, order: Sequence[sp.Symbol], printer: Any, names: Mapping[str, Any]
) -> Callable[..., Any]:
    """``expr`` as a function of the symbols in ``order``, each an argument by its place.

    sympy's ``lambdify`` does the same, but a letter such as \\eta_l is no Python name, so it first
    rebuilds the expression with other symbols: fifteen times the work, on every import.

    Args:
        printer: a class of sympy's that prints Python. names: what its code may refer to.
    """
    arguments = {symbol: f"_{place}" for place, symbol in enumerate(order)}
    head = ", ".join(arguments.values())
    seen: dict[sp.Sum, int] = {}

    def place_of(expr: sp.Sum) -> int:
        return seen.setdefault(expr, len(seen))

    class ByPlace(printer):  # type: ignore[misc]
        def _print_Symbol(self, expr: sp.Symbol) -> str:
            return arguments.get(expr) or str(super()._print_Symbol(expr))

        def _print_Sum(self, expr: sp.Sum) -> str:
            for index, *_ in expr.limits:
                arguments.setdefault(index, f"_{len(arguments)}")
            code = self._print(expr.function)
            for index, first, last in expr.limits:
                ends = f"{self._print(first)}, {self._print(last)}"
                code = f"_added(lambda {arguments[index]}: {code}, {ends})"
            if expr.free_symbols <= set(order):  # the same number wherever else it stands
                code = f"_once({place_of(expr)}, lambda: {code})"
            return str(code)

        def _print_Integral(self, expr: sp.Integral) -> str:
            raise NotImplementedError("an integral; need its closed form")

    code = ByPlace({"fully_qualified_modules": True, "inline": True}).doprint(expr)
    sums = _Sums(names.get("mpf", int))
    made: Callable[..., Any] = eval(
        f"lambda {head}: {code}",
        {"builtins": builtins, "_added": sums.added, "_once": sums.once, **names},
    )
    return sums.counted(made) if expr.has(sp.Sum) else made


class _Sums:
    """Adds up the sums of one expression, and counts their terms. number: what an index becomes."""

    def __init__(self, number: Callable[[int], Any]) -> None:
        self.number, self.terms = number, 0
        self.known: dict[int, Any] = {}

    def counted(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def anew(*values: Any) -> Any:
            self.terms = 0
            self.known.clear()
            return function(*values)

        anew.sums = self  # type: ignore[attr-defined]
        return anew

    def once(self, key: int, total: Callable[[], Any]) -> Any:
        """The sum of that number, added up where it is met first."""
        if key not in self.known:
            self.known[key] = total()
        return self.known[key]

    def added(self, term: Callable[[Any], Any], first: Any, last: Any) -> Any:
        ends = [_integer(end) for end in (first, last)]
        if first != ends[0] or last != ends[1]:
            raise ValueError(f"a sum from {first} to {last}; need integers")
        first, last = ends
        self.terms += max(0, last - first + 1)
        if self.terms > MOST_TERMS:
            raise TooLongError(
                f"evaluate: sums of {spelled(mpmath.mpf(self.terms))} terms; need at most "
                f"{MOST_TERMS}, or a closed form"
            )
        _counted(self.terms)
        total = self.number(0)
        for k in range(first, last + 1):
            total = total + term(self.number(k))
        return total


def _integer(end: Any) -> int:
    """Of a number, or of a ball around it."""
    return int(end.unique_fmpz() if hasattr(end, "unique_fmpz") else end)


_NO_SUMS = _Sums(int)


@functools.lru_cache(maxsize=1 << 14)
def _exact(symbol: sp.Symbol, value: Any) -> mpmath.mpf:
    """A float or a Fraction; a ValueError where an integer symbol has no integer."""
    if isinstance(value, Fraction):
        number = mpmath.mpf(value.numerator) / value.denominator
    else:
        number = mpmath.mpf(value)
    if symbol.is_integer and not mpmath.isint(number):
        raise ValueError(f"evaluate: {symbols.name_of(symbol)} is {value}; need an integer")
    return number
