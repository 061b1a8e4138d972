"""Slips that an outsider would make in writing down a true statement.

Unlike ``quality_variants`` nothing that was measured decides which slips there are, so
that the same version has the same ones at every time: a name finds one again. Most are in one
direction the stronger claim and in the other the weaker one; which are false is for a witness to
say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

import sympy as sp
from quality_variants import Variant, is_identity, is_room, keeps_units, true_versions

from theorylab.statements import Statement, Version
from theorylab.symbols import meaning_of, name_of

KINDS = ("constant", "power", "lost", "square", "mean", "term", "assumption")
_LARGEST = re.compile(r"\b(largest|max|maximum)\b")
_MEAN = re.compile(r"\b(mean|average|averaged)\b")
Terms = dict[str, sp.Expr]


def kind_of(change: str) -> str:
    """The kind of a slip, from its name."""
    return change.split(":")[0]


def slips(statement: Statement, version: str) -> dict[str, Variant]:
    """Every slip of one version by its name, "KIND: WHAT"; an order's, or an equality's, are none.

    A change of the bound keeps its units: another one is refused before any search.
    """
    found = {
        change: _variant(statement, version, change, made)
        for change, made in _versions(statement.versions[version])
    }
    return {
        change: variant
        for change, variant in found.items()
        if kind_of(change) == "assumption" or _valued(variant, version)
    }


def slip(statement: Statement, version: str, change: str) -> Variant:
    """The one of that name, for a fraction of the time; ValueError where there is none."""
    for called, made in _versions(statement.versions[version]):
        if called == change:
            return _variant(statement, version, change, made)
    raise ValueError(f"{statement.id} [{version}] has no slip {change!r}; need one of slips()")


def _variant(statement: Statement, version: str, change: str, made: Version) -> Variant:
    return Variant(change, replace(statement, versions={**statement.versions, version: made}))


def _versions(told: Version) -> Iterator[tuple[str, Version]]:
    if told.order is not None or is_identity(told):
        return
    for change, terms in _bounds(told):
        if terms and terms != dict(told.terms):
            yield change, replace(told, terms=terms)
    for assumption in told.assumes:
        rest = tuple(a for a in told.assumes if a is not assumption)
        if told.unsatisfiable is None or told.unsatisfiable.breaks != assumption.name:
            yield f"assumption: without {assumption.name}", replace(told, assumes=rest)


def _valued(variant: Variant, version: str) -> bool:
    try:
        return keeps_units(variant, version)
    except ValueError:  # at some number of clients or steps it is none
        return False


def _bounds(told: Version) -> Iterator[tuple[str, Terms]]:
    terms = dict(told.terms)
    real = [name for name, term in terms.items() if not is_room(name, term)]
    less = sp.Rational(9, 10) if told.relation == "<=" else sp.Rational(10, 9)
    yield "constant: all at 9/10", {k: t * less if k in real else t for k, t in terms.items()}
    for name in real if len(real) > 1 else ():
        yield f"constant: {name} at 9/10", {**terms, name: terms[name] * less}
        yield f"term: {name} dropped", {k: t for k, t in terms.items() if k != name}
    free = sorted({s for name in real for s in terms[name].free_symbols}, key=str)
    for symbol in free:
        if meaning_of(symbol).units != (0, 0):
            continue
        called = name_of(symbol)
        here = [name for name in real if symbol in terms[name].free_symbols]
        yield f"square: {called} squared", _put(terms, here, symbol, symbol**2)
        if not symbol.is_integer:  # a sum up to a root has no value
            yield f"square: {called} under a root", _put(terms, here, symbol, sp.sqrt(symbol))
        yield f"lost: {called}", _put(terms, here, symbol, sp.Integer(1))
        for text, factor in (("less", 1 / symbol), ("more", symbol)):
            changed = {k: t * factor if k in here else t for k, t in terms.items()}
            yield f"power: a {called} {text}", changed
    for one in free:
        for other in sorted(told.free | set(free), key=str):
            if _is_mean_of(other, one):
                here = [name for name in real if one in terms[name].free_symbols]
                change = f"mean: {name_of(other)} for {name_of(one)}"
                yield change, _put(terms, here, one, other)


def _put(terms: Mapping[str, sp.Expr], here: list[str], one: sp.Symbol, other: sp.Expr) -> Terms:
    """The terms with ``other`` in place of ``one``; none where that divides by 0."""
    try:
        made = {k: t.subs(one, other) if k in here else t for k, t in terms.items()}
    except TypeError:  # a condition of a piecewise term has no truth value
        return {}
    return {} if any(t.has(sp.nan, sp.zoo, sp.oo) for t in made.values()) else made


def _is_mean_of(other: sp.Symbol, one: sp.Symbol) -> bool:
    """Whether ``one`` is a largest of something and ``other`` a mean, with the same units."""
    if one == other:
        return False
    big, mean = meaning_of(one), meaning_of(other)
    told = bool(_LARGEST.search(big.text)) and bool(_MEAN.search(mean.text))
    return told and big.units == mean.units


def slipped_versions() -> Iterator[tuple[Statement, str]]:
    """True versions with a bound that a slip can change. Those of printed tables are none: they
    have one instance, and nothing that a search could move."""
    for statement, version in true_versions():
        told = statement.versions[version]
        bound = told.order is None and not is_identity(told)
        if bound and statement.experiment != "printed-table":
            yield statement, version
