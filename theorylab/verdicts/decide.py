"""What the measured side at one or many places says of the claim."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import mpmath
import sympy as sp

from theorylab import symbols
from theorylab.known import Known
from theorylab.runs.support import MOST
from theorylab.verdicts.bound import bound_at, unsure
from theorylab.verdicts.case import ROUNDING, Case, Constants, Place
from theorylab.verdicts.curve import first_below, known_number
from theorylab.verdicts.evidence import settled, wrong_side
from theorylab.verdicts.extremes import extreme
from theorylab.verdicts.observe import outlook
from theorylab.verdicts.pairs import limited, reach
from theorylab.verdicts.result import AssumptionResult, Verdict
from theorylab.verdicts.support import may_break, open_end, spelled_range


@dataclass(frozen=True)
class Decision:
    """``place``: the one to show, where the measured side is largest against the bound.

    ``rests_on``: which of the valid pairs (C, q) a violation stands for. ``final``: no further run
    is worth its time. ``noticed``: what was seen of a stranger's algorithm.
    """

    verdict: Verdict
    reason: str
    place: Place
    rests_on: str = ""
    final: bool = False
    noticed: str = ""

    def undecided(self, reason: str) -> Decision:
        """The same place, where ``reason`` says why nothing is decided there after all."""
        return replace(self, verdict=Verdict.INCONCLUSIVE, reason=reason, rests_on="")


def decided(case: Case, open_ones: Sequence[AssumptionResult], places: Sequence[Place]) -> Decision:
    """The verdict and a sentence that says why; ``open_ones`` are undecided assumptions.

    What a paper says of its own experiment cannot be refuted by another one.
    """
    found = _decided(case, open_ones, places)
    if found.verdict.word.stands:
        found = _as_asked(case, found, places)
    departs = case.departures
    if not departs or not found.verdict.decided:
        return found
    where = f"{found.reason}, in this setting; the paper's own has {', '.join(departs)}"
    stands = found.verdict.word.stands
    return replace(found, reason=where) if stands else found.undecided(f"not reproduced: {where}")


def _as_asked(case: Case, found: Decision, places: Sequence[Place]) -> Decision:
    """``found``, a HOLDS, where it is one with the numbers that were asked for, too."""
    expr, relation = case.version.bound, case.version.relation
    for place in places:
        limit = place.interval.high if relation == "<=" else place.interval.low
        if told := unsure(expr, _needed(expr, place.constants), limit, relation, broken=False):
            return Decision(Verdict.INCONCLUSIVE, told + _at(place), place)
    return found


def _decided(
    case: Case, open_ones: Sequence[AssumptionResult], places: Sequence[Place]
) -> Decision:
    if open_ones:
        reason = f"{open_ones[0].name}: {open_ones[0].reason}"
        return Decision(Verdict.INCONCLUSIVE, reason, places[0])
    bounds = []
    for place in places:
        if unusable := why_unusable(case.version.bound, place.constants):
            return Decision(Verdict.INCONCLUSIVE, unusable + _at(place), place)
        bounds.append(bound_at(case.version.bound, _needed(case.version.bound, place.constants)))
    if case.version.relation == ">=":
        return _decided_at_least(case, places, bounds)
    order = sorted(
        range(len(places)), key=lambda k: _excess(places[k].centre, bounds[k]), reverse=True
    )
    doubt: Decision | None = None
    for k in order:
        low = places[k].interval.low
        if low > bounds[k] + ROUNDING * abs(bounds[k]):
            if told := _not_broken(case, places[k], low, bounds[k]):
                doubt = doubt or Decision(Verdict.INCONCLUSIVE, told + _at(places[k]), places[k])
                continue
            reason = f"the lower limit {low:.6g} exceeds the bound {float(bounds[k]):.6g}"
            if scope := _scope(case, places[k]):
                reason += f"{_at(places[k])}, but {scope} may be larger in other rounds"
                return Decision(Verdict.INCONCLUSIVE, reason, places[k])
            reason += _at(places[k]) + _size(places[k])
            pairs = reach(case.version, places[k], low)
            return Decision(Verdict.VIOLATED, reason, places[k], pairs)
    if doubt is not None:
        return doubt
    worst = places[order[0]]
    vacuous, note = _against_trivial(case, places, bounds)
    if vacuous:
        return Decision(Verdict.VACUOUS, note, worst)
    straddling = [k for k in order if not places[k].interval.high <= bounds[k]]
    if straddling:
        k = straddling[0]
        if blind := _blind(case, places, bounds, straddling):
            return blind
        more = _outlook(case, places[k], bounds[k])
        for other in straddling[1:]:  # runs that decide here would leave it open there
            if more.endswith(_RUNS) and (hidden := _hidden(places[other], bounds[other])):
                more += f", but{_at(places[other])} {hidden}"
        reason = f"{spelled_range(places[k])} straddles {float(bounds[k]):.6g}{_at(places[k])}"
        return Decision(Verdict.INCONCLUSIVE, reason + more, places[k])
    rigorous = all(place.interval.rigorous for place in places)
    kind = "" if rigorous else " (approximate limit: runs are taken for Gaussian)"
    where = "" if len(places) == 1 else f" at each of {len(places)} places; nearest{_at(worst)}"
    scope = _scope(case, worst)
    only = f"; with {scope}, which the proof has to get by with" if scope else ""
    reason = (
        f"the upper limit {worst.interval.high:.6g} is below the bound{where}{kind}{note}{only}"
    )
    return Decision(Verdict.HOLDS, reason, worst)


def _decided_at_least(case: Case, places: Sequence[Place], bounds: Sequence[Any]) -> Decision:
    """The same of a claim that the measured side is at least the bound.

    Constants are only known from the side that makes a bound larger, so they have to be exact.
    """
    order = sorted(range(len(places)), key=lambda k: places[k].centre - bounds[k])
    for place in places:
        needed = _needed(case.version.bound, place.constants)
        inexact = [s for s, k in needed.items() if not (k.at_least and k.at_most)]
        if inexact:
            name = symbols.name_of(inexact[0])
            reason = f"{name} is not known exactly, and the claim is one from below{_at(place)}"
            return Decision(Verdict.INCONCLUSIVE, reason, place)
    doubt: Decision | None = None
    for k in order:
        high = places[k].interval.high
        if high < bounds[k] - ROUNDING * abs(bounds[k]):
            if told := _not_broken(case, places[k], high, bounds[k]):
                doubt = doubt or Decision(Verdict.INCONCLUSIVE, told + _at(places[k]), places[k])
                continue
            reason = f"the upper limit {high:.6g} is below the bound {float(bounds[k]):.6g}"
            return Decision(Verdict.VIOLATED, reason + _at(places[k]), places[k])
    if doubt is not None:
        return doubt
    worst = places[order[0]]
    if straddling := [k for k in order if not places[k].interval.low >= bounds[k]]:
        if blind := _blind(case, places, bounds, straddling):
            return blind
        k = straddling[0]
        reason = f"{spelled_range(places[k])} straddles {float(bounds[k]):.6g}{_at(places[k])}"
        return Decision(Verdict.INCONCLUSIVE, reason, places[k])
    where = "" if len(places) == 1 else f" at each of {len(places)} places; nearest{_at(worst)}"
    reason = f"the lower limit {worst.interval.low:.6g} is above the bound{where}"
    return Decision(Verdict.HOLDS, reason, worst)


def _not_broken(case: Case, place: Place, limit: float, bound: Any) -> str:
    """Why a limit beyond the bound refutes nothing; "" where it does."""
    expr = case.version.bound
    return extreme(case.check.instance, place.centre, bound) or unsure(
        expr, _needed(expr, place.constants), limit, case.version.relation, broken=True
    )


def _blind(
    case: Case, places: Sequence[Place], bounds: Sequence[Any], straddling: Sequence[int]
) -> Decision | None:
    """The decision where no number of runs would show that the claim holds; None where one may.

    More runs are made as long as they may show that it is false.
    """
    ends = {k: told for k in straddling if (told := open_end(case, places[k]))}
    if not ends:
        return None
    k, told = next(iter(ends.items()))
    breaking = [k for k in straddling if may_break(case, places[k], float(bounds[k]))]
    place, sides = places[k], f"{places[k].centre:.6g} was measured against {float(bounds[k]):.6g}"
    return Decision(Verdict.INCONCLUSIVE, f"{sides}{_at(place)}; {told}", place, final=not breaking)


def failed_somewhere(case: Case, places: Sequence[Place]) -> AssumptionResult | None:
    """The first assumption that fails at a place whose constants are its own, or None."""
    for place in places:
        for assumption in case.version.assumes:
            if place.at and {symbols.name_of(s) for s in assumption.free} & set(place.at):
                result = settled(assumption, place.constants)
                if result.holds is not True:
                    return result.model_copy(update={"reason": result.reason + _at(place)})
    return None


def _scope(case: Case, place: Place) -> str:
    """The constants of bound and assumptions that hold in some rounds only."""
    used = set(case.version.bound.free_symbols).union(*(a.free for a in case.version.assumes))
    return limited(used, place.constants)


def _needed(expr: sp.Expr, constants: Constants) -> Mapping[sp.Symbol, Known]:
    return {s: constants[s] for s in symbols.in_order(expr)}


def why_unusable(expr: sp.Expr, constants: Constants) -> str:
    """Why the expression has no number here; empty if it has."""
    needed = _needed(expr, constants)
    if missing := wrong_side(needed):
        return missing[0]
    if infinite := [s for s, known in needed.items() if not known.finite]:
        return f"{symbols.name_of(infinite[0])} is infinite: {needed[infinite[0]].source}"
    return ""


def _excess(centre: float, bound: Any) -> tuple[Any, Any]:
    """Orders places: the measured side over the bound, as far as that has a meaning; else the
    distance to the bound."""
    if bound > 0:
        return mpmath.mpf(centre) / bound, mpmath.mpf(0)
    return mpmath.inf if centre > bound else mpmath.mpf(0), centre - bound


def _at(place: Place) -> str:
    return f" at {place.label}" if place.label else ""


def _size(place: Place) -> str:
    """How large the failure of an identity is: its bound is rounding, so their ratio tells not."""
    share = place.relative_error
    return "" if share is None else f"; relative error {100 * share:.3g} %"


def _against_trivial(
    case: Case, places: Sequence[Place], bounds: Sequence[Any]
) -> tuple[bool, str]:
    """(True, why) if the bound is never below what holds anyway; else (False, a remark or "")."""
    trivial = case.statement.trivial
    over = []
    for place, bound in zip(places, bounds, strict=True):
        known = known_number(trivial, place.constants)
        over.append(None if known is None or bound < known else known)
    if trivial is None or any(known is None for known in over):
        return False, ""
    if len(places) > 1:
        return True, f"without the theorem the left side is at most {trivial}; no bound is below it"
    level = over[0]
    assert level is not None
    text = f"without the theorem the left side is at most {trivial} = {level:.6g}"
    needed = _needed(case.version.bound, places[0].constants)
    first = first_below(case.version.bound, needed, level)
    if first is None:
        return True, f"{text}, and the bound is never below it"
    return False, f"; {text}, and the bound is below that only from T = {first:.3g} on"


_RUNS = "more runs would decide"


def _outlook(case: Case, place: Place, bound: Any) -> str:
    """What would decide an interval that straddles its bound: more runs, or nothing but digits."""
    hidden, total = _hidden(place, bound), len(place.values)
    if place.exact:
        return f"; {hidden}" if hidden else ""
    if case.version.order is not None:  # runs have a part in every value: no forecast of one mean
        return "; more runs make it narrower" if place.centre <= bound or place.interval.low else ""
    if hidden and case.quantity.pathwise:
        return f"; {hidden}: only a larger realisation would decide"
    if hidden:
        return f"; as far as {total} runs tell, {hidden}, and more runs would not decide"
    if place.support is None:
        return f"; {outlook(case, place)}"
    # the limits have to pass the bound by what rounding takes from them
    away = _allowance(place, bound)
    level = float(bound) + (away if place.centre > bound else -away)
    need = place.support.runs_needed(place.values, level, room=_allowance(place, bound))
    if need >= MOST:
        return f"; more than {MOST - total} further runs would be needed"
    return f"; about {need - total} {_RUNS}"


def _hidden(place: Place, bound: Any) -> str:
    """A clause if rounding alone leaves it open on which side of the bound the centre is, or ""."""
    room, gap = _allowance(place, bound), abs(mpmath.mpf(place.centre) - bound)
    if not gap <= room or not room:
        return ""
    return f"a rounding of up to {room:.3g} hides a difference of {float(gap):.3g}"


def _allowance(place: Place, bound: Any) -> float:
    """What the centre has to differ from the bound by: the place's, and for a violation more."""
    room = place.room
    if room is None:
        room = (place.interval.high - place.interval.low) / 2 if place.exact else 0.0
    return room + (ROUNDING * abs(float(bound)) if place.centre > bound else 0.0)
