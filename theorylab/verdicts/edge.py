"""What rounding leaves open: a claim, or an assumption, that is met to the last digits of float64.

Floats decide no such thing. Who computes exactly is found in ``DECIDERS``: the room of scripts
registers there, for it stands on this one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import sympy as sp

from theorylab import symbols
from theorylab.experiments import EXPERIMENTS
from theorylab.metrics import METRICS
from theorylab.own import is_own
from theorylab.registry import Named, Table, table
from theorylab.statements import Statement
from theorylab.verdicts.bound import bound_at, unsure
from theorylab.verdicts.case import Case, Constants, Place, Seen
from theorylab.verdicts.decide import Decision, why_unusable
from theorylab.verdicts.evidence import constant_name, settled
from theorylab.verdicts.extremes import extreme
from theorylab.verdicts.pairs import limited, reach
from theorylab.verdicts.result import AssumptionResult, Result, Verdict

FRACTIONS = "in fractions"
_MOST = 64  # places that are decided one by one


@dataclass(frozen=True)
class Exact:
    """What a decider says of a claim at one place.

    holds: None where it stays open. text: what was found, or what keeps it open. how:
    ``FRACTIONS``, or in which balls. low, high: the ends of an enclosure of the measured side. gap:
    how far it is from the bound at least.
    """

    holds: bool | None
    text: str
    how: str = ""
    low: float = math.nan
    high: float = math.nan
    gap: float = 0.0


class Decider(Named, kind="decider"):
    """Who decides exactly; found by name."""

    @staticmethod
    def decide(statement: Statement, result: Result, constants: Constants, seed: int) -> Exact:
        """Whether the claim holds at the place of ``result``, whose constants are ``constants``."""
        raise NotImplementedError


DECIDERS: Table[type[Decider]] = table("decider")


def carried(case: Case, assumptions: Sequence[AssumptionResult], found: Decision) -> Decision:
    """``found``, but no violation that rests on an assumption met by less than rounding moves, or
    on an end of mu below 0."""
    if not found.verdict.broken:
        return found
    if told := _below_convex(case, found.place):
        return found.undecided(f"{found.reason}, but {told}")
    loose = [a for a in _there(case, assumptions, found.place) if not a.firm]
    if not loose:
        return found
    first = loose[0]
    return found.undecided(
        f"{found.reason}, but {first.name} is met by less than rounding ({first.reason}); need an "
        "instance that is inside it by one part in 1e9"
    )


def _below_convex(case: Case, place: Place) -> str:
    """Where an end of mu is below 0: a theorem on mu-strongly convex losses is true with each mu
    from 0 to theirs, and says nothing of a number below 0. An assumption on mu alone says what it
    says of any."""
    rules = [a.rule for a in case.version.assumes if a.rule is not None and len(a.free) > 1]
    for symbol in symbols.in_order(sp.Tuple(case.version.bound, *rules)):
        known, name = place.constants.get(symbol), constant_name(case.version, symbol)
        if name not in ("mu", "mu_field") or known is None or known.at_least:
            continue
        if known.value < 0 <= (known.upper or 0):
            name = symbols.name_of(symbol)
            return f"{name} = {known.value:.6g} is only a lower bound, and may be above 0"
    return ""


def _there(
    case: Case, assumptions: Sequence[AssumptionResult], place: Place
) -> list[AssumptionResult]:
    """The assumptions, those of the place first."""
    at_place = {symbols.name_of(s): s for s in place.constants if s is not None}
    moving = {at_place[name] for name in place.at or {} if name in at_place}
    there = [settled(a, place.constants) for a in case.version.assumes if a.free & moving]
    return [*there, *assumptions]


def decided_exactly(
    case: Case,
    assumptions: Sequence[AssumptionResult],
    seen: Seen,
    found: Decision,
    result_at: Callable[[Place], Result],
    seed: int,
) -> Decision:
    """``found``, or where rounding alone keeps it open what exact arithmetic says.

    The numbers are those that were written. A violation needs assumptions that these meet exactly,
    and not up to rounding.

    Args:
        result_at: the result that shows a place. seed: that it was measured with.
    """
    if not _rounding_alone(case, assumptions, seen, found):
        return found
    bounds = [bound_at(case.version.bound, _needed(case, p)) for p in seen.places]
    pairs = [*zip(seen.places, bounds, strict=True)]
    near = [place for place, bound in pairs if not _clear(case, place, bound)]
    if any(extreme({}, place.centre, bound) for place, bound in pairs):
        return found
    labels = [place.label for place in seen.places]
    if twice := next((p.label for p in near if labels.count(p.label) > 1), None):
        told = f"several rows are called {twice!r}; need a label of its own for each"
        return replace(found, reason=f"{found.reason}; {told}")
    if len(near) > _MOST:
        told = f"{len(near)} places are as near; at most {_MOST} are decided exactly"
        return replace(found, reason=f"{found.reason}; {told}")
    near.sort(key=lambda place: place is not found.place)
    held, kept = [], ""
    for place in near:
        there = result_at(place), place.constants
        exact = DECIDERS["script"].decide(case.statement, *there, seed)
        if exact.holds is False and (told := _unsure(case, assumptions, place, exact)):
            exact = replace(exact, holds=None, text=f"{exact.text}, but {told}")
        if exact.holds is False:
            shown = _enclosed(place, exact)
            rests = reach(case.version, shown, exact.low) if case.version.relation == "<=" else ""
            return Decision(Verdict.VIOLATED, _told(exact, place), shown, rests)
        if exact.holds is None:
            kept = kept or exact.text + _at(place)
        held.append((place, exact))
    if kept or not held:
        return replace(found, reason=f"{found.reason}; {kept}") if kept else found
    place, exact = held[0]
    others = f"; {len(seen.places)} places hold" if len(seen.places) > 1 else ""
    return Decision(Verdict.HOLDS, _told(exact, place) + others, _enclosed(place, exact))


def _told(exact: Exact, place: Place) -> str:
    return f"{exact.text}{_at(place)}, which rounding hides in float64"


def _rounding_alone(
    case: Case, assumptions: Sequence[AssumptionResult], seen: Seen, found: Decision
) -> bool:
    """Whether nothing was drawn, and nothing else keeps the verdict open."""
    open_ones = [a for a in _there(case, assumptions, found.place) if a.holds is not True]
    if not found.verdict.undecided or case.version.order is not None or open_ones:
        return False
    if case.departures or extreme(case.check.instance):
        return False
    used = set(case.version.bound.free_symbols).union(*(a.free for a in case.version.assumes))
    return not any(
        not place.exact
        or (_users(case) and place.error)
        or why_unusable(case.version.bound, _needed(case, place))
        or limited(used, place.constants)
        for place in seen.places
    )


def _users(case: Case) -> bool:
    """Whether a user's class measures: what it says of its error may be more than rounding."""
    name, column = case.statement.experiment, case.quantity.column
    if name:
        return not is_own(EXPERIMENTS.find(name))
    return column in METRICS and not is_own(METRICS.find(column))


