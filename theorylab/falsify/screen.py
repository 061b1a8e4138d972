"""How near an instance comes to breaking a claim, in a fraction of the time of judging it.

The measurement and the constants are the judge's. The bound and the assumptions are taken in
float64, at all places at once, and no result is written. This proves nothing: an instance that
looks as if it broke the claim is judged.
"""

from __future__ import annotations

import functools
import json
import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import mpmath
import numpy as np
import sympy as sp
from sympy.printing.numpy import NumPyPrinter

from theorylab.kept import make_room
from theorylab.known import Known
from theorylab.statements import Assumption, Check, Statement, by_place
from theorylab.symbols import name_of
from theorylab.verdicts.bound import bound_at
from theorylab.verdicts.case import Case, Place
from theorylab.verdicts.decide import failed_somewhere
from theorylab.verdicts.evidence import settled, value_on_side
from theorylab.verdicts.judge import subject_of
from theorylab.verdicts.observe import FIRST_BATCH, runs_for

FAR = 700.0  # the largest score: the logarithm of what float64 can hold
OUTSIDE = -1e6  # scores of instances that break an assumption lie below this
_ROOM = 1e-6  # a relation that holds with less relative room is decided with all digits
_UNLIKE = 50.0  # scores of sides of unlike signs lie between minus this and minus twice this
_PARTS = 64  # summands of a bound that are looked at one by one
_MOST_KEPT, _MOST_PLACES = 512, 64  # instances with at most so many places: 100 MB
_NAMES = {"numpy": np, "math": math, "functools": functools}  # that the printed code refers to
_NO_NUMBER = (ValueError, TypeError, ArithmeticError, AttributeError, NameError, KeyError,
              NotImplementedError)  # fmt: skip


