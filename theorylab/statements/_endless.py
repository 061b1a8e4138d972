"""The terms of a sum to infinity, as products of which a rest can be bounded.

A factor is a power of a polynomial in the index k, a power b^(a k + c), a power of the logarithm of
a k + c, or one of a factorial (k + c)!. A term is a product of these, or a sum of products.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import sympy as sp


@dataclass(frozen=True)
class Part:
    """A product in the index: coefficient, (coefficients from the constant on, power) of
    polynomials, (b, a, c) of b^(a k + c), (a, c, power) of logarithms, (c, power) of (k + c)!.

    The entries are expressions, or what ``numbers`` makes of them.
    """

    factor: Any
    powers: tuple[tuple[tuple[Any, ...], Any], ...] = ()
    bases: tuple[tuple[Any, ...], ...] = ()
    logs: tuple[tuple[Any, ...], ...] = ()
    factorials: tuple[tuple[Any, ...], ...] = ()


def parts_of(term: sp.Expr, index: sp.Symbol) -> list[Part]:
    """``term`` as a sum of products; NotImplementedError where it is none."""
    for way in (lambda: [term], lambda: sp.Add.make_args(sp.expand(term)),
                lambda: [sp.factor(term)]):  # fmt: skip
        found = [_part(each, index) for each in way()]
        if None not in found:
            return [each for each in found if each is not None]
    raise NotImplementedError(
        f"no bound is known of the rest of a sum of {term} to infinity; need its closed form"
    )


def _part(term: sp.Expr, index: sp.Symbol) -> Part | None:
    factor = sp.Integer(1)
    bases, logs, factorials = (list[tuple[Any, ...]]() for _ in range(3))
    powers: dict[sp.Expr, sp.Expr] = {}  # together: what cancels in a product is not lost
    for each in sp.Mul.make_args(term):
        base, power = each.as_base_exp()
        if index not in each.free_symbols:
            factor *= each
        elif index not in base.free_symbols:
            line = _coefficients(power, index)
            if len(line) != 2:
                return None
            bases.append((base, line[1], line[0]))
        elif index in power.free_symbols:
            return None
        elif isinstance(base, sp.log) and len(_coefficients(base.args[0], index)) == 2:
            low, high = _coefficients(base.args[0], index)
            logs.append((high, low, power))
        elif isinstance(base, sp.factorial | sp.gamma):
            line = _coefficients(base.args[0], index)
            if len(line) != 2 or line[1] != 1 or not power.is_Integer:
                return None
            factorials.append((line[0] - int(isinstance(base, sp.gamma)), power))
        elif base.is_polynomial(index):
            powers[power] = powers.get(power, 1) * base
        else:
            return None
    rows = tuple((_coefficients(base, index), power) for power, base in powers.items())
    return Part(factor, rows, tuple(bases), tuple(logs), tuple(factorials))


def _coefficients(expr: sp.Expr, index: sp.Symbol) -> tuple[sp.Expr, ...]:
    """From the constant on; () of what is no polynomial in the index."""
    if not expr.is_polynomial(index):
        return ()
    return tuple(reversed(sp.Poly(expr, index).all_coeffs()))


def written(part: Part, code: Callable[[sp.Expr], str]) -> str:
    """The part as Python that makes one of numbers."""

    def row(entries: Any) -> str:
        if isinstance(entries, tuple):
            return f"({''.join(f'{row(each)}, ' for each in entries)})"
        return code(entries)

    fields = (part.factor, part.powers, part.bases, part.logs, part.factorials)
    return f"_part({', '.join(map(row, fields))})"
