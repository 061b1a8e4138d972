"""False variants of a true statement, to see whether a search notices.

A variant changes one thing that a slip of the pen changes: a constant, a power of K or n, a term
without its noise, a step-size cap. Not every variant is false: many theorems have slack. Which are
known to be is for ``quality_probe`` to say.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import sympy as sp

from theorylab.falsify.score import FAILURES
from theorylab.statements import BUILT_IN, Assumption, Statement, Version, units_agree
from theorylab.symbols import meaning_of, name_of
from theorylab.verdicts.bound import bound_at
from theorylab.verdicts.case import Place

_ROUNDING = ("roundoff", "magnitude", "room", "size_R", "outcomes", "summands", "hgp_size")
_NOISES = ("sigma", "noise", "dev_", "spread")
_FACTORS = (sp.Rational(9, 10), sp.Rational(1, 2), sp.Rational(1, 10))
_SPARE = (sp.Rational(1, 4), sp.Rational(3, 4))  # where little else can be changed
FEWEST = 5  # variants, as far as the bound has something to change


@dataclass(frozen=True)
class Variant:
    """``change`` in words; ``statement`` with the changed version in place of the true one."""

    change: str
    statement: Statement


def true_versions() -> Iterator[tuple[Statement, str]]:
    """Versions that some check, not a control, finds to hold, and none to be violated."""
    for statement in BUILT_IN.values():
        for name, version in statement.versions.items():
            expected = {check.expect for check in version.checks if not check.control}
            if "HOLDS" in expected and "VIOLATED" not in expected:
                yield statement, name


def is_identity(version: Version) -> bool:
    """True if the bound is nothing but room for rounding, or the 1/2 under which a count is 0: the
    claim is then an equality, and what could be wrong with it is on the measured side."""
    above = version.relation == "<="
    return above and all(is_room(name, term) for name, term in version.terms.items())


def variants(statement: Statement, version: str, places: Sequence[Place]) -> list[Variant]:
    """Every change that makes the bound smaller at one of ``places``, or a cap ten times as large.

    ``places``: where the true statement was measured; they decide which way a power is changed.
    """
    told = statement.versions[version]
    found = [
        (change, replace(told, terms=terms))
        for change, terms in _bounds(told.terms)
        if _smaller(told, replace(told, terms=terms, checks=()), places)
    ]
    for k, assumption in enumerate(told.assumes):
        if is_cap(assumption):
            assumes = (*told.assumes[:k], tenfold(assumption), *told.assumes[k + 1 :])
            found.append((f"cap x 10: {assumption.name}", replace(told, assumes=assumes)))
    for factor in _SPARE:
        scaled = replace(told, terms=_scaled(told.terms, factor))
        if len(found) < FEWEST and _smaller(told, scaled, places):
            found.append((f"all x {factor}", scaled))
    return [
        Variant(change, replace(statement, versions={**statement.versions, version: made}))
        for change, made in found
    ]


def tenfold(assumption: Assumption) -> Assumption:
    """A cap, ten times as large."""
    rule: Any = assumption.rule
    wide = rule.func(rule.lhs, 10 * rule.rhs)
    return Assumption(f"{assumption.name}, times 10", rule=wide, finite=assumption.finite)


def _scaled(terms: Mapping[str, sp.Expr], factor: sp.Rational) -> dict[str, sp.Expr]:
    return {k: t if is_room(k, t) else t * factor for k, t in terms.items()}


def _bounds(terms: Mapping[str, sp.Expr]) -> Iterator[tuple[str, dict[str, sp.Expr]]]:
    real = [name for name, term in terms.items() if not is_room(name, term)]
    for factor in _FACTORS:
        yield f"all x {factor}", _scaled(terms, factor)
    if len(real) > 1:
        for name in real:
            yield f"{name} x 1/2", {**terms, name: terms[name] / 2}
            yield f"{name} dropped", {k: t for k, t in terms.items() if k != name}
    free = sorted({s for name in real for s in terms[name].free_symbols}, key=str)
    for symbol in free:
        called = name_of(symbol)
        if any(word in called for word in _NOISES):
            yield (
                f"{called} dropped",
                {k: t.subs(symbol, 0) if k in real else t for k, t in terms.items()},
            )
        if meaning_of(symbol).units == (0, 0):
            for text, factor in (("too few", 1 / symbol), ("too many", symbol)):
                changed = {
                    k: t * factor if k in real and symbol in t.free_symbols else t
                    for k, t in terms.items()
                }
                yield f"a factor {called} {text}", changed


def is_room(name: str, term: sp.Expr) -> bool:
    free = {name_of(s) for s in term.free_symbols}
    return name in ("rounding", "none") or any(
        word in called for called in free for word in ("roundoff", "room")
    )


def is_cap(assumption: Assumption) -> bool:
    """An upper limit of a step size; other limits are domains, or built into the instances."""
    rule: Any = assumption.rule
    if not isinstance(rule, sp.Lt | sp.Le):
        return False
    return any("step" in meaning_of(s).text for s in rule.lhs.free_symbols)


def _smaller(told: Version, made: Version, places: Sequence[Place]) -> bool:
    """Whether ``made`` has the smaller bound at one of the places, and a bound at all of them."""
    before, after = told.bound, made.bound
    smaller = False
    for place in places:
        try:
            one, two = (
                bound_at(expr, {s: place.constants[s] for s in expr.free_symbols})
                for expr in (before, after)
            )
        except FAILURES:  # a division by a constant that may be 0: no statement at all
            return False
        smaller = smaller or bool(two < one)
    return smaller


def keeps_units(variant: Variant, version: str) -> bool:
    """A change that the units check would notice is no test of a search."""
    content = variant.statement.versions[version]
    units = variant.statement.quantity_of(content).units
    return all(units_agree(term, units) for term in content.terms.values())
