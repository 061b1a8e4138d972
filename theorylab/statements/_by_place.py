"""Expressions as functions of their symbols by place, for any kind of numbers."""

from __future__ import annotations

import builtins
import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import sympy as sp

from theorylab.statements._endless import parts_of, written
from theorylab.statements._functions import FUNCTIONS
from theorylab.statements._sums import Sums


def by_place(
    expr: sp.Expr, order: Sequence[sp.Symbol], printer: Any, names: Mapping[str, Any]
) -> Callable[..., Any]:
    """``expr`` as a function of the symbols in ``order``, each an argument by its place.

    sympy's ``lambdify`` does the same, but a letter such as \\eta_l is no Python name, so it first
    rebuilds the expression with other symbols: fifteen times the work, on every import.

    Args:
        printer: a class of sympy's that prints Python. names: what its code may refer to.
    """
    code = _code(expr, tuple(order), printer, "_called" in names)
    head = ", ".join(f"_{place}" for place in range(len(order)))
    sums = Sums(names.get("mpf", int))
    made: Callable[..., Any] = eval(
        f"lambda {head}: {code}",
        {
            **{"builtins": builtins, "_once": sums.once},
            **{"_added": sums.added, "_multiplied": sums.multiplied, "_endless": sums.endless},
            **{"_part": sums.part, **names},
        },
    )
    return sums.counted(made) if expr.has(sp.Sum, sp.Product) else made


@functools.lru_cache(maxsize=2048)  # numbers of 50 digits and balls read the same lines
def _code(expr: sp.Expr, order: tuple[sp.Symbol, ...], printer: Any, named: bool) -> str:
    """``expr`` as Python, whose names are those of ``by_place``; ``named``: the functions of
    ``FUNCTIONS`` are called by their names."""
    arguments = {symbol: f"_{place}" for place, symbol in enumerate(order)}
    seen: dict[sp.Basic, int] = {}

    def place_of(expr: sp.Basic) -> int:
        return seen.setdefault(expr, len(seen))

    class ByPlace(printer):  # type: ignore[misc]
        def _print_Symbol(self, expr: sp.Symbol) -> str:
            return arguments.get(expr) or str(super()._print_Symbol(expr))

        def _print(self, expr: Any, **settings: Any) -> str:
            name = type(expr).__name__
            if named and name in FUNCTIONS:
                given = ", ".join(self._given(each) for each in expr.args)
                return f"_called({name!r}, {given})"
            return str(super()._print(expr, **settings))

        def _given(self, part: Any) -> str:
            """An argument; those of a hypergeometric function are rows of numbers."""
            if not isinstance(part, sp.Tuple):
                return str(self._print(part))
            return f"[{', '.join(map(self._given, part))}]"

        def _print_Sum(self, expr: sp.Sum) -> str:
            return self._over(expr, "_added")

        def _print_Product(self, expr: sp.Product) -> str:
            return self._over(expr, "_multiplied")

        def _over(self, expr: Any, how: str) -> str:
            for index, *_ in expr.limits:
                arguments.setdefault(index, f"_{len(arguments)}")
            code = self._print(expr.function)
            for place, (index, first, last) in enumerate(expr.limits):
                if last is sp.oo:
                    if place or how != "_added":
                        raise NotImplementedError(f"no bound of the rest of {expr} is known")
                    parts = [written(p, self._print) for p in parts_of(expr.function, index)]
                    code = f"_endless({self._print(first)}, {', '.join(parts)})"
                    continue
                ends = f"{self._print(first)}, {self._print(last)}"
                code = f"{how}(lambda {arguments[index]}: {code}, {ends})"
            if expr.free_symbols <= set(order):  # the same number wherever else it stands
                code = f"_once({place_of(expr)}, lambda: {code})"
            return code

        def _print_Dummy(self, expr: sp.Dummy) -> str:
            return self._print_Symbol(expr)

        def _print_not_supported(self, expr: Any) -> str:
            raise NotImplementedError(f"theorylab computes no {type(expr).__name__}")

        def _print_Integral(self, expr: sp.Integral) -> str:
            raise NotImplementedError("an integral; need its closed form")

    return str(ByPlace({"fully_qualified_modules": True, "inline": True}).doprint(expr))
