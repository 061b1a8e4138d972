"""Numbers for sums: how many terms an expression may have, and what they come to."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import mpmath
import sympy as sp

from theorylab.statements._endless import Part
from theorylab.statements._rest import total

MOST_TERMS = 200_000  # of all sums of one expression together: they take seconds
SURE = 1e-9  # of a sum to infinity: what its ball may be off
_GUARD = 32  # bits of a sum to infinity beyond those asked for


class TooLongError(ValueError):
    """An expression has a number, but its sums have more terms than are allowed."""


@functools.lru_cache(maxsize=1 << 11)  # sympy walks the whole expression every time
def adds(expr: sp.Basic) -> bool:
    """Whether it has sums or products of terms, which count whenever they are asked for."""
    return bool(expr.has(sp.Sum, sp.Product))


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


def counted(terms: int) -> None:
    """Refuse what has more terms than are left, before they are added."""
    left = _LEFT.get()
    if left is not None and terms > left.terms:
        raise TooLongError(
            f"evaluate: the sums of a check have more than {left.most} terms together; need a "
            "closed form, or fewer places"
        )


def took(terms: int) -> None:
    """Count terms that were added off what is left; refuse them where there are not so many."""
    counted(terms)
    if (left := _LEFT.get()) is not None:
        left.terms -= terms


def spelled(number: mpmath.mpf) -> str:
    """Six digits, as a power of ten where float64 has no such number: no inf and no silent 0."""
    if number == 0 or 1e-300 < abs(number) < 1e300:
        return f"{float(number):.6g}"
    sign = "-" if number < 0 else ""
    return f"{sign}10^{float(mpmath.log10(abs(number))):.1f}"


class Sums:
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
        total = self.number(0)
        for k in self._places("sum", first, last):
            total = total + term(self.number(k))
        return total

    def multiplied(self, factor: Callable[[Any], Any], first: Any, last: Any) -> Any:
        total = self.number(1)
        for k in self._places("product", first, last):
            total = total * factor(self.number(k))
        return total

    def endless(self, first: Any, *parts: Part) -> Any:
        """The sum to infinity of parts; with digits the middle of its ball, which has nine."""
        start = self._places("sum", first, first)[0]
        with _guarded():
            ball = total(list(parts), start, self._count)
        if self.number is not mpmath.mpf:
            return ball
        if not ball.is_finite():
            raise ValueError("a term of a sum to infinity has no finite real value")
        if ball.rad() > SURE * abs(ball).upper():
            known = f"[{ball.lower().str(6, radius=False)}, {ball.upper().str(6, radius=False)}]"
            raise ValueError(f"all that is known of a sum to infinity is that it lies in {known}")
        return _middle(ball)

    def part(self, *fields: Any) -> Part:
        """A product of a sum to infinity, of balls."""
        if self.number is int:
            raise NotImplementedError("floats have no sum to infinity")
        with _guarded():
            return Part(*(_balls(each) for each in fields))

    def _count(self, terms: int) -> None:
        self.terms += terms
        counted(self.terms)

    def _places(self, kind: str, first: Any, last: Any) -> range:
        """first..last, which are counted before one is taken; TooLongError where too many."""
        ends = [_integer(end) for end in (first, last)]
        if first != ends[0] or last != ends[1]:
            raise ValueError(f"a {kind} from {first} to {last}; need integers")
        count = max(0, ends[1] - ends[0] + 1)
        self.terms += count
        if self.terms > MOST_TERMS:
            raise TooLongError(
                f"evaluate: {kind}s of {spelled(mpmath.mpf(self.terms))} terms; need at most "
                f"{MOST_TERMS}, or a closed form"
            )
        counted(self.terms)
        return range(ends[0], ends[0] + count)


def _guarded() -> Any:
    """Arb with more bits than the numbers at hand."""
    from flint import ctx  # slow to import

    return ctx.workprec(max(ctx.prec, mpmath.mp.prec) + _GUARD)


def _integer(end: Any) -> int:
    """Of a number, or of a ball around it; ValueError where it is infinite."""
    if isinstance(end, mpmath.mpf) and not mpmath.isfinite(end):
        raise ValueError(f"a sum or product to {end}; need a finite end")
    return int(end.unique_fmpz() if hasattr(end, "unique_fmpz") else end)


def _middle(ball: Any) -> mpmath.mpf:
    """The middle of a ball, with all of its digits."""
    mantissa, exponent = ball.mid().man_exp()
    return mpmath.ldexp(mpmath.mpf(int(mantissa)), int(exponent))


def _balls(entry: Any) -> Any:
    """The numbers of nested rows as balls, none of which is rounded."""
    from flint import arb

    if isinstance(entry, tuple):
        return tuple(map(_balls, entry))
    if isinstance(entry, mpmath.mpf):
        mantissa, exponent = entry.man_exp  # without its sign
        return arb(int(mantissa) * (1 if entry > 0 else -1)) * arb(2) ** int(exponent)
    return arb(entry)
