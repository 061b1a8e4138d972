"""Bounds as numbers, and the curve of measured against bound over the rounds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import mpmath
import numpy as np
import sympy as sp

from theorylab import symbols
from theorylab.known import How, Known
from theorylab.runs import Support, Trace
from theorylab.statements import Order, Quantity, Version
from theorylab.verdicts.bound import bound_at
from theorylab.verdicts.case import ROUNDING, Case, Place, Seen
from theorylab.verdicts.evidence import value_on_side
from theorylab.verdicts.result import Curve, PlaceResult, finite

POINTS = 41


def usable(expr: sp.Expr, constants: Mapping[sp.Symbol, Known]) -> dict[sp.Symbol, Known] | None:
    """What ``expr`` needs of ``constants``; None where one is missing, infinite, or not known from
    the side needed."""
    needed = {s: constants[s] for s in symbols.symbols_of(expr) if s in constants}
    whole = len(needed) == len(symbols.symbols_of(expr))
    fits = all(k.finite and value_on_side(s, k) is not None for s, k in needed.items())
    return needed if whole and fits else None


def known_number(expr: sp.Expr | None, constants: Mapping[sp.Symbol, Known]) -> float | None:
    """``expr`` as a number where there is one and every constant in it is known from its side."""
    needed = None if expr is None else usable(expr, constants)
    return None if expr is None or needed is None else float(bound_at(expr, needed))


def log10_of(value: Any) -> float | None:
    """Of a number above 0; None of any other, and where there is none."""
    return None if value is None or not value > 0 else float(mpmath.log10(value))


def ratio_of(relation: str, measured: float | None, bound: Any) -> float | None:
    """How far the claim is used up: above 1 it is broken."""
    if measured is None or bound is None:
        return None
    above, below = (measured, bound) if relation == "<=" else (bound, measured)
    return finite(float(above / below)) if below > 0 else None


def rows_of(version: Version, seen: Seen) -> list[PlaceResult]:
    """Every place beside the bound there; of an order, every value of the sweep and the bracket."""
    right = version.bound if version.order is None else version.order.bracket
    rows = []
    for place in seen.behind or seen.places:
        needed = usable(right, place.constants)
        bound = None if needed is None else bound_at(right, needed)
        rows.append(
            PlaceResult(
                place=place.label,
                measured=finite(place.centre),
                ci=(finite(place.interval.low), finite(place.interval.high)),
                bound=None if bound is None else finite(float(bound)),
                log10_bound=log10_of(bound),
                ratio=ratio_of(version.relation, place.centre, bound),
            )
        )
    return rows


def first_below(bound: sp.Expr, constants: Mapping[sp.Symbol, Known], level: float) -> float | None:
    """About the smallest T at which the bound is below ``level``; None if no T up to 1e60 is.

    The other constants stay as they are. Bounds fall in T, so a bisection in log T finds it.
    """
    if symbols.T not in symbols.symbols_of(bound):
        return None

    def below(power: float) -> bool:
        there = {**constants, symbols.T: Known(10.0**power, How.EXACT, "a later round")}
        return bool(bound_at(bound, there) < level)

    low, high = 0.0, 60.0
    if not below(high):
        return None
    while high - low > 1e-3:
        middle = (low + high) / 2
        low, high = (low, middle) if below(middle) else (middle, high)
    return float(10.0**high)


def grid(rounds: int) -> list[int]:
    """Up to ``POINTS`` round counts from 1 to ``rounds``, evenly spaced in log, ends included."""
    return sorted({round(t) for t in np.geomspace(1, rounds, POINTS)})


def curve_of(
    bound: sp.Expr,
    constants: Mapping[sp.Symbol, Known],
    quantity: Quantity,
    trace: Trace,
    support: Support | None,
) -> Curve:
    """The statement read at every horizon of the grid, with the full run's network constants."""
    rounds = grid(trace.rounds)
    middle, low, high, top = [], [], [], []
    for t in rounds:
        values = trace.reduced(quantity.column, quantity.over, t)
        middle.append(float(values.mean()))
        if trace.exact:
            low.append(finite(middle[-1]))
            high.append(finite(middle[-1]))
        else:
            interval = (support or Support()).interval(
                values, room=ROUNDING * float(np.abs(values).max())
            )
            low.append(finite(interval.low))
            high.append(finite(interval.high))
        here: dict[Any, Known] = dict(constants)
        if symbols.T in here:
            here[symbols.T] = Known(float(t), How.EXACT, "point of the curve")
        top.append(finite(float(bound_at(bound, here))))
    return Curve(rounds=[*rounds], measured=middle, lower=low, upper=high, bound=top)


