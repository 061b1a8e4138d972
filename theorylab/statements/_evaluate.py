"""Numbers for expressions: many digits, no overflow."""

from __future__ import annotations

import builtins
import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import mpmath
import sympy as sp
from sympy.printing.pycode import MpmathPrinter

from theorylab import symbols

DIGITS = 50  # decimal digits that bounds are evaluated with; mpmath's exponent never overflows


def evaluate(expr: sp.Expr, values: Mapping[sp.Symbol, Any]) -> mpmath.mpf:
    """``expr`` at ``values`` with ``DIGITS`` digits and no overflow.

    Raises ValueError, naming the symbol, when a value is missing, and where there is no finite real
    number: a division by 0, the root of a negative number, a function that has none.
    """
    try:
        order, function = _compiled(expr)
    except _NONE as error:
        raise ValueError(_no_number(expr, error)) from None
    missing = sorted(symbols.name_of(s) for s in order if s not in values)
    if missing:
        raise ValueError(f"evaluate: no value for {', '.join(missing)}; need every symbol")
    with mpmath.workdps(DIGITS):
        exact = [_exact(s, values[s]) for s in order]
        try:
            found = mpmath.mpf(function(*exact))
        except _NONE as error:
            raise ValueError(_no_number(expr, error)) from None
    if not mpmath.isfinite(found):
        raise ValueError(_no_number(expr, found))
    return found


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

    class ByPlace(printer):  # type: ignore[misc]
        def _print_Symbol(self, expr: sp.Symbol) -> str:
            return arguments.get(expr) or str(super()._print_Symbol(expr))

    code = ByPlace({"fully_qualified_modules": True, "inline": True}).doprint(expr)
    text = f"lambda {', '.join(arguments.values())}: {code}"
    made: Callable[..., Any] = eval(text, {"builtins": builtins, **names})
    return made


def _exact(symbol: sp.Symbol, value: Any) -> Any:
    """An integer symbol stays an integer (it is the limit of a sum); a float is taken exactly."""
    if not symbol.is_integer:
        return mpmath.mpf(value)
    if value != int(value):
        raise ValueError(f"evaluate: {symbols.name_of(symbol)} is {value}; need an integer")
    return int(value)
