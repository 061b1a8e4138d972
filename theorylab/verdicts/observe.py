"""The measured side of a statement about an experiment: its rows as places."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import sympy as sp

from theorylab.exact import floated, span
from theorylab.experiments import Experiment, Observation, Row, check_column, experiment
from theorylab.files import named_files
from theorylab.known import How, Known
from theorylab.own import is_own
from theorylab.runs import Interval, gaussian_interval, quantile_interval
from theorylab.runs.confidence import ERROR_ABOVE, ERROR_BELOW
from theorylab.runs.price import Price, kept_at_its_price
from theorylab.runs.rounding import size_room
from theorylab.verdicts.case import ROUNDING, Case, Constants, Place, Seen, error_of, outermost
from theorylab.verdicts.curve import known_number
from theorylab.verdicts.evidence import (
    check_meanings,
    completed,
    constant_name,
    with_rationals,
)
from theorylab.verdicts.instance import computed_constants, given_constants
from theorylab.verdicts.likely import narrowed
from theorylab.verdicts.of_run import ROUNDOFF
from theorylab.verdicts.support import support_of, support_of_rows

FIRST_BATCH = 16  # runs; each batch after it doubles them
MOST_FOR_A_LIMIT = 1 << 16  # runs that are made beyond those asked for


class Observed:
    """An experiment built from a check's instance, with what it has measured so far."""

    def __init__(self, case: Case) -> None:
        options = dict(case.check.instance)
        self.given = given_constants(case.where, options.pop("constants", {}))
        self.written = options
        self.options = floated(options)[0]
        options = self.options
        try:
            self.experiment: Experiment = experiment(case.statement.experiment, **options)
        except (ValueError, TypeError) as error:
            raise type(error)(f"{case.where}: {error}") from None
        if self.experiment.columns:
            check_column(self.experiment, case.quantity.column)
        names = {constant_name(case.version, s): s for s in case.wanted}
        self._symbols = names

    def constants(self, case: Case) -> dict[sp.Symbol, Known]:
        """What the experiment and the instance define of the wanted constants."""
        table = {"roundoff": ROUNDOFF, **self.experiment.constants()}
        table = with_rationals(table, self.written, self.written)
        own = computed_constants(case.where, case.version, self.experiment)
        check_meanings(case.where, {s: name for name, s in self._symbols.items()}, table)
        completed(case.where, table, self.given | own, ())
        return {s: table[name] for name, s in self._symbols.items() if name in table}

    @property
    def content(self) -> Experiment:
        """What the instance builds, for functions of it."""
        return self.experiment

    def described(self, case: Case) -> dict[str, Any]:
        """The instance as it stands in a result."""
        return {"experiment_name": case.statement.experiment, **dict(case.check.instance)}

    def seen(self, case: Case, constants: Constants, total: int, seeds: int, seed: int) -> Seen:
        """All rows, measured with runs 0 .. total - 1 (of at most ``seeds``).

        Raises ValueError, one line, for a symbol that neither the experiment nor a row defines.
        """
        most = self.experiment.most_runs
        total, seeds = (count if most is None else min(count, most) for count in (total, seeds))
        found = _observed(self.experiment, case, total, seed)
        if not is_own(type(self.experiment)):
            found = _sized(found, self.experiment.describe())
        return seen_of(case, found, constants, self.experiment.constants(), total, seeds)


def _sized(found: Observation, options: Mapping[str, Any]) -> Observation:
    """The rows of a user's experiment, each with the size of what was added.

    Of rows that say nothing the largest number among the options is taken, and 1 at least: what is
    tiny beside 1 may be what rounding leaves of numbers that are not. Counts and seeds are no size.
    """
    size = max([1.0, *_numbers(options)])
    rows = tuple(
        replace(row, size=size) if row.rounding is row.off is row.size is None else row
        for row in found.rows
    )
    return replace(found, rows=rows)


def _numbers(data: Any) -> Iterator[float]:
    """The sizes of the finite floats in plain data."""
    if isinstance(data, float) and math.isfinite(data):
        yield abs(data)
    elif isinstance(data, Mapping):
        for value in data.values():
            yield from _numbers(value)
    elif isinstance(data, list | tuple):
        for value in data:
            yield from _numbers(value)