class Measured:
    """What was measured on the last instances, for versions that differ in the bound alone."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[set[sp.Symbol], Any, Any]] = {}
        self._begun: tuple[Any, Any] | None = None

    def begun(self, make: Callable[[], tuple[Any, Any]]) -> tuple[Any, Any]:
        """Where a search starts and what it may choose, made once: a bound has no part in it."""
        if self._begun is None:
            self._begun = make()
        return self._begun

    def found(self, key: str, wanted: set[sp.Symbol]) -> tuple[Any, Any]:
        """(constants, places), each None where not kept or not with every wanted symbol."""
        had, constants, places = self._kept.get(key, (set(), None, None))
        return (constants, places) if wanted <= had else (None, None)

    def put(self, key: str, wanted: set[sp.Symbol], constants: Any, places: Any) -> None:
        if places is not None and len(places) > _MOST_PLACES:
            return
        make_room(self._kept, _MOST_KEPT)
        self._kept[key] = (set(wanted), constants, places)


class Screen:
    """Scores the instances of one version.

    Of the last one it remembers the ``constants`` (None before they were known), the ``nearest``
    place (None outside the assumptions), and ``doubt``: the largest score of a sampled mean.
    """

    def __init__(self, statement: Statement, version: str, kept: Measured | None = None) -> None:
        self.statement, self.version = statement, version
        self.content = statement.versions[version]
        self.quantity = statement.quantity_of(self.content)
        self.bound = _Formula(self.content.bound)
        self.from_below = self.content.relation == ">="
        self.assumes = [Limit(assumption) for assumption in self.content.assumes]
        self.kept = kept
        self.terms = {name: _Formula(term) for name, term in self.content.terms.items()}
        self.constants: Mapping[sp.Symbol, Known] | None
        self.place: Place | None
        self.doubt: float
        self.forget()

    def forget(self) -> None:
        """As before the first instance."""
        self.constants, self.place, self.doubt = None, None, -math.inf

    @property
    def tight(self) -> str:
        """The largest term of the bound at the nearest place; "" where there is none."""
        if self.place is None or len(self.terms) == 1:
            return ""
        sizes = {name: abs(term.at(self.place.constants)) for name, term in self.terms.items()}
        return max(sizes, key=lambda name: (sizes[name] == sizes[name], sizes[name]))

    def __call__(self, instance: Mapping[str, Any], seeds: int, seed: int) -> float:
        """log of the lower limit over the bound, where that is largest.

        Raises ValueError, one line, on what is no instance.
        """
        self.forget()
        case = self.case(instance)
        key = f"{seeds} {seed} {json.dumps(instance, sort_keys=True)}"
        constants, places = (None, None) if self.kept is None else self.kept.found(key, case.wanted)
        subject = None
        if constants is None or any(a.holds is not None for a in self.content.assumes):
            subject = subject_of(case)
            constants = subject.constants(case)
            self._keep(key, case, constants, None)
        self.constants = constants
        told = [
            settled(test.assumption, constants, getattr(subject, "content", None))
            for test in self.assumes
            if test.free <= set(constants) and not test.clear(constants)
        ]
        failed = [a.margin for a in told if a.holds is False]
        if failed:
            return outside(failed)
        undecided = sum(a.holds is None for a in told)
        if undecided:  # a constant known from one side only: nothing can be proven here
            return OUTSIDE - 1 - undecided
        if places is None:
            if subject is None:
                subject = subject_of(case)
                subject.constants(case)  # it looks them up while it measures
            most = runs_for(case, constants, seeds)
            total = most if self.quantity.chance is not None else min(FIRST_BATCH, most)
            places = subject.seen(case, constants, total, most, seed).places
            self._keep(key, case, constants, places)
        here = {name for place in places[:1] for name in place.at or ()}
        local = any({name_of(s) for s in test.free} & here for test in self.assumes)
        if local and failed_somewhere(case, places) is not None:
            return OUTSIDE - 1
        return self.nearest(places)

    def case(self, instance: Mapping[str, Any]) -> Case:
        check = Check("search", instance)
        return Case(self.statement, self.version, self.content, check, self.quantity)

    def _keep(self, key: str, case: Case, constants: Any, places: Any) -> None:
        if self.kept is not None:
            self.kept.put(key, case.wanted, constants, places)

    def nearest(self, places: Sequence[Place]) -> float:
        """The largest score of the places; -inf where the bound has no value."""
        best = -math.inf
        for place, bound in zip(places, self.bound.at_all(places), strict=True):
            if not math.isfinite(bound) or bound == 0:  # it may be out of float64's range
                try:
                    needed = {s: place.constants[s] for s in self.bound.order}
                    bound = bound_at(self.bound.expr, needed)
                except _NO_NUMBER:
                    continue
            if self.from_below:
                score, mean = excess(bound, place.interval.high), excess(bound, place.centre)
            else:
                score, mean = excess(place.interval.low, bound), excess(place.centre, bound)
            if not place.exact:
                self.doubt = max(self.doubt, mean)
            if self.place is None or score > best:
                best, self.place = score, place
        return self._apart() if best == -FAR else best

    def _apart(self) -> float:
        """Of sides of unlike signs: the more the parts of the bound cancel, the nearer is another
        sign. The logarithms say nothing, and a left side of 0 says least."""
        assert self.place is not None
        if self.place.interval.low <= 0 <= self.place.interval.high:
            return -FAR
        size = sum(abs(part.at(self.place.constants)) for part in self._parts)
        share = abs(self.bound.at(self.place.constants)) / size if size > 0 else math.nan
        return -_UNLIKE * (1 + share) if share <= 1 else -FAR

    @functools.cached_property
    def _parts(self) -> list[_Formula]:
        """The bound's summands, each of one sign."""
        parts = [p for t in self.content.terms.values() for p in sp.Add.make_args(sp.expand(t))]
        return [_Formula(part) for part in parts] if len(parts) <= _PARTS else []


