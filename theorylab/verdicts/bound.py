"""The right side as a number, and what it is with the numbers as they were asked for.

A bound takes every constant from the side that keeps a theorem true. What branches in it (a floor,
a condition, a root of what is 0) is decided with the rationals that were written: eta = .3 and
T = 10 have floor(eta T) = 3, whatever float64 is next to .3.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

import mpmath
import sympy as sp

from theorylab import symbols
from theorylab.exact import Span
from theorylab.known import Known
from theorylab.statements import BITS, BRANCHES, TooLongError, enclosed, evaluate, resolved, spelled
from theorylab.verdicts.case import ROUNDING
from theorylab.verdicts.evidence import value_on_side
from theorylab.verdicts.relation import numbers_of

_NO_NUMBER = (sp.nan, sp.zoo, sp.oo, -sp.oo)


def bound_at(
    expr: sp.Expr,
    constants: Mapping[sp.Symbol, Known],
    values: Mapping[sp.Symbol, Any] | None = None,
) -> mpmath.mpf:
    """``expr`` with every constant plugged in from its valid side; never overflows. Where branches
    may go several ways the largest of them. ``values``: what ``values_of`` finds, where it is
    known."""
    values = values_of(expr, constants) if values is None else values
    if not _branches(expr):
        try:
            return evaluate(expr, values)
        except TooLongError:
            raise
        except ValueError:  # it may be rounding that has no root
            ways = _ways(expr, constants, edges=True)
            if ways is None or ways == [expr]:
                raise
    else:
        ways = _ways(expr, constants)
    if ways is None:
        return evaluate(expr, values)
    found = [evaluate(way, values) for way in ways if not way.has(*_NO_NUMBER)]
    return max(found) if found else evaluate(expr, values)


def values_of(expr: sp.Expr, constants: Mapping[sp.Symbol, Known]) -> dict[sp.Symbol, Any]:
    """The valid side of every constant of ``expr``."""
    return {s: value_on_side(s, constants[s]) for s in symbols.symbols_of(expr)}


@functools.lru_cache(maxsize=1 << 11)  # sympy walks the whole expression every time
def _branches(expr: sp.Expr) -> bool:
    return bool(expr.has(*BRANCHES))


def unsure(
    expr: sp.Expr, constants: Mapping[sp.Symbol, Known], level: float, relation: str, broken: bool
) -> str:
    """Why the limit ``level`` of the measured side, which breaks the claim (or does not) against
    ``bound_at``, does otherwise with the numbers as they were asked for; "" where it does not."""
    end = None
    for narrow in (False, True):  # the narrower ends take longer
        ends = _ends(expr, constants, narrow)
        if ends is None:
            return "the bound has no finite number with the numbers that were asked for"
        end = ends[0] if (relation == "<=") != broken else ends[1]
        room = ROUNDING * abs(end)
        over = level > end + room if relation == "<=" else level < end - room
        if over == broken:
            return ""
    here = spelled(bound_at(expr, constants))
    return (
        f"the bound is {here} with the numbers of the run, and may be {spelled(end)} with those "
        "that were asked for"
    )


def _ends(
    expr: sp.Expr, constants: Mapping[sp.Symbol, Known], narrow: bool
) -> tuple[Any, Any] | None:
    """The least and the largest that ``expr`` may be with its constants as they were asked for;
    None where it may be no finite number."""
    spans = _spans(expr, constants)
    if spans is None:  # numbers beyond float64 were never typed
        value = bound_at(expr, constants)
        return value, value
    return _enclosed(expr, tuple(spans.items()), narrow)


@functools.lru_cache(maxsize=1 << 13)
def _enclosed(
    expr: sp.Expr, pairs: tuple[tuple[sp.Symbol, Span], ...], narrow: bool
) -> tuple[Any, Any] | None:
    spans = dict(pairs)
    found: list[tuple[Any, Any]] = []
    try:
        for way in resolved(expr, spans):
            ball = None if way.has(*_NO_NUMBER) else enclosed(way, spans, BITS[0])
            if ball is not None:
                found.append(_narrowed(way, spans, ball) if narrow else _span(ball))
                continue
            for edge in resolved(way, spans, edges=True):
                ball = None if edge.has(*_NO_NUMBER) else enclosed(edge, spans, BITS[0])
                if ball is None:
                    return None if edge != way else _middle(expr, spans)
                found.append(_span(ball))
    except NotImplementedError:
        return _middle(expr, spans)
    return min(low for low, _ in found), max(high for _, high in found)


def _narrowed(way: sp.Expr, spans: Mapping[sp.Symbol, Span], ball: Any) -> tuple[Any, Any]:
    """The ends of ``ball``, or what the mean value theorem leaves of them.

    A ball takes every place of a symbol for a number of its own: (x - y)/(1 - x) with x near 1 is
    as wide as 1/(1 - x) makes it. The slopes over the spans say how far the value really moves.
    """
    low, high = _span(ball)
    wide = sorted((s for s in way.free_symbols if spans[s][0] < spans[s][1]), key=str)
    form, middles, offsets = _about_middle(way, tuple(wide))
    there = dict(spans)
    for symbol, middle, offset in zip(wide, middles, offsets, strict=True):
        first, last = spans[symbol]
        half = (last - first) / 2
        there |= {middle: (first + half, first + half), offset: (-half, half)}
    other = None if form is None else enclosed(form, there, BITS[0])
    if other is None:  # no slope is known everywhere, as at a corner
        return low, high
    ends = _span(other)
    return max(low, ends[0]), min(high, ends[1])


@functools.lru_cache(maxsize=1 << 10)
def _about_middle(
    way: sp.Expr, wide: tuple[sp.Symbol, ...]
) -> tuple[sp.Expr | None, list[sp.Symbol], list[sp.Symbol]]:
    """(way(middle) + sum_k slope_k offset_k, the middles, the offsets), the slopes at any point."""
    middles = [sp.Symbol(f" middle {k}", **s.assumptions0) for k, s in enumerate(wide)]
    offsets = [sp.Symbol(f" offset {k}", real=True) for k in range(len(wide))]
    slopes = [way.diff(symbol) for symbol in wide]
    if any(slope.has(sp.Derivative, sp.Subs, sp.DiracDelta) for slope in slopes):
        return None, middles, offsets
    moved = sum((s * o for s, o in zip(slopes, offsets, strict=True)), sp.Integer(0))
    return way.xreplace(dict(zip(wide, middles, strict=True))) + moved, middles, offsets


def _span(ball: Any) -> tuple[Any, Any]:
    return _mpf(ball.lower()), _mpf(ball.upper())


def _middle(expr: sp.Expr, spans: Mapping[sp.Symbol, Span]) -> tuple[Any, Any] | None:
    """Where no ball is known."""
    try:
        value = evaluate(expr, {s: (low + high) / 2 for s, (low, high) in spans.items()})
    except TooLongError:
        raise
    except ValueError:
        return None
    return value, value


def _mpf(exactly: Any) -> Any:
    mantissa, exponent = exactly.man_exp()
    with mpmath.workprec(BITS[1]):
        return mpmath.ldexp(mpmath.mpf(int(mantissa)), int(exponent))


def _spans(expr: sp.Expr, constants: Mapping[sp.Symbol, Known]) -> dict[sp.Symbol, Span] | None:
    numbers = {
        s: numbers_of(constants[s], value_on_side(s, constants[s]))
        for s in symbols.symbols_of(expr)
    }
    if any(each.digits is not None for each in numbers.values()):
        return None
    return {s: each.asked for s, each in numbers.items()}


def _ways(
    expr: sp.Expr, constants: Mapping[sp.Symbol, Known], *, edges: bool = False
) -> list[sp.Expr] | None:
    """``expr`` without branches, each way that these may go; None where they are not known."""
    spans = _spans(expr, constants)
    return None if spans is None else _without_branches(expr, tuple(spans.items()), edges)


@functools.lru_cache(maxsize=1 << 13)
def _without_branches(
    expr: sp.Expr, pairs: tuple[tuple[sp.Symbol, Span], ...], edges: bool
) -> list[sp.Expr] | None:
    try:
        return resolved(expr, dict(pairs), edges=edges)
    except NotImplementedError:
        return None