def seen_of(
    case: Case,
    found: Observation,
    constants: Constants,
    names: Iterable[str],
    total: int,
    seeds: int,
) -> Seen:
    """The rows as places, each with the constants of the instance and its own.

    ``names``: of all that the instance defines. ValueError, one line, for a symbol that neither it
    nor a row defines.
    """
    symbols_by_name = {constant_name(case.version, s): s for s in case.wanted}
    by_symbol = {s: name for name, s in symbols_by_name.items()}
    check_meanings(case.where, by_symbol, {name for row in found.rows for name in row.at})
    share = case.share / len(found.rows)
    places = []
    for row in found.rows:
        here = dict(constants)
        for name, value in row.at.items():
            if name in symbols_by_name:
                here[symbols_by_name[name]] = _known(value, row.label)
        missing = sorted(constant_name(case.version, s) for s in case.wanted - set(here))
        if missing:
            raise ValueError(
                f"nothing defines the constant {missing[0]!r}; need it under constants, or one "
                f"of {', '.join(sorted({*names, *row.at}))}"
            )
        places.append(_place(case, found, row, here, share, seeds))
    done = found.exact or total >= seeds
    return Seen(tuple(places), 1 if found.exact else total, done, found.axis)


def _place(
    case: Case, found: Observation, row: Row, here: Constants, share: float, seeds: int
) -> Place:
    quantity, values, support = case.quantity, row.values, None
    if row.weights is not None and quantity.pathwise:
        values = values[row.weights > 0]
    if not np.isfinite(values).all():  # a number that overflowed is beyond any bound, true or not
        raise ValueError(
            f"{case.where}: {quantity.column} at {row.label} leaves float64; need smaller numbers"
        )
    if quantity.pathwise:
        centre, interval = outermost(values, case.version.relation)
        room = _room(row, centre)
        interval = replace(interval, low=centre - room, high=centre + room)
    elif quantity.chance is not None:
        centre, interval = claimed_quantile(case, row, here, seeds, found.exact, share)
    elif row.weights is not None:
        centre = float(row.weights @ values)
        interval = _about(centre, _room(row, centre), "exact expectation over a finite law")
    elif found.exact:
        centre = float(values[0])
        interval = _about(centre, _room(row, centre), "exact")
        if row.least is not None and row.least < interval.low:
            interval = replace(interval, low=row.least)
        if row.most is not None and row.most > interval.high:
            interval = replace(interval, high=row.most)
    else:
        centre = float(values.mean())
        room = _room(row, centre)
        if row.signed and not case.own:  # a table's ranking, from the few runs that there can be
            sampled = gaussian_interval(values, share)
        else:
            slack = room + ROUNDING * float(np.abs(values).max())
            support = support_of(case, here, support_of_rows([row], room))
            sampled = support.interval(values, share, slack)
        low, high = sampled.low - room, sampled.high + room
        interval = replace(sampled, low=low, high=high)
        if row.likely is not None and support is not None:
            centre, interval = narrowed(centre, interval, support, *row.likely)
    at = {name: _known(value, row.label).value for name, value in row.at.items()}
    room, share_off = _room(row, centre), row.relative_error
    rest = (row.label, at, room, share_off, support, error_of(row))
    return Place(values, centre, interval, found.exact, here, *rest)


def claimed_quantile(
    case: Case, row: Row, here: Constants, seeds: int, exact: bool, share: float = 1.0
) -> tuple[float, Interval]:
    """The quantile that a claim with a chance bounds, where up to ``seeds`` runs are looked at.

    "X >= b with probability at least 1 - eps" is "-X <= -b" with that probability: it bounds the
    eps-quantile of X from below. ``share``: of the error that all rows together may have. Raises
    ValueError on a chance that is no number in (0, 1).
    """
    chance = known_number(case.quantity.chance, here)
    if chance is None or not 0 < chance < 1:
        raise ValueError(f"the chance {case.quantity.chance} is {chance}; need a number in (0, 1)")
    looks = 1 + max(0, math.ceil(math.log2(seeds / FIRST_BATCH)))
    growth = case.version.order is not None  # both of its limits guard VIOLATED
    if case.version.relation == "<=":
        return _quantile(row, chance, share / looks, exact, growth)
    centre, mirrored = _quantile(
        replace(row, values=-row.values), chance, share / looks, exact, growth
    )
    return -centre, replace(mirrored, low=-mirrored.high, high=-mirrored.low)


