"""Whether a proved lower bound shows that a left side outgrows its bracket."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sympy as sp

from theorylab import symbols
from theorylab.known import How
from theorylab.statements import Assumption, Floor, Version
from theorylab.verdicts.bound import bound_at
from theorylab.verdicts.case import ROUNDING, Place
from theorylab.verdicts.evidence import settled
from theorylab.verdicts.relation import named

NONE = "no limit is proved here, and a window proves nothing"


@dataclass(frozen=True)
class Proof:
    """``stands``: the order is false in the limit. ``text``: a clause that says why, or why not."""

    stands: bool
    text: str


def proved(version: Version, places: Sequence[Place], *, vanishing: bool) -> Proof:
    """What the floors of ``version`` show on the instance of a sweep with these places.

    A floor shows something where nothing moves but its symbol ``along`` and what follows that, its
    relations hold, its constants are exact, the measured side is not below it anywhere, nor the
    bracket above its ``upper``, and every assumption of the version stays true as ``along`` grows.

    Args:
        vanishing: the claim is that the ratio tends to 0, so that a positive limit refutes it, too.
    """
    order = version.order
    assert order is not None
    found = [_shown(version, floor, order.bracket, places, vanishing) for floor in order.floors]
    if not found:
        return Proof(False, NONE)
    if len(found) == 1:
        return found[0]
    texts = (proof.text.removeprefix(f"{NONE}: ") for proof in found)
    none = Proof(False, f"{NONE}: {'; or '.join(texts)}")
    return next((proof for proof in found if proof.stands), none)


def _shown(
    version: Version, floor: Floor, bracket: sp.Expr, places: Sequence[Place], vanishing: bool
) -> Proof:
    above = bracket if floor.upper is None else floor.upper
    if because := _gap(version, floor, above, places):
        return Proof(False, f"{NONE}: {because}")
    for place in places:
        least = bound_at(floor.lower, _table(floor.lower, place))
        if place.interval.high < least * (1 - ROUNDING):
            return Proof(False, f"the proof is refuted: the left side is below {float(least):.6g}")
        most = bound_at(above, _table(above, place))
        if bound_at(bracket, _table(bracket, place)) > most * (1 + ROUNDING):
            return Proof(False, f"the proof is refuted: the bracket is above {float(most):.6g}")
    limit = _limit(floor, above, places[0])
    if limit is sp.oo:
        return Proof(True, f"proved: at least {named(floor.lower)}, which outgrows the bracket")
    if vanishing and limit.is_positive:
        return Proof(True, f"proved: over its bracket it does not tend below {float(limit):.6g}")
    return Proof(False, f"{NONE}: the lower bound over the bracket tends to {limit}")


def _gap(version: Version, floor: Floor, bracket: sp.Expr, places: Sequence[Place]) -> str:
    """Why the floor says nothing here; empty if it does."""
    for rule in floor.assumes:
        for place in places:
            if settled(Assumption("lower bound", rule), place.constants).holds is not True:
                return f"the lower bound needs {named(rule)}"
    exact, names = floor.free, symbols.name_of
    still = (exact | symbols.symbols_of(bracket)).union(*(a.free for a in version.assumes))
    for symbol in sorted(still, key=str):
        known = [place.constants[symbol] for place in places]
        values = [k.value for k in known]
        if symbol in exact and any(k.how is not How.EXACT or not k.finite for k in known):
            return f"{names(symbol)} is not known exactly"
        if symbol == floor.along:
            if sorted(set(values)) != values:
                return f"{names(symbol)} does not grow along the sweep"
        elif symbol in floor.follow:
            rule = floor.follow[symbol]
            there = [float(bound_at(rule, _table(rule, place))) for place in places]
            if any(abs(v - t) > ROUNDING * abs(t) for v, t in zip(values, there, strict=True)):
                return f"{names(symbol)} is not {named(rule)}"
        elif any(abs(v - values[0]) > ROUNDING * abs(values[0]) for v in values):
            return f"{names(symbol)} moves along the sweep"
    for assumption in version.assumes:
        moves = assumption.holds is not None
        if moves or (assumption.rule is not None and not _lasts(assumption.rule, floor, places[0])):
            return f"it is not clear whether {assumption.name} stays true"
    return ""


def _lasts(rule: sp.Basic, floor: Floor, place: Place) -> bool:
    """Whether a rule that holds in the window holds as ``along`` grows without end."""
    moving = _moving(rule, floor, place)
    if floor.along not in moving.free_symbols:
        return not symbols.symbols_of(rule) & {floor.along, *floor.follow} or bool(moving)
    if not isinstance(moving, sp.Ge | sp.Gt | sp.Le | sp.Lt):
        return False
    if _at_infinity(moving.gts - moving.lts, floor.along).is_extended_positive:
        return True
    if not moving.gts.is_positive:
        return False
    share = _at_infinity(moving.lts / moving.gts, floor.along)  # both may vanish, one faster
    return bool((1 - share).is_extended_positive)


def _limit(floor: Floor, bracket: sp.Expr, place: Place) -> Any:
    return _at_infinity(_moving(floor.lower / bracket, floor, place), floor.along)


@functools.lru_cache(maxsize=512)
def _at_infinity(expr: sp.Expr, along: sp.Symbol) -> Any:
    """The limit as ``along`` grows; nan where sympy has none, as of (-1/2)^along. It is that of the
    constants alone: more runs, or runs from another x^0, ask for the same one again."""
    try:
        return sp.limit(expr, along, sp.oo)
    except NotImplementedError:
        return sp.nan


def _moving(expr: sp.Basic, floor: Floor, place: Place) -> Any:
    """``expr`` as ``along`` alone moves it: all else as at ``place``, in exact rationals."""
    whole = expr.xreplace(dict(floor.follow))
    values = {
        symbol: sp.Rational(known.value)
        for symbol, known in _table(whole, place).items()
        if symbol != floor.along
    }
    return whole.xreplace(values)


def _table(expr: sp.Expr, place: Place) -> dict[sp.Symbol, Any]:
    return {symbol: place.constants[symbol] for symbol in symbols.symbols_of(expr)}
