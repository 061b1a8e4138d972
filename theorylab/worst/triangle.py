"""Replayed <= PROVED <= bound: a theorem's own number beside the worst case of its class.

A run that exceeds the bound of a version meets what is asked of gradients along it, and perhaps not
elsewhere: it is told, and is no VIOLATED by itself.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import mpmath
import sympy as sp

from theorylab.known import How, Known
from theorylab.metrics import metric
from theorylab.statements import DIGITS, Version, evaluate
from theorylab.topologies import Topology
from theorylab.verdicts.evidence import constant_name, settled, value_on_side
from theorylab.worst.recorder import ROUNDED, Measure
from theorylab.worst.replay import Replay
from theorylab.worst.theorems import THEOREMS, Options, Theorem
from theorylab.worst.worst import Worst, worst

HALVINGS = 60  # of a step size, from 1/(2L) on


@dataclass(frozen=True)
class Triangle:
    """The worst case of the class, with its certificate, beside the bound of one version.

    bound: ``lower`` is not above the number of the theorem. terms: of the bound, each with the
    names of the constants that not all of them have.
    """

    version: str
    answer: Worst
    bound: Known
    inside: Worst
    terms: tuple[tuple[str, float], ...]

    def replay(self) -> Replay:
        """The worst functions of ``inside``, the class or a part of it that is known exactly.

        Raises ArithmeticError, one line, where the run leaves the class.
        """
        return self.inside.replay()

    @property
    def factor(self) -> float:
        """The least c, up to the margin, for which c times the bound is PROVED."""
        made = self.answer.certificate
        worst_case = Fraction(self.answer.value) if made is None else made.claim
        factor = worst_case / self.least
        return math.nextafter(float(factor), math.inf) if factor > float(factor) else float(factor)

    @property
    def proved(self) -> bool:
        """Whether the claim is at most the bound, so that the theorem is PROVED of this class."""
        made = self.answer.certificate
        return made is not None and made.claim * (1 + ROUNDED) <= self.least

    @property
    def least(self) -> Fraction:
        """The bound, or less by what its rounding may have added."""
        assert self.bound.lower is not None
        return Fraction(self.bound.lower)

    @property
    def lost(self) -> tuple[str, float, float]:
        """Where a factor below 1 is lost: the largest term, its share of the bound, and the least
        factor of this term alone with which the bound is still PROVED."""
        names, value = max(self.terms, key=lambda term: term[1])
        share = value / self.bound.value
        return names, share, max(0.0, 1 - (1 - self.factor) / share)


def triangles(id: str, network: Topology, rounds: int, given: Options) -> list[Triangle]:
    """One for each version of the theorem ``id`` of which this class meets the assumptions.

    Args:
        id: of ``THEOREMS``.
        given: of the theorem's options. Step sizes that are omitted are halved, together, until the
            corrected version's assumptions hold.

    Raises ValueError, one line, on an unknown option, or where no version has its assumptions met.
    """
    theorem = THEOREMS[id]
    options = _options(theorem, network, rounds, given)
    known = theorem.known(network, rounds, options)
    statement = theorem.statement
    bounds: dict[str, Known] = {}
    failed = ""
    for name, version in statement.versions.items():
        try:
            bounds[name] = _bound(theorem, name, version, known)
        except ValueError as error:
            failed = failed or str(error)
    if not bounds:
        raise ValueError(failed)
    answers: dict[str, tuple[Worst, Worst]] = {}
    method = theorem.method(options)
    for name in bounds:
        column = _column(theorem, statement.versions[name])
        if column not in answers:
            measure = None if theorem.metric else _measure(column, known)
            functions = theorem.functions(options)
            question: dict[str, Any] = {
                "rounds": rounds,
                "start": {"gap": options["gap"]},
                "metric": theorem.metric,
                "measure": measure,
            }
            whole = worst(method, network, functions=functions, certify=True, **question)
            inside = whole
            if functions.blocks:
                inside = worst(
                    method, network, functions=replace(functions, blocks=False), **question
                )
            answers[column] = whole, inside
    made = []
    for name, bound in bounds.items():
        whole, inside = answers[_column(theorem, statement.versions[name])]
        terms = _terms(f"{id.partition('.')[0]}_", statement.versions[name], known)
        made.append(Triangle(name, whole, bound, inside, terms))
    return made


def _column(theorem: Theorem, version: Version) -> str:
    """What is measured, which the worst case of a version depends on."""
    quantity = version.quantity or theorem.statement.quantity
    return theorem.metric or (quantity if isinstance(quantity, str) else quantity.column)


def _measure(column: str, known: Mapping[str, Known]) -> Measure:
    kind = metric(column)
    return lambda setting: kind(setting, {name: known[name] for name in kind.numbers})


def _options(theorem: Theorem, network: Topology, rounds: int, given: Options) -> dict[str, Any]:
    unknown = sorted({*given} - {*theorem.options})
    if unknown:
        raise ValueError(
            f"{theorem.id} has no option {unknown[0]!r} here; need one of "
            f"{', '.join(theorem.options)}"
        )
    options = {**theorem.options, **given}
    left = [name for name, value in options.items() if value is None]
    if not left:
        return options
    first = theorem.first(options)
    version = theorem.statement.versions["corrected"]
    failed = ValueError("")
    for k in range(HALVINGS):
        options |= {name: _short(first[name] / 2**k) for name in left}
        known = theorem.known(network, rounds, options)
        try:
            _bound(theorem, "corrected", version, known)
            return options
        except ValueError as error:
            failed = error
    raise failed


def _short(value: float) -> float:
    """The number with three digits, which is the rational that it prints."""
    return float(f"{value:.3g}")


def _bound(theorem: Theorem, name: str, version: Version, table: Mapping[str, Known]) -> Known:
    """The bound of a version, from constants on the side that makes it larger.

    Raises ValueError: one line naming the assumption that these numbers break.
    """
    try:
        wanted = {s: table[constant_name(version, s)] for s in version.free}
    except KeyError as error:
        raise ValueError(f"{theorem.id} [{name}]: no value of {error}") from None
    for assumption in version.assumes:
        result = settled(assumption, wanted)
        if not result.holds:
            raise ValueError(f"{theorem.id} [{name}]: {assumption.name} fails: {result.reason}")
    number = evaluate(version.bound, _values(version, table))
    with mpmath.workdps(DIGITS):
        least = number - abs(number) * mpmath.mpf(10) ** (
            5 - DIGITS
        )  # what rounding may have added
        near = float(least)
        below = math.nextafter(near, -math.inf) if near > least else near
    return Known(float(number), How.UPPER, f"{theorem.id} [{name}]", lower=below)


def _values(version: Version, table: Mapping[str, Known]) -> dict[sp.Symbol, Any]:
    symbols = version.bound.free_symbols
    return {s: value_on_side(s, table[constant_name(version, s)]) for s in symbols}


def _terms(
    prefix: str, version: Version, table: Mapping[str, Known]
) -> tuple[tuple[str, float], ...]:
    each = sp.Add.make_args(version.bound)
    common = set.intersection(*(term.free_symbols for term in each))
    values, made = _values(version, table), []
    for term in each:
        full = (constant_name(version, s) for s in term.free_symbols - common)
        names = sorted(name.partition("_")[2] if name.startswith(prefix) else name for name in full)
        own = {s: values[s] for s in term.free_symbols}
        made.append((", ".join(names) or "no other constants", float(evaluate(term, own))))
    return tuple(made)