class _Formula:
    """An expression in float64, at the side of every constant that keeps a theorem true."""

    def __init__(self, expr: sp.Expr) -> None:
        self.expr = expr
        self.order = sorted(expr.free_symbols, key=name_of)
        self.together = True

    @functools.cached_property
    def function(self) -> Callable[..., Any]:
        return by_place(self.expr, self.order, NumPyPrinter, _NAMES)

    def at(self, constants: Mapping[sp.Symbol, Known]) -> float:
        """nan where there is no such number."""
        try:
            with np.errstate(all="ignore"):
                return float(self.function(*(_plain(s, constants[s]) for s in self.order)))
        except _NO_NUMBER:
            return math.nan

    def along(
        self, constants: Mapping[sp.Symbol, Known], moved: Mapping[sp.Symbol, Any], count: int
    ) -> Any:
        """(count,) values where some symbols have that many; nan where there is no such number."""
        try:
            given = (moved[s] if s in moved else _plain(s, constants[s]) for s in self.order)
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                made = np.asarray(self.function(*given), dtype=float)
            return np.broadcast_to(made, count)
        except _NO_NUMBER:
            return np.full(count, math.nan)

    def at_all(self, places: Sequence[Place]) -> list[Any]:
        if self.together and len(places) > 1:
            try:
                columns = [_column(symbol, places) for symbol in self.order]
                with np.errstate(all="ignore"), warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    made = np.asarray(self.function(*columns), dtype=float)
                return list(np.broadcast_to(made, len(places)).tolist())
            except _NO_NUMBER:  # a sum up to a symbol is no operation on arrays
                self.together = False
        return [self.at(place.constants) for place in places]


class Limit:
    """An assumption, and whether it holds beyond doubt in float64."""

    def __init__(self, assumption: Assumption) -> None:
        self.assumption, self.free = assumption, assumption.free
        rule: Any = assumption.rule
        self.sides: tuple[_Formula, _Formula] | None = None
        if isinstance(rule, sp.Lt | sp.Le):
            self.sides = _Formula(rule.lhs), _Formula(rule.rhs)
        elif isinstance(rule, sp.Gt | sp.Ge):
            self.sides = _Formula(rule.rhs), _Formula(rule.lhs)

    def clear(self, constants: Mapping[sp.Symbol, Known]) -> bool:
        if self.sides is None or not all(constants[s].finite for s in self.free):
            return False
        less, more = (side.at(constants) for side in self.sides)
        return more - less > _ROOM * max(abs(less), abs(more))


def _plain(symbol: sp.Symbol, known: Known) -> float | int:
    """TypeError where the constant is not known from the side needed."""
    value = value_on_side(symbol, known)
    return int(value) if symbol.is_integer else float(value)


def _column(symbol: sp.Symbol, places: Sequence[Place]) -> Any:
    found: dict[int, float] = {}
    for place in places:
        known = place.constants[symbol]
        if id(known) not in found:
            found[id(known)] = float(value_on_side(symbol, known))
    if len(found) == 1:
        return next(iter(found.values()))
    return np.array([found[id(place.constants[symbol])] for place in places])


def outside(margins: Sequence[float | None]) -> float:
    """The score of an instance that breaks assumptions by these margins.

    The nearer to the assumptions the better, so that a search from outside finds the inside.
    """
    told = [margin for margin in margins if margin]
    return OUTSIDE - 1 + (sum(max(m, -1.0) for m in told) if told else -len(margins) - 9)


def excess(low: float, bound: Any) -> float:
    """log(low / bound), above 0 exactly where low > bound, whatever their signs.

    Of two negative numbers, as in descent inequalities, the one nearer to 0 is the larger.
    """
    if low > 0 and bound > 0:
        return _clipped(_log(low) - _log(bound))
    if low < 0 and bound < 0:
        return _clipped(_log(-bound) - _log(-low))
    return FAR if low > bound else -FAR  # 0 <= 0 teaches nothing


def _log(value: Any) -> float:
    return math.log(value) if isinstance(value, float) else float(mpmath.log(value))


def _clipped(score: float) -> float:
    return min(FAR, max(-FAR, score))
