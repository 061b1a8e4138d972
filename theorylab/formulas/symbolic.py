"""Terms over symbols: one expression of sympy in the entries of x and of the data."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from theorylab.formulas.lines import computed
from theorylab.formulas.term import Shape, Term
from theorylab.formulas.values import Arrays

MOST_DIM = 8  # coordinates of which a Hessian is written out


class _Symbolic(Arrays):
    """sympy's functions, entry by entry."""

    def __getattr__(self, name: str) -> Any:
        import sympy

        known: dict[str, Callable[..., Any]] = {
            "absolute": sympy.Abs, "maximum": sympy.Max, "minimum": sympy.Min,
            "power": lambda a, k: a**k, "bell": lambda y: sympy.sech(y) ** 2,
            "logaddexp": lambda a, b: sympy.log(sympy.exp(a) + sympy.exp(b)),
            "log1p": lambda y: sympy.log(1 + y), "negative": lambda a: -a,
            "add": lambda a, b: a + b, "subtract": lambda a, b: a - b,
            "multiply": lambda a, b: a * b, "divide": lambda a, b: a / b,
            "less": lambda a, b: sympy.Lt(a, b), "less_equal": lambda a, b: sympy.Le(a, b),
            "where": lambda c, a, b: sympy.Piecewise((a, c), (b, True)),
        }  # fmt: skip
        of = known.get(name) or getattr(sympy, name)
        return lambda *values: np.asarray(
            np.frompyfunc(lambda *v: of(*map(_exact, v)), len(values), 1)(*values), object
        )

    def sum(self, a: Any, axes: Shape) -> Any:
        return np.asarray(a.sum(axes), object)

    def number(self, value: Fraction) -> Any:
        import sympy

        return sympy.Rational(value.numerator, value.denominator)

    def concatenate(self, parts: Any, axis: int) -> Any:
        return np.concatenate([np.asarray(part, object) for part in parts], axis)

    def zeros(self, shape: Any) -> Any:
        return np.zeros(shape, int).astype(object)


def _exact(value: Any) -> Any:
    """A float as the rational that it is."""
    import sympy

    if isinstance(value, float) and math.isfinite(value):
        return sympy.Rational(*value.as_integer_ratio())
    return value


def letters(name: str, shape: tuple[int, ...]) -> Any:
    """Real symbols, ``name`` for a number and ``name_1``, ``name_2`` for entries."""
    import sympy

    if not shape:
        return sympy.Symbol(name, real=True)
    made = np.empty(shape, object)
    for place in np.ndindex(shape):
        made[place] = sympy.Symbol(f"{name}_{''.join(str(k + 1) for k in place)}", real=True)
    return made


def expressions(output: Term, given: Mapping[str, Any]) -> Any:
    """sympy's expressions of an output, of inputs as symbols or numbers, exactly."""
    (made,) = computed([output], {k: _exactly(v) for k, v in given.items()}, _Symbolic())
    return made.item() if np.shape(made) == () and hasattr(made, "item") else made


def _exactly(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        made = np.frompyfunc(_exact, 1, 1)(value)
        return made
    return _exact(float(value)) if isinstance(value, int | float) else value
