"""The measured side along a sweep: the ordinary subject at every value, and what becomes of it.

Of an order that is the growth over its bracket; of any other claim every place of every value.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Protocol

import mpmath
import numpy as np
import sympy as sp

from theorylab import symbols
from theorylab.constants import PAIRS
from theorylab.known import How, Known
from theorylab.runs import Interval
from theorylab.statements import Assumption
from theorylab.symbols import Side
from theorylab.verdicts.bound import bound_at
from theorylab.verdicts.case import Case, Constants, Place, Seen
from theorylab.verdicts.curve import known_number
from theorylab.verdicts.decide import why_unusable
from theorylab.verdicts.evidence import constant_name, settled
from theorylab.verdicts.floor import proved
from theorylab.verdicts.growth import FEWEST, Limits, growth
from theorylab.verdicts.pairs import limited
from theorylab.verdicts.result import AssumptionResult
from theorylab.verdicts.sweep import KEY, Sweep


class Subject(Protocol):
    """What a case measures at one instance: a run, or an experiment."""

    @property
    def content(self) -> Any:
        """What the instance builds, for functions of it: a ``Setting``, or the experiment."""

    def constants(self, case: Case) -> dict[sp.Symbol, Known]: ...

    def described(self, case: Case) -> dict[str, Any]: ...

    def seen(self, case: Case, constants: Any, total: int, seeds: int, seed: int) -> Seen: ...


class Swept:
    """One ordinary subject a value of the sweep.

    Args:
        make: the ordinary subject of a case.

    Raises:
        ValueError: one line, on a sweep or an instance that is none.
    """

    def __init__(self, case: Case, make: Callable[[Case], Subject]) -> None:
        least = 1 if case.version.order is None else FEWEST
        self.sweep, rest = Sweep.of(case.where, case.check.instance, least)
        instances = [self.sweep.at(case.where, rest, value) for value in self.sweep.values]
        fitted = instances[-self.sweep.fitted :]
        if len(fitted) > 1 and all(one == fitted[0] for one in fitted):  # nothing can grow there
            raise ValueError(
                f"{case.where}: {KEY}: {self.sweep.label} is one and the same instance; need one "
                "that moves"
            )
        share = 1 / self.sweep.fitted  # the limits of all values hold together
        self.cases = [
            replace(case, check=replace(case.check, instance=instance), share=share)
            for instance in instances
        ]
        self.subjects = [make(each) for each in self.cases]
        self.everywhere: tuple[dict[sp.Symbol, Known], ...] = ()

    def constants(self, case: Case) -> dict[sp.Symbol, Known]:
        """Those known before anything is measured, each from the value where it is worst.

        The worst of a symbol's side is the largest upper or the smallest lower one. One whose side
        is exact is there if it is a flag, then the smallest, or the same at all values.
        """
        self.everywhere = tuple(
            subject.constants(each) for subject, each in zip(self.subjects, self.cases, strict=True)
        )
        found = {}
        for symbol in set.intersection(*(set(table) for table in self.everywhere)):
            known = sorted((table[symbol] for table in self.everywhere), key=lambda k: k.value)
            side = symbols.meaning_of(symbol).side
            flag = {each.value for each in known} <= {0.0, 1.0}
            if side is not Side.EXACT or flag or known[0].value == known[-1].value:
                found[symbol] = known[-1] if side is Side.UPPER else known[0]
        return found

    def settled(self, case: Case) -> list[AssumptionResult]:
        """Every assumption that can be settled now, where it is nearest to failing; what the order
        hides must not move."""
        found: list[AssumptionResult] = []
        for assumption in case.version.assumes:
            try:
                each = list(self._each(assumption))
            except ValueError:  # it divides by what an assumption before it asks to be positive
                if any(result.holds is False for result in found):
                    continue
                raise
            if each:
                found.append(min(each, key=_standing))
        order = case.version.order
        return found if order is None else [*found, *self._fixed(order.fixed)]

    def _each(self, assumption: Assumption) -> Iterator[AssumptionResult]:
        rows = zip(self.sweep.values, self.everywhere, self.subjects, strict=True)
        for value, known, subject in rows:
            if not assumption.free <= set(known):
                return
            result = settled(assumption, known, subject.content)
            at = f" at {self.sweep.name}={value:g}"
            yield result.model_copy(update={"reason": result.reason and result.reason + at})

    def _fixed(self, fixed: Sequence[sp.Symbol]) -> Iterator[AssumptionResult]:
        for symbol in fixed:
            name = symbols.name_of(symbol)
            known = [table[symbol].value for table in self.everywhere if symbol in table]
            if len(known) < len(self.everywhere):
                raise ValueError(f"nothing defines {name!r}, which the order hides, before a run")
            off = [k for k, v in enumerate(known) if not _same(v, known[0])]
            reason = ""
            if off:
                reason = (
                    f"{name} = {known[0]:.6g} at {self.sweep.name}={self.sweep.values[0]:g}, "
                    f"{known[off[0]]:.6g} at {self.sweep.values[off[0]]:g}"
                )
            text = f"O(.): {name} is the same at all values of the sweep"
            yield AssumptionResult(name=text, holds=not off, reason=reason)

    def described(self, case: Case) -> dict[str, Any]:
        """The instance as it stands in a result; what it leaves out is that of the first value."""
        return {**self.subjects[0].described(self.cases[0]), **dict(case.check.instance)}

    def seen(self, case: Case, constants: Constants, total: int, seeds: int, seed: int) -> Seen:
        """Of an order the growth, one place, and behind it what was measured at every value; of
        another claim the places of every value, along the parameter."""
        ordered, behind = case.version.order is not None, list[Place]()
        runs, done = 1, True
        for value, subject, each, known in zip(
            self.sweep.values, self.subjects, self.cases, self.everywhere, strict=True
        ):
            seen = subject.seen(each, known, total, seeds, seed)
            if ordered and len(seen.places) != 1:
                raise ValueError(
                    f"{KEY}: a value has {len(seen.places)} places, {seen.places[0].label} first; "
                    "need one, so one round under at"
                )
            for place in seen.places:
                label = ", ".join(filter(None, (f"{self.sweep.name}={value:g}", place.label)))
                at = {**(place.at or {}), self.sweep.name: float(value)}
                behind.append(replace(place, label=label, at=at))
            runs, done = max(runs, seen.runs), done and seen.done
        if not ordered:
            return Seen(tuple(behind), runs, done, self.sweep.name)
        place, shown = self._place(case, constants, behind)
        done = done or shown
        return Seen((place,), runs, done, self.sweep.name, tuple(behind), self.sweep.fitted)

    def _open(self, constants: Constants, why: str) -> Place:
        """A growth of which nothing is known."""
        nothing = Interval(0.0, math.inf, True, "not measured")
        label = f"{self.sweep.label} ({why})"
        return Place(np.array([math.inf]), math.inf, nothing, True, constants, label, room=0.0)

    def _place(
        self, case: Case, constants: Constants, behind: Sequence[Place]
    ) -> tuple[Place, bool]:
        """The growth, and whether the window shows what no further run would change: that a claim
        about a limit is false here, which decides nothing without a proof."""
        order, fitted = case.version.order, self.sweep.fitted
        assert order is not None
        parts = [order.bracket, *(() if order.left is None else (order.left,))]
        for part, place in itertools.product(parts, behind):
            if why := why_unusable(part, place.constants):
                return self._open(constants, f"the bracket at {place.label}: {why}"), False
        if order.left is not None and (why := _loose(case, parts, behind[-fitted:])):
            return self._open(constants, why), False
        brackets = [number_at(order.bracket, place) for place in behind]
        if not min(brackets) > 0:
            raise ValueError(f"the bracket is {float(min(brackets)):g} at a value; need > 0")
        ratios = [
            _limits(place, bracket)
            if order.left is None
            else _of_bounds(case, order.left, order.bracket, place)
            for place, bracket in zip(behind[-fitted:], brackets[-fitted:], strict=True)
        ]
        geometric = order.rate is not None
        found = growth(self.sweep.label, self.sweep.values[-fitted:], ratios, geometric)
        low, high, why, shown = found.low, found.high, "", False
        if order.window or case.check.control:
            hidden = number_at(order.hides, behind[0])
            scope = limited(set().union(*map(symbols.symbols_of, parts)), behind[-1].constants)
            if ratios[-1].low <= hidden:
                low = 0.0
                why = f"last ratio {ratios[-1].centre:.3g}: the order may hide {float(hidden):.3g}"
            elif scope:
                low, why = 0.0, f"{scope} may be larger in other rounds"
        else:
            claimed = known_number(case.version.bound, constants)
            proof = proved(case.version, behind, vanishing=claimed is not None and claimed < 1)
            if not proof.stands:
                low = 0.0
            elif claimed is None or not low > claimed:  # what this window does not show yet
                high = math.inf
            why = proof.text
            shown = not proof.stands and claimed is not None and found.low > claimed
            if shown:
                why += (
                    f"; it grows by {found.low:.6g} at least here: a proved lower bound would "
                    "decide, a Floor among the order's floors, or a claim about the window"
                )
        supports = sorted(
            (p.support for p in behind[-fitted:] if p.support), key=lambda s: s.bounded_above
        )
        rigorous = all(place.interval.rigorous for place in behind[-fitted:])
        exact = all(each.exact for each in ratios)
        kind = "exact" if exact else "what the runs leave open"
        against = " against the value itself" if geometric else ""
        method = f"slope of log10(left side/bracket){against} over {fitted} values, {kind}"
        place = Place(
            np.array([found.centre]),
            found.centre,
            Interval(low, high, rigorous, method),
            exact,
            constants,
            f"{self.sweep.label} ({why})" if why else self.sweep.label,
            room=found.room if exact else None,  # of samples it is no rounding
            support=supports[0] if supports else None,
        )
        return place, shown


def number_at(expr: sp.Expr, place: Place) -> mpmath.mpf:
    """``expr`` with the constants of ``place``."""
    return bound_at(expr, {s: place.constants[s] for s in symbols.symbols_of(expr)})


def _limits(place: Place, bracket: mpmath.mpf) -> Limits:
    """The ratio."""
    interval = place.interval
    low, centre, high = (
        float(side / bracket) for side in (interval.low, place.centre, interval.high)
    )
    return Limits(max(low, 0.0), centre, high, place.exact)


def _doubtful(case: Case, parts: Sequence[sp.Expr], place: Place) -> dict[sp.Symbol, Known]:
    """The constants of a ratio of two bounds that are not exact. A pair (C, q) is what a bound is
    claimed for, whichever valid one it is."""
    every = set().union(*map(symbols.symbols_of, parts))
    table = {s: place.constants[s] for s in sorted(every, key=str)}
    chosen = {s for s in every if constant_name(case.version, s) in PAIRS} - {symbols.delta}
    return {s: k for s, k in table.items() if k.how is not How.EXACT and s not in chosen}


def _loose(case: Case, parts: Sequence[sp.Expr], places: Sequence[Place]) -> str:
    """A constant that is known as a bound alone, so that the ratio of two bounds is not known."""
    for place in places:
        for symbol, known in _doubtful(case, parts, place).items():
            low, high = known.lower, known.upper
            # so near to each other that the ratio moves one way between them
            if low is None or high is None or not high - low <= 1e-6 * abs(known.value):
                return f"{symbols.name_of(symbol)} is only a bound, and stands on both sides"
    return ""


def _of_bounds(case: Case, left: sp.Expr, bracket: sp.Expr, place: Place) -> Limits:
    """The ratio of two bounds, for all that is known of their constants."""
    ends = [
        [(symbol, Known(end, How.EXACT, known.source)) for end in (known.lower, known.upper)]
        for symbol, known in _doubtful(case, (left, bracket), place).items()
        if known.lower is not None and known.upper is not None
    ]
    ratios = []
    for corner in itertools.product(*ends):
        here = replace(place, constants=dict(place.constants) | dict(corner))
        ratios.append(float(number_at(left, here) / number_at(bracket, here)))
    centre = float(number_at(left, place) / number_at(bracket, place))
    return Limits(min(ratios), centre, max(ratios), True)


def _standing(result: AssumptionResult) -> tuple[int, float]:
    """Orders results of one assumption: failed ones first, then undecided ones, then by room."""
    margin = math.inf if result.margin is None else result.margin
    return {False: 0, None: 1, True: 2}[result.holds], margin


def _same(value: float, first: float) -> bool:
    # 1e-9: an infimum or an average over more clients rounds otherwise
    return math.isclose(value, first, rel_tol=1e-9, abs_tol=1e-12)