def _quantile(
    row: Row, chance: float, share: float, exact: bool, growth: bool
) -> tuple[float, Interval]:
    """The (1 - chance)-quantile: what a claim "with probability at least 1 - chance" bounds."""
    order = np.argsort(row.values, kind="stable")
    values = row.values[order]
    if exact:
        weights = np.ones(1) if row.weights is None else row.weights[order]
        # A chance of exceedance within rounding of eps decides for the claim in one limit, and
        # against it in the other.
        room = 8 * len(values) * 2.0**-53
        above = 1 - np.cumsum(weights)
        ends = [
            values[min(int(np.sum(above > chance + sign * room)), len(values) - 1)]
            for sign in (1, 0, -1)
        ]
        room = _room(row, float(ends[1]))
        text = f"exact law of {len(values)} outcomes"
        return float(ends[1]), Interval(float(ends[0] - room), float(ends[2] + room), True, text)
    centre = float(np.quantile(values, 1 - chance, method="inverted_cdf"))
    limits = quantile_interval(
        values, chance, share, error_above=ERROR_BELOW if growth else ERROR_ABOVE
    )
    room = _room(row, centre)
    return centre, Interval(limits.low - room, limits.high + room, True, limits.method)


def runs_for(case: Case, constants: Constants, seeds: int) -> int:
    """``seeds``, or as many runs as an upper limit of a small chance needs to exist; no more than
    ``seeds`` where these would be more than ``MOST_FOR_A_LIMIT``."""
    need = runs_of_limit(case, constants)
    return max(seeds, need) if need <= MOST_FOR_A_LIMIT else seeds


def runs_of_limit(case: Case, constants: Constants) -> int:
    """How many runs an upper limit of a claim with a chance needs; 0 of one without."""
    chance = known_number(case.quantity.chance, constants)
    if chance is None or not 0 < chance < 1:
        return 0
    return math.ceil(min(4 * math.log(ERROR_ABOVE) / math.log1p(-chance), 1e300))


def outlook(case: Case, place: Place) -> str:
    """What would decide a claim about single runs that is open after those of ``place``."""
    need = runs_of_limit(case, place.constants)
    if need > len(place.values):
        return f"a limit of so small a chance needs {need:.3g} runs (--seeds)"
    return "more runs may decide"


def _room(row: Row, value: float) -> float:
    if row.rounding is not None:
        return row.rounding
    return ROUNDING * abs(value) + size_room(row.size or 0.0)


def _about(value: float, room: float, text: str) -> Interval:
    return Interval(value - room, value + room, True, f"{text}, rounding allowance {room:.1e}")


def _known(value: Any, label: str) -> Known:
    if isinstance(value, Known):
        return value
    asked = span(value) if float(value).is_integer() else None  # a round: not computed
    return Known(float(value), How.EXACT, f"at {label}", asked=asked)


_KEPT: dict[tuple[type, str], tuple[Observation, tuple[Price, ...]]] = {}
_MOST_KEPT = 64


def _observed(subject: Experiment, case: Case, total: int, seed: int) -> Observation:
    """``observe``, kept for the versions that share an instance."""
    column = case.quantity.column
    data: Mapping[str, Any] = subject.describe()
    # the class itself: a user's file, loaded again, may define another of the same name
    parts = [data, column, total, seed, named_files(data, {"experiment": subject.name})]
    key = type(subject), json.dumps(parts, sort_keys=True)

    def observed() -> Observation:
        with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is refused
            return subject.observe(column, range(total), seed)

    return kept_at_its_price(_KEPT, key, observed, _MOST_KEPT)
