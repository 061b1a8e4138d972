"""Where in a run a claim is made: one number of all rounds, or a place at every round."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import mpmath
import numpy as np
from numpy.typing import NDArray

from theorylab import symbols
from theorylab.exact import span
from theorylab.known import How, Known
from theorylab.runs import Interval, Observation, Row, Support, point
from theorylab.runs.simulate import lost
from theorylab.statements import DIGITS, Quantity, evaluate
from theorylab.verdicts.case import ROUNDING, Case, Constants, Place, error_of, outermost
from theorylab.verdicts.evidence import value_on_side
from theorylab.verdicts.likely import narrowed
from theorylab.verdicts.observe import claimed_quantile
from theorylab.verdicts.support import support_of, support_of_rows

Floats = NDArray[Any]
SAMPLED = 1024  # rounds whose expectations are estimated together
MOST = 100_000  # places of one claim
UNKNOWN = Support()  # but that no run is below 0
_GRID = 256  # rounds among which a least expectation is looked for from above


def _none(values: Floats) -> float:
    return 0.0


@dataclass(frozen=True)
class Series:
    """A left-hand side at every round.

    values: (R, T), at x^0 .. x^{T-1}; one row where it is an exact expectation. last: (R,), at x^T;
    None of what only a round has. weights: (R,), chances, where the rows are outcomes of a finite
    law. room: the absolute error of a round's values (R,), besides a relative 1e-9.
    iterate: (R,), at the average iterate. support: what is known of every number of a run.
    likely: of a sample, the same in the likeliest outcomes of what is drawn. error: a ``Place``'s.
    """

    values: Floats
    last: Floats | None
    exact: bool
    weights: Floats | None = None
    room: Callable[[Floats], float] = _none
    iterate: Floats | None = None
    support: Support = UNKNOWN
    likely: Series | None = None
    error: float | None = None


def series_of(name: str, found: Observation, rounds: int) -> Series:
    """The rows of a metric at rounds 0 .. T-1, and at x^T where its ``last`` gives one.

    Raises ValueError unless there is one row a round, which says its t.
    """
    by_round: dict[int, Row] = {}
    for row in found.rows:
        t = row.at.get("t")
        if not isinstance(t, int | float | np.number) or int(t) in by_round:
            came = "no t" if t is None else f"two rows at t={t}"
            raise ValueError(
                f"metric {name}: row {row.label!r} came with {came}; need one row a round, "
                "Row(values, {'t': before.t}), for a claim about all rounds, or over 'rows'"
            )
        by_round[int(t)] = row
    if missing := [t for t in range(rounds) if t not in by_round]:
        raise ValueError(f"metric {name}: no row at t={missing[0]}; need one at every round")
    rows, last = [by_round[t] for t in range(rounds)], by_round.get(rounds)
    every = (*rows, *filter(None, (last,)))
    largest_room = max(row.rounding or 0.0 for row in every)
    return Series(
        np.stack([row.values for row in rows], axis=1),
        None if last is None else last.values,
        found.exact,
        rows[0].weights,
        room=lambda values: largest_room,
        likely=_likely(rows, last),
        support=support_of_rows(every, largest_room),
        error=max((e for e in map(error_of, every) if e is not None), default=None),
    )


def _likely(rows: Sequence[Row], last: Row | None) -> Series | None:
    """The rows in the likeliest outcomes, where every one has them."""
    every = [row.likely for row in (*rows, *filter(None, (last,)))]
    pairs = [pair for pair in every if pair is not None]
    if not pairs or len(pairs) < len(every):
        return None
    columns, room = [values for values, *_ in pairs], max(room for *_, room in pairs)
    return Series(
        np.stack(columns[: len(rows)], axis=1),
        None if last is None else columns[-1],
        True,
        pairs[0][1],
        room=lambda values: room,
    )


def shares(quantity: Quantity, constants: Constants, rounds: int) -> Floats:
    """w_0 .. w_{T-1} of a (weighted) average, (T,), which sum to 1.

    Raises ValueError where a weight is negative, or no number, or all are 0.
    """
    if quantity.weights is None:
        return np.full(rounds, 1 / rounds)
    expr = quantity.weights
    free = symbols.symbols_of(expr) - {symbols.t}
    values = {symbol: value_on_side(symbol, constants[symbol]) for symbol in free}
    if any(value is None for value in values.values()):
        raise ValueError(f"weights: {expr} has a constant that is not known; need all of them")
    moving = symbols.t in expr.free_symbols
    each = [evaluate(expr, {**values, symbols.t: t}) for t in range(rounds if moving else 1)]
    with mpmath.workdps(DIGITS):
        total = mpmath.fsum(each)
        if min(each) < 0 or not total > 0:
            raise ValueError(f"weights: {expr} is {float(min(each)):.6g} at a round; need >= 0")
        made = np.array([float(w / total) for w in each])
    return made if moving else np.full(rounds, 1 / rounds)


def places_of(case: Case, series: Series, constants: Constants, seeds: int) -> tuple[Place, ...]:
    """The place, or places, that the quantity of ``case`` speaks of."""
    over = case.quantity.over
    if over == "every":
        return _every(case, series, constants, seeds)
    if over == "best":
        _in_float64(case, series.values)
        return (_best(case, series, constants),)
    one = _of_each(case, series, constants)
    # Of an average, too: the room is concave in the value, so that of the mean is the largest.
    place = _place(case, one, series, constants, seeds, series.room(one))
    if series.likely is not None:
        there = _of_each(case, series.likely, constants)
        place = _narrowed(place, series.likely, there)
    return (place,)


def _in_float64(case: Case, values: Floats) -> None:
    if not np.isfinite(values).all():
        first = int(np.argmin(np.isfinite(values).all(axis=0)))
        what = lost(values[:, first])
        raise ValueError(f"trace: {case.quantity.column} {what} at round {first}")


def _narrowed(place: Place, likely: Series, values: Floats) -> Place:
    """``place`` of a sample, by what ``values`` (K,) are in the likeliest outcomes."""
    if place.support is None or likely.weights is None:
        return place
    room = likely.room(values)
    centre, interval = narrowed(
        place.centre, place.interval, place.support, values, likely.weights, room
    )
    return replace(place, centre=centre, interval=interval)


def _of_each(case: Case, series: Series, constants: Constants) -> Floats:
    """What the quantity takes of every run, (R,)."""
    over, values = case.quantity.over, series.values
    if over not in ("last", "average iterate") and not np.isfinite(values).all():
        _in_float64(case, values)
    if over in ("last", "average iterate"):
        one = series.last if over == "last" else series.iterate
        if one is None:
            need = "a method last(self, state) with the row of x^T" if over == "last" else "another"
            raise ValueError(f"{case.quantity.column} has no value over {over!r}; need {need}")
        if not np.isfinite(one).all():
            raise ValueError(f"trace: {case.quantity.column} {lost(one)} in the last round")
    elif over == "average":
        plain = case.quantity.weights is None
        one = values.mean(axis=1) if plain else _weighted(case, series, constants)
    else:
        one = values.min(axis=1) if over == "run best" else values.max(axis=1)
    return one


def _weighted(case: Case, series: Series, constants: Constants) -> Floats:
    weights = shares(case.quantity, constants, series.values.shape[1])
    return np.asarray((series.values * weights).sum(axis=1))  # not by BLAS: a fixed order


def _every(case: Case, series: Series, constants: Constants, seeds: int) -> tuple[Place, ...]:
    if series.last is None:
        raise ValueError(f"{case.quantity.column} has no value at x^T; need another than 'every'")
    values = np.concatenate([series.values[:, 1:], series.last[:, None]], axis=1)
    count = values.shape[1]
    most = MOST if series.exact else SAMPLED
    if count > most:
        raise ValueError(f"over 'every' came with {count} rounds; need at most {most} here")
    if not np.isfinite(values).all():
        raise ValueError(f"trace: {case.quantity.column} {lost(values)} in the last round")
    places = []
    for k in range(count):
        t = k + 1
        here = {**constants, symbols.t: Known(float(t), How.EXACT, f"at t={t}", asked=span(t))}
        room = series.room(values[:, k])
        place = _place(case, values[:, k], series, here, seeds, room, case.share / count)
        if series.likely is not None:
            likely = series.likely
            end = likely.last if t == count else likely.values[:, t]
            assert end is not None
            place = _narrowed(place, likely, end)
        places.append(replace(place, label=f"t={t}", at={"t": float(t)}))
    return tuple(places)


def _best(case: Case, series: Series, constants: Constants) -> Place:
    """min over t of E column_t: the least of the means, and limits that hold for that."""
    values, weights = series.values, series.weights
    if weights is not None:
        values = (values * weights[:, None]).sum(axis=0)[None]
    if series.exact:
        rooms = [series.room(values[:, k]) for k in range(values.shape[1])]
        both = ROUNDING * np.abs(values[0]) + np.array(rooms)
        centre, k = float(values[0].min()), int(values[0].argmin())
        low, high = float((values[0] - both).min()), float((values[0] + both).min())
        interval = Interval(low, high, True, f"least of {len(rooms)} exact expectations")
        place = Place(values[:, k], centre, interval, True, constants, room=float(both[k]))
        return replace(place, error=series.error)
    support, rounds = support_of(case, constants, series.support), values.shape[1]
    looked = np.unique(np.linspace(0, rounds - 1, min(rounds, _GRID)).astype(int))
    share, slack = case.share / (2 * len(looked)), _slack(values, series.room(values[:, 0]))
    each = [support.interval(values[:, k], share, slack) for k in looked]
    # E min <= min E: what each run's least is above, the least expectation is, too
    low = (
        replace(support, kurtosis=None, self_bound=None)
        .interval(values.min(axis=1), case.share / 2, slack)
        .low
    )
    if len(looked) == rounds:
        low = max(low, min(one.low for one in each))
    best = min(each, key=lambda one: one.high)
    means = values.mean(axis=0)
    k = int(means.argmin())
    room = series.room(values[:, k])
    high = max(best.high, low)
    method = f"least of {len(looked)} expectations, {best.method}"
    interval = Interval(low - room, high + room, best.rigorous, method)
    place = Place(
        *(values[:, k], float(means[k]), interval, False, constants),
        room=room or None,
        support=support,
    )
    if series.likely is None:
        return place
    # the least of the limits from below, and the one from above of the round it is of
    ends = [_narrowed(place, series.likely, one) for one in series.likely.values.T]
    least = min(ends, key=lambda one: one.interval.low)
    best_end = min((place, *ends), key=lambda one: one.interval.high)
    shown = least if least.interval.low > place.interval.low else best_end
    low = max(place.interval.low, least.interval.low)
    interval = replace(shown.interval, low=low, high=max(low, best_end.interval.high))
    return replace(shown, interval=interval)


def _place(
    case: Case,
    values: Floats,
    series: Series,
    constants: Constants,
    seeds: int,
    room: float,
    share: float | None = None,
) -> Place:
    """One number a run, judged as the quantity says: in expectation, in every run, or by chance."""
    quantity, share = case.quantity, case.share if share is None else share
    weights, exact, support = series.weights, series.exact, None
    centre = float(values.mean() if weights is None else (weights * values).sum())
    if quantity.pathwise:
        seen = values if weights is None else values[weights > 0]
        centre, interval = outermost(seen, case.version.relation)
    elif quantity.chance is not None:
        row = Row(values, weights=weights)
        centre, interval = claimed_quantile(case, row, constants, seeds, exact, share)
    elif exact:
        interval = point(centre, ROUNDING)
    else:
        support = support_of(case, constants, series.support)
        interval = support.interval(values, share, _slack(values, room))
    if room:
        method = f"{interval.method}, absolute rounding {room:.1e}"
        low, high = interval.low - room, interval.high + room
        interval = replace(interval, low=low, high=high, method=method)
        room += ROUNDING * abs(centre) if exact else 0.0
    place = Place(values, centre, interval, exact, constants, room=room or None, support=support)
    return replace(place, error=series.error)


def _slack(values: Floats, room: float) -> float:
    """How far rounding may put a run beyond its bounds."""
    return room + ROUNDING * float(np.abs(values).max())