def _needed(case: Case, place: Place) -> Constants:
    return {s: place.constants[s] for s in symbols.in_order(case.version.bound)}


def _clear(case: Case, place: Place, bound: Any) -> bool:
    """Whether the claim holds there whatever rounding does."""
    relation = case.version.relation
    limit = place.interval.high if relation == "<=" else place.interval.low
    if not (limit <= bound if relation == "<=" else limit >= bound):
        return False
    expr = case.version.bound
    return not unsure(expr, _needed(case, place), limit, relation, broken=False)


def _unsure(case: Case, assumptions: Sequence[AssumptionResult], place: Place, exact: Exact) -> str:
    """Why what exceeds the bound refutes nothing: a row may be a series that was cut, or the
    numbers that were written do not meet an assumption exactly; "" where it does."""
    if _users(case) and place.error is None and exact.how != FRACTIONS:
        return "a row may be off by a relative 1e-9 unless it says rounding=0.0"
    if told := _below_convex(case, place):
        return told
    rules = {a.name: a for a in case.version.assumes}
    for each in _there(case, assumptions, place):
        used = rules[each.name].free if each.name in rules else frozenset()
        exactly = all(_is_one_number(place.constants.get(symbol)) for symbol in used)
        room = each.margin
        if room is not None and (room < 0 or not (exactly or (room > 0 and each.firm))):
            return f"{each.name} is met by less than rounding ({each.reason or 'at its edge'})"
    return ""


def _is_one_number(known: Any) -> bool:
    return known is not None and (
        known.value == 0 or (known.asked is not None and known.asked[0] == known.asked[1])
    )


def _enclosed(place: Place, exact: Exact) -> Place:
    """The place with the enclosure for its interval."""
    middle = (exact.low + exact.high) / 2
    method = f"the script {exact.how}"
    interval = replace(place.interval, low=exact.low, high=exact.high, method=method)
    return replace(place, centre=middle, interval=interval)


def _at(place: Place) -> str:
    return f" at {place.label}" if place.label else ""
