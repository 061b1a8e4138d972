"""NumPy's functions of whole arrays, of terms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from theorylab.formulas.term import FormulaError, Term, applied, product, summed, term


def joined(parts: Sequence[Any], axis: int = 0) -> Term:
    """np.concatenate of vectors."""
    terms = [term(part) for part in parts]
    if any(len(part.shape) != 1 for part in terms) or axis not in (0, -1):
        raise FormulaError("it concatenates what is no vector")
    terms = [part for part in terms if part.shape != (0,)]
    if len(terms) == 1:
        return terms[0]
    return Term("concatenate", terms, (sum(part.shape[0] for part in terms),))


def _stacked(parts: Sequence[Any], axis: int = 0) -> Term:
    return joined([term(part)[None] for part in parts], axis)


def _clipped(x: Any, low: Any, high: Any) -> Term:
    return applied("minimum", applied("maximum", x, low), high)


FUNCTIONS: dict[str, Callable[..., Term]] = {
    "where": lambda c, a, b: applied("where", c, a, b),
    "sum": lambda x, axis=None: summed(term(x), axis),
    "mean": lambda x, axis=None: term(x).mean(axis),
    "clip": _clipped,
    "concatenate": joined,
    "stack": _stacked,
    "dot": product,
}
