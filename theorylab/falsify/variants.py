"""False variants of a true statement, to see whether a search notices.

A variant changes one thing that a slip of the pen changes: a constant, a power of K or n, a term
without its noise, a step-size cap. Not every variant is false: many theorems have slack. One is
*known* to be false when its bound lies below what was measured on an instance inside its
assumptions; nothing else is taken for proof.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import sympy as sp

from theorylab.falsify.score import FAILURES
from theorylab.statements import Assumption, Check, Statement, Version, units_agree
from theorylab.symbols import MEANING, name_of
from theorylab.verdicts.case import Case, Place
from theorylab.verdicts.curve import bound_at
from theorylab.verdicts.decide import decided, failed_somewhere
from theorylab.verdicts.evidence import settled
from theorylab.verdicts.measure import Running
from theorylab.verdicts.observe import Observed, runs_for
from theorylab.verdicts.result import Verdict

_ROUNDING = ("roundoff", "magnitude", "room", "size_R", "outcomes", "summands", "hgp_size")
_NOISES = ("sigma", "noise", "dev_", "spread")
_FACTORS = (sp.Rational(9, 10), sp.Rational(1, 2), sp.Rational(1, 10))


@dataclass(frozen=True)
class Variant:
    """``change`` in words; ``statement`` with the changed version in place of the true one."""

    change: str
    statement: Statement


def is_identity(version: Version) -> bool:
    """True if the bound is nothing but room for rounding: the claim is then an equality, and what
    could be wrong with it is on the measured side."""
    return all(_is_room(name, term) for name, term in version.terms.items())


def variants(statement: Statement, version: str, places: Sequence[Place]) -> list[Variant]:
    """Every change that makes the bound smaller at one of ``places``, or a cap ten times as large.

    ``places``: where the true statement was measured; they decide which way a power is changed.
    """
    told = statement.versions[version]
    found = []
    for change, terms in _bounds(told.terms):
        if _smaller(told, replace(told, terms=terms, checks=()), places):
            found.append((change, replace(told, terms=terms)))
    for k, assumption in enumerate(told.assumes):
        rule: Any = assumption.rule
        if _is_cap(rule):
            rule = rule.func(rule.lhs, 10 * rule.rhs)
            wide = Assumption(f"{assumption.name}, times 10", rule=rule, finite=assumption.finite)
            assumes = (*told.assumes[:k], wide, *told.assumes[k + 1 :])
            found.append((f"cap x 10: {assumption.name}", replace(told, assumes=assumes)))
    return [
        Variant(change, replace(statement, versions={**statement.versions, version: made}))
        for change, made in found
    ]


def _bounds(terms: Mapping[str, sp.Expr]) -> Iterator[tuple[str, dict[str, sp.Expr]]]:
    real = [name for name, term in terms.items() if not _is_room(name, term)]
    for factor in _FACTORS:
        yield f"all x {factor}", {k: t * factor if k in real else t for k, t in terms.items()}
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
        if MEANING[symbol].units == (0, 0):
            for text, factor in (("too few", 1 / symbol), ("too many", symbol)):
                changed = {
                    k: t * factor if k in real and symbol in t.free_symbols else t
                    for k, t in terms.items()
                }
                yield f"a factor {called} {text}", changed


def _is_room(name: str, term: sp.Expr) -> bool:
    free = {name_of(s) for s in term.free_symbols}
    return name == "rounding" or any(
        word in called for called in free for word in ("roundoff", "room")
    )


def _is_cap(rule: Any) -> bool:
    """An upper limit of a step size; other limits are domains, or built into the instances."""
    if not isinstance(rule, sp.Lt | sp.Le):
        return False
    return any("step" in MEANING[s].text for s in rule.lhs.free_symbols)


def _smaller(told: Version, made: Version, places: Sequence[Place]) -> bool:
    smaller = False
    for place in places:
        try:
            before, after = (
                bound_at(v.bound, {s: place.constants[s] for s in v.bound.free_symbols})
                for v in (told, made)
            )
        except FAILURES:  # a division by a constant that may be 0: no statement at all
            return False
        smaller = smaller or bool(after < before)
    return smaller


def measured(
    statement: Statement,
    version: str,
    instance: Mapping[str, Any],
    *,
    seeds: int = 16,
    seed: int = 0,
) -> tuple[Case, tuple[Place, ...]] | None:
    """The places of an instance at which the claim was measured; None where an assumption fails.

    Raises ValueError, one line, on what is no instance.
    """
    content = statement.versions[version]
    quantity = statement.quantity_of(content)
    case = Case(statement, version, content, Check("known", instance), quantity)
    subject: Running | Observed = Observed(case) if statement.experiment else Running(case)
    constants = subject.constants(case)
    here = [settled(a, constants) for a in content.assumes if a.free <= set(constants)]
    if any(a.holds is not True for a in here):
        return None
    most = runs_for(case, constants, seeds)
    places = subject.seen(case, constants, most, most, seed).places
    return None if failed_somewhere(case, places) is not None else (case, places)


def refuted_at(variant: Variant, version: str, case: Case, places: Sequence[Place]) -> bool:
    """Whether the variant's bound is below what was measured at one of the true version's places.

    Its assumptions are the true version's, or weaker.
    """
    changed = replace(
        case, statement=variant.statement, version=variant.statement.versions[version]
    )
    try:
        return decided(changed, (), places).verdict is Verdict.VIOLATED
    except FAILURES:  # a division by a constant that is 0 here: the variant says nothing
        return False


def keeps_units(variant: Variant, version: str) -> bool:
    """A change that the units check would notice is no test of a search."""
    content = variant.statement.versions[version]
    units = variant.statement.quantity_of(content).units
    return all(units_agree(term, units) for term in content.terms.values())
