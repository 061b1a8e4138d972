"""Balls around an expression: what it can be where its numbers are intervals of rationals."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import mpmath
import sympy as sp
from sympy.printing.pycode import MpmathPrinter

from theorylab.exact import Span, span
from theorylab.statements._by_place import by_place
from theorylab.statements._functions import in_balls

Ball = Any  # flint.arb
_METHODS = {"ceil": "ceil", "floor": "floor", "loggamma": "lgamma", "factorial": "fac"}
# A comparison of two balls is no answer where they overlap, so what branches is not enclosed.
BRANCHES = (sp.Piecewise, sp.ceiling, sp.floor, sp.sign, sp.Heaviside, sp.Mod, sp.frac)
_FOLDED = 2.0**-50  # of a decimal of many digits: what sympy rounds where it multiplies decimals


def enclosed(
    expr: sp.Expr, spans: Mapping[sp.Symbol, Span], bits: int, *, as_run: bool = False
) -> Ball | None:
    """A ball that contains every value of ``expr`` with its symbols in their ``spans``.

    The ball has the rounding of arithmetic with ``bits`` bits, so one of 53 is as wide as float64
    errs. None where no ball is known: a function without one, a division by what may be 0.

    Args:
        as_run: a decimal in the expression is the float64 that a run has, and not what it prints.
    """
    from flint import ctx  # slow to import

    try:
        order, decimals, function = _compiled(expr)
        with ctx.workprec(bits):
            given = [_ball(spans[symbol]) for symbol in order]
            own = [_ball(_exactly(x) if as_run else _written(x)) for x in decimals]
            found = function(*given, *own)
            found = found if hasattr(found, "is_finite") else _ball(span(found))
    except _NONE:
        return None
    return found if found.is_finite() else None


def ball_at(
    expr: sp.Expr, numbers: Sequence[mpmath.mpf | Fraction], bits: int
) -> tuple[Ball, int] | None:
    """The ball of ``expr`` at ``numbers``, in its symbols' order by name, with decimals as float64
    has them; and how many terms its sums have. None as of ``enclosed``, and of functions that are
    not elementary: Arb continues some to where mpmath has no number."""
    from flint import arb, ctx  # slow to import

    compiled = _known(expr)
    if compiled is None:
        return None
    _, decimals, function = compiled
    try:
        with ctx.workprec(bits):
            given = [arb(_rational(x) if isinstance(x, Fraction) else x) for x in numbers]
            found = function(*given, *map(arb, decimals))
    except _NONE:
        return None
    if not (hasattr(found, "is_finite") and found.is_finite()):
        return None
    return found, function.sums.terms if hasattr(function, "sums") else 0


@functools.lru_cache(maxsize=2048)  # a refusal, too, which takes a walk over the expression
def _known(expr: sp.Expr) -> tuple[list[sp.Symbol], list[float], Callable[..., Any]] | None:
    long = any(decimal._prec > _FLOAT64 for decimal in expr.atoms(sp.Float))
    if long or not all(isinstance(each, _ELEMENTARY) for each in expr.atoms(sp.Function)):
        return None
    try:
        return _compiled(expr)
    except _NONE:
        return None


_ELEMENTARY = (sp.exp, sp.log, sp.Abs, sp.Max, sp.Min, sp.sin, sp.cos, sp.tanh, sp.sinh, sp.cosh)
_FLOAT64 = 53  # bits of a decimal that float64 holds
_NONE = (ArithmeticError, ValueError, TypeError, LookupError, NameError, AttributeError,
         NotImplementedError)  # fmt: skip


def _exactly(x: float) -> Span:
    return Fraction(x), Fraction(x)


def _written(x: float) -> Span:
    """Which rationals a decimal of an expression may be. One of at most 15 digits was written; one
    of more may be a product of such decimals, which sympy rounded several times."""
    low, high = span(x)
    room = Fraction(_FOLDED) * abs(Fraction(x))
    return (low, high) if low == high else (Fraction(x) - room, Fraction(x) + room)


@functools.lru_cache(maxsize=1 << 14)
def _rational(number: Fraction) -> Any:
    from flint import fmpq

    return fmpq(number.numerator, number.denominator)


def _ball(ends: Span) -> Ball:
    from flint import arb

    low, high = ends
    made = arb(_rational(low))
    return made if low == high else made.union(arb(_rational(high)))


@functools.lru_cache(maxsize=2048)
def _compiled(expr: sp.Expr) -> tuple[list[sp.Symbol], list[float], Callable[..., Any]]:
    """(its symbols, its decimals, a function of balls of both)."""
    if expr.has(*BRANCHES, sp.Integral):
        raise NotImplementedError("no ball of a function with branches")
    order = sorted(expr.free_symbols, key=str)
    floats = sorted(expr.atoms(sp.Float), key=float)
    if not all(_holds(decimal) for decimal in floats):
        raise NotImplementedError("no ball of a decimal beyond float64")
    places = {number: sp.Symbol(f" decimal {k}") for k, number in enumerate(floats)}  # no Dummy
    whole = expr.xreplace(places)
    function = by_place(whole, [*order, *places.values()], MpmathPrinter, _names())
    return order, [float(number) for number in floats], function


def _holds(decimal: sp.Float) -> bool:
    """Whether float64 has a number like it: 1e-400 would be 0, and 1.1e-320 another number."""
    size = abs(float(decimal))
    return decimal == 0 or sys.float_info.min <= size <= sys.float_info.max


def _names() -> dict[str, Any]:
    from flint import arb

    names = {"mpmath": _Functions(), "max": _largest, "min": _least, "mpf": arb}
    return names | {"_called": in_balls}


class _Functions:
    """What the printer calls ``mpmath``, of balls."""

    def __getattr__(self, name: str) -> Any:
        from flint import arb

        constants = {"pi": arb.pi, "e": arb.const_e}
        if name in constants:
            return constants[name]()
        method = _METHODS.get(name, name)
        return lambda x: getattr(arb(x), method)()

    @staticmethod
    def mpf(x: int) -> Any:
        from flint import arb

        return arb(x)


def _largest(*balls: Any) -> Any:
    from flint import arb

    return functools.reduce(lambda a, b: a.max(b), map(arb, balls))


def _least(*balls: Any) -> Any:
    from flint import arb

    return functools.reduce(lambda a, b: a.min(b), map(arb, balls))