def curve_of_places(bound: sp.Expr, seen: Seen, relation: str = "<=") -> Curve | None:
    """Measured and bound against ``seen.axis``; None with fewer than two points.

    Where several places share a point of the axis, the one nearest to breaking the claim, or
    furthest beyond it, stands for it.
    """
    at: dict[float, tuple[Any, Place, float]] = {}
    for place in seen.places:
        needed = {s: place.constants[s] for s in symbols.symbols_of(bound)}
        value = bound_at(bound, needed)
        point = (place.at or {})[seen.axis]
        ratio = mpmath.mpf(place.centre) / value if value > 0 else mpmath.inf
        ratio = ratio if relation == "<=" else -ratio
        if point not in at or ratio > at[point][0]:
            at[point] = (ratio, place, float(value))
    if len(at) < 2:
        return None
    points = sorted(at)
    chosen = [at[point] for point in points]
    return Curve(
        rounds=[int(point) if point == int(point) else point for point in points],
        axis=seen.axis,
        measured=[place.centre for _, place, _ in chosen],
        lower=[finite(place.interval.low) for _, place, _ in chosen],
        upper=[finite(place.interval.high) for _, place, _ in chosen],
        bound=[finite(value) for _, _, value in chosen],
    )


def curve_of_order(version: Version, seen: Seen) -> Curve | None:
    """Of an order the left side over the bracket at every value of the sweep, and where the growth
    that is claimed leads from the first fitted value. None where one of these has no number."""
    order, places = version.order, sorted(seen.behind, key=lambda p: (p.at or {})[seen.axis])
    assert order is not None
    parts = (version.bound, order.bracket, *(() if order.left is None else (order.left,)))
    if any(usable(part, place.constants) is None for place in places for part in parts):
        return None
    fitted = seen.behind[-seen.fitted :]
    ratios = [_ratios(order, place) for place in places]
    start, first = _ratios(order, fitted[0])[0], (fitted[0].at or {})[seen.axis]
    numbers = [number for each in ratios for number in each]
    if not start > 0 or not all(math.isfinite(number) for number in numbers):
        return None
    along = [(place.at or {})[seen.axis] for place in places]
    growth = [
        start * bound_at(version.bound, place.constants) ** abs(math.log10(point / first))
        for place, point in zip(places, along, strict=True)
    ]
    middle, low, high = (list(column) for column in zip(*ratios, strict=True))
    return Curve(
        rounds=[int(point) if point == int(point) else point for point in along],
        axis=seen.axis,
        measured=middle,
        lower=[*low],
        upper=[*high],
        bound=[
            finite(float(top)) if any(place is one for one in fitted) else None
            for top, place in zip(growth, places, strict=True)
        ],
        text="left side over bracket",
    )


def _ratios(order: Order, place: Place) -> tuple[float, float, float]:
    """Centre, lower and upper limit of the left side over the bracket; inf where it is not > 0."""
    bracket = bound_at(order.bracket, place.constants)
    sides = [place.centre, place.interval.low, place.interval.high]
    if order.left is not None:
        sides = [bound_at(order.left, place.constants)] * 3
    middle, low, high = (float(s / bracket) if bracket > 0 else math.inf for s in sides)
    return middle, low, high


def curve_shown(
    case: Case,
    needed: Mapping[sp.Symbol, Known],
    seen: Seen,
    trace: Trace | None,
) -> Curve | None:
    """Measured against bound, over the places' axis or the rounds; of an order the ratio."""
    if case.version.order is not None:
        return curve_of_order(case.version, seen)
    if seen.axis:
        return curve_of_places(case.version.bound, seen, case.version.relation)
    quantity = case.quantity
    plain = quantity.over in ("average", "last", "max") and quantity.weights is None
    if trace is None or trace.weights is not None or quantity.pathwise or not plain:
        return None
    return curve_of(case.version.bound, needed, quantity, trace, seen.places[0].support)
