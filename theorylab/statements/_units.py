"""Whether a statement survives a change of units: f -> a f, x -> b x."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import mpmath
import sympy as sp

from theorylab import symbols
from theorylab.statements._evaluate import DIGITS, evaluate


def units_agree(expr: sp.Expr, units: tuple[int, int]) -> bool:
    """True if ``expr`` scales like ``units`` under f -> a f, x -> b x (checked at one point).

    The point is generic (distinct primes' roots), so an accidental agreement would need an
    algebraic coincidence to 30 digits.
    """
    with mpmath.workdps(DIGITS):
        plain, scaled = _points(expr.free_symbols)
        left = evaluate(expr, scaled)
        right = evaluate(expr, plain) * _F ** units[0] * _X ** units[1]
        return bool(abs(left - right) <= mpmath.mpf(10) ** -30 * abs(right))


def units_of(expr: sp.Expr) -> tuple[float, float] | None:
    """The powers (f, x) that ``expr`` scales with; None where it is a sum of several, or 0.

    Raises ValueError where it has no value at a generic point.
    """
    with mpmath.workdps(DIGITS):
        free = expr.free_symbols
        before = evaluate(expr, _points(free)[0])
        if before == 0:
            return None
        found = []
        for f, x in ((_F, mpmath.mpf(1)), (mpmath.mpf(1), _X)):
            once, twice = (evaluate(expr, _points(free, f**k, x**k)[1]) / before for k in (1, 2))
            if not once > 0 or abs(twice - once**2) > mpmath.mpf(10) ** -30 * twice:
                return None
            found.append(float(mpmath.log(once) / mpmath.log(max(f, x))))
        return found[0], found[1]


def spelled_units(expr: sp.Expr) -> str:
    """As in "f^2 x^-2"; of a sum of several, each once; "1" where it has none."""
    units = units_of(expr)
    if units is not None:
        return unit_text(units)
    parts = expr.args if isinstance(expr, sp.Add) else ()
    each = list(dict.fromkeys(spelled_units(part) for part in parts))
    return " + ".join(each) if each else "a mixture of units"


def unit_text(units: tuple[float, float]) -> str:
    """Powers of f and x as they are written."""
    powers = zip("fx", units, strict=True)
    written = [n if abs(p - 1) < 1e-9 else f"{n}^{p:.4g}" for n, p in powers if abs(p) > 1e-9]
    return " ".join(written) or "1"


def stands_for_a_number(symbol: sp.Symbol) -> bool:
    """True of a symbol ``<paper>_unit``: the number 1, printed where something with units belongs.

    It has these units, or no term with it would have any; its value stays 1 in all units.
    """
    name = symbols.name_of(symbol)
    return name.endswith("_unit") and symbols.meaning_of(symbol).units != (0, 0)


def scale_free(rule: sp.Basic | None) -> bool:
    """True unless a change of units f -> a f, x -> b x can change whether ``rule`` holds.

    Both sides of a relation have to scale alike; a side that is 0 scales like anything. A rule that
    is not scale-free says something about the units in use, which no theorem means to.
    """
    if rule is None or not getattr(rule, "free_symbols", None):
        return True
    with mpmath.workdps(DIGITS):
        plain, scaled = _points(rule.free_symbols)
        factors = []
        for side in (rule.lhs, rule.rhs):
            before = evaluate(side, plain)
            if before != 0:
                factors.append(evaluate(side, scaled) / before)
        return len(factors) < 2 or bool(
            abs(factors[0] - factors[1]) <= mpmath.mpf(10) ** -30 * abs(factors[1])
        )


_F, _X = mpmath.mpf(3) / 2, mpmath.mpf(7) / 5


def _points(
    free: Iterable[sp.Symbol], by_f: Any = _F, by_x: Any = _X
) -> tuple[dict[sp.Symbol, Any], dict[sp.Symbol, Any]]:
    """A generic point, and the same one in other units."""
    plain: dict[sp.Symbol, Any] = {}
    scaled: dict[sp.Symbol, Any] = {}
    for index, symbol in enumerate(sorted(free, key=str)):
        f, x = symbols.meaning_of(symbol).units
        value = mpmath.mpf(1) / mpmath.sqrt(sp.prime(index + 3))
        plain[symbol] = 3 if symbol.is_integer else value
        scaled[symbol] = plain[symbol] * by_f**f * by_x**x
    return plain, scaled
