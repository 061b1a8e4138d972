"""Numbers for expressions: many digits, no overflow."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import mpmath
import sympy as sp
from sympy.printing.pycode import MpmathPrinter

from theorylab import symbols
from theorylab.statements._by_place import by_place
from theorylab.statements._enclosed import ball_at, enclosed
from theorylab.statements._functions import in_digits, real
from theorylab.statements._sums import SURE, TooLongError, took

DIGITS = 50  # decimal digits that bounds are evaluated with; mpmath's exponent never overflows


def evaluate(expr: sp.Expr, values: Mapping[sp.Symbol, Any]) -> mpmath.mpf:
    """``expr`` at ``values`` with ``DIGITS`` digits and no overflow.

    Raises ValueError, naming the symbol, when a value is missing, and where there is no finite real
    number: a division by 0, the root of a negative number, a function that has none. Sums are
    added up term by term; of too many terms (``MOST_TERMS``, or those that ``within`` leaves) they
    are a TooLongError. A sum to infinity is the middle of a ball (``_rest``) that is narrower than
    a relative 1e-9, or refused. An integral is refused, as a quadrature does not bound its error.
    """
    try:
        order, _, _ = _compiled(expr)
    except _NONE as error:
        raise ValueError(_no_number(expr, error)) from None
    try:
        given = tuple([values[s] for s in order])
    except KeyError:
        missing = sorted(symbols.name_of(s) for s in order if s not in values)
        text = f"evaluate: no value for {', '.join(missing)}; need every symbol"
        raise ValueError(text) from None
    found, terms = _number(expr, given)
    took(terms)  # what is kept counts as if it were added here
    return found


@functools.lru_cache(maxsize=1 << 15)  # the versions of a statement, and its places, share numbers
def _number(expr: sp.Expr, values: tuple[Any, ...]) -> tuple[mpmath.mpf, int]:
    """``expr`` at the values of its symbols in their order, and how many terms its sums have; what
    raises is not kept."""
    order, function, endless = _compiled(expr)
    with mpmath.workdps(DIGITS):
        exact = [_exact(s, value) for s, value in zip(order, values, strict=True)]
        given = [v if isinstance(v, Fraction) else x for v, x in zip(values, exact, strict=True)]
        if not endless and (known := _by_ball(expr, given)) is not None:
            return known
        try:
            found = mpmath.mpf(real(function(*exact)))
        except TooLongError:
            raise
        except _NONE as error:
            raise ValueError(_no_number(expr, error)) from None
    if not mpmath.isfinite(found):
        raise ValueError(_no_number(expr, found))
    if endless:
        _sure(expr, dict(zip(order, exact, strict=True)))
    return found, function.sums.terms if hasattr(function, "sums") else 0


def _by_ball(
    expr: sp.Expr, given: Sequence[mpmath.mpf | Fraction]
) -> tuple[mpmath.mpf, int] | None:
    """``_number`` in all of its digits, as a ball of Arb's has it in a twentieth of mpmath's time.
    None where no ball is known, or where digits cancel."""
    bits: int = mpmath.mp.prec
    found = ball_at(expr, given, bits + _GUARD)
    if found is None or found[0].rel_accuracy_bits() < bits:
        return None
    mantissa, exponent = found[0].mid().man_exp()
    return mpmath.mpf((int(mantissa), int(exponent))), found[1]


def _sure(expr: sp.Expr, exact: Mapping[sp.Symbol, mpmath.mpf]) -> None:
    """ValueError where what a sum to infinity may be off is no longer small in ``expr``."""
    spans: dict[sp.Symbol, tuple[Fraction, Fraction]] = {}
    for symbol, number in exact.items():
        mantissa, exponent = number.man_exp  # without its sign
        if abs(exponent) > _LONGEST:  # fractions of it are too long
            return
        size = int(mantissa) * Fraction(2) ** int(exponent)
        spans[symbol] = (size, size) if number >= 0 else (-size, -size)
    ball = enclosed(expr, spans, mpmath.libmp.dps_to_prec(DIGITS))
    if ball is not None and ball.rad() > SURE * abs(ball).upper():
        raise ValueError(_no_number(expr, "digits of a sum to infinity cancel"))


# What a formula raises where it has no value; sympy's printer has no word for its infinities.
_NONE = (ArithmeticError, ValueError, TypeError, LookupError, NameError, NotImplementedError)


def _no_number(expr: sp.Expr, why: object) -> str:
    text = str(why).splitlines()[0] if str(why) else ""
    if isinstance(why, ZeroDivisionError):
        text = "a division by 0"
    elif isinstance(why, OverflowError):
        text = "a number that is too large"
    told = f" ({text})" if text else ""
    return f"evaluate: {expr} has no finite real value here{told}; need one"


@functools.lru_cache(maxsize=2048)
def _compiled(expr: sp.Expr) -> tuple[list[sp.Symbol], Callable[..., Any], bool]:
    """Its symbols, the function of their values in this order, and whether a sum has no end."""
    endless = any(each.has(sp.oo) for each in expr.atoms(sp.Sum))
    order = sorted(expr.free_symbols, key=str)
    with mpmath.workdps(DIGITS):  # numbers inside the expression are made with these digits
        return order, by_place(expr, order, MpmathPrinter, _NAMES), endless


_LONGEST = 10**5  # bits
_GUARD = 40  # bits that a ball may lose to rounding
_NAMES = {**vars(mpmath), "mpmath": mpmath, "_called": in_digits}


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
