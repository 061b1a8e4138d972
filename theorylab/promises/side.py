"""The right side of a claim on one instance, at any number of rounds.

All constants but T are those of the instance. Where one of them moves with its rounds, as a user's
function of them may, the instance is built anew at every T, which has a limit.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import sympy as sp

from theorylab import symbols
from theorylab.exact import span
from theorylab.known import How, Known
from theorylab.statements import Check, Statement
from theorylab.verdicts.bound import bound_at
from theorylab.verdicts.case import Case
from theorylab.verdicts.decide import why_unusable
from theorylab.verdicts.evidence import settled
from theorylab.verdicts.judge import subject_of
from theorylab.verdicts.result import AssumptionResult

Constants = Mapping[sp.Symbol, Known]
Instance = dict[str, Any]
MOST_POWER = 100  # 2^100 rounds: what a bound is there is its floor
_BUILT_POWER = 12  # of an instance that has to be built at every T
NAME = "plan"


@dataclass(frozen=True)
class At:
    """The right side at T rounds: the bound, or the assumption that fails there; its terms where
    they were asked for."""

    rounds: int
    bound: Any = None
    fails: str = ""
    terms: Mapping[str, Any] = field(default_factory=dict)

    def reaches(self, target: float) -> bool:
        """Whether the claim promises at most ``target`` there."""
        return not self.fails and bool(self.bound <= target)

    @property
    def largest(self) -> tuple[str, float]:
        """The largest term of the bound, and its share."""
        name = max(self.terms, key=lambda key: self.terms[key])
        return name, float(self.terms[name] / self.bound) if self.bound else 0.0


class Side:
    """The right side of one version on one instance."""

    def __init__(
        self, statement: Statement, name: str, instance: Instance, moves: bool | None = None
    ) -> None:
        """moves: whether constants move with the rounds; found out if None.

        Raises ValueError, one line, as building an instance does, and where a constant is measured
        on the run.
        """
        self.statement, self.name, self.instance = statement, name, instance
        self.version = statement.versions[name]
        self.axis = symbols.t if symbols.t in self.version.bound.free_symbols else symbols.T
        # of a claim for all t <= T the last round, t = T: T may not stay what the instance has
        self.axes = {self.axis, symbols.T} & {self.axis, *self.version.free}
        self.case, self.subject, self._known = self.built(int(instance["rounds"]))
        if drawn := [s for s, known in self._known.items() if known.within]:
            raise ValueError(
                f"{self.case.where}: {symbols.name_of(drawn[0])} holds in "
                f"{self._known[drawn[0]].within} alone; need a network that repeats"
            )
        self.moves = self._moving() if moves is None else moves
        lacking = self.version.free - set(self._known) - self.axes
        if lacking:
            name = symbols.name_of(min(lacking, key=str))
            raise ValueError(
                f"{self.case.where}: {name} is measured on the run itself; need a bound that is "
                "known before"
            )
        self.fixed = "" if self.moves else self._failing(self._known, moving=False)

    def built(self, rounds: int, at: Sequence[int] = ()) -> tuple[Case, Any, Constants]:
        """The case of T = ``rounds``, what it measures, ``at`` these T, and its constants."""
        instance = copy.deepcopy(self.instance) | {"rounds": rounds}
        instance.pop("at", None)
        instance |= {"at": [*at]} if at else {}
        check = Check(NAME, instance)
        quantity = self.statement.quantity_of(self.version)
        case = Case(self.statement, self.name, self.version, check, quantity)
        subject = subject_of(case)
        return case, subject, subject.constants(case)

    def _moving(self) -> bool:
        there = self.built(2 * int(self.instance["rounds"]))[2]
        own = {s: known for s, known in self._known.items() if s is not symbols.T}
        return any(_moved(known, there.get(s)) for s, known in own.items())

    @property
    def constants(self) -> Constants:
        """Those of the instance as it came."""
        return self._known

    @property
    def most_power(self) -> int:
        """T is looked at up to this power of 2."""
        return _BUILT_POWER if self.moves else MOST_POWER

    def at(self, rounds: int, terms: bool = False) -> At:
        """The bound at T = ``rounds``, with its ``terms`` or without, or what fails."""
        if self.fixed:
            return At(rounds, fails=self.fixed)
        known = dict(self.built(rounds)[2] if self.moves else self._known)
        last = Known(float(rounds), How.EXACT, "rounds", asked=span(rounds))
        known |= dict.fromkeys(self.axes, last)
        if fails := self._failing(known, moving=not self.moves):
            return At(rounds, fails=fails)
        if fails := why_unusable(self.version.bound, known):
            return At(rounds, fails=fails)
        every = self.version.terms.items() if terms else ()
        parts = {name: self._value(term, known) for name, term in every}
        return At(rounds, self._value(self.version.bound, known), "", parts)

    def _value(self, expr: sp.Expr, known: Constants) -> Any:
        return bound_at(expr, {s: known[s] for s in symbols.symbols_of(expr)})

    def _failing(self, known: Constants, moving: bool) -> str:
        """The first assumption that does not hold, with its numbers; "" where all do. ``moving``:
        those alone that look at the axis."""
        for assumption in self.version.assumes:
            if moving == self.axes.isdisjoint(assumption.free) and not self.moves:
                continue
            try:
                found = settled(assumption, known, self.subject.content)
            except ValueError as error:  # it divides by what another asks to be positive
                return f"{assumption.name}: {error}"
            if found.holds is not True:
                return _told(found)
        return ""

    def falls(self) -> bool:
        """Whether every term is shown to fall in T, or to stay: a sum of c T^r, c >= 0 >= r; and no
        assumption looks at T."""
        asked = set().union(*(a.free for a in self.version.assumes))
        if self.moves or len(self.axes) > 1 or self.axis in asked:
            return False
        return all(
            self._monomial(part)
            for term in self.version.terms.values()
            for part in sp.Add.make_args(_open(term, self.axis))
        )

    def _monomial(self, part: sp.Expr) -> bool:
        factor, power = part.as_independent(self.axis, as_Add=False)
        exponent = power.as_powers_dict().get(self.axis, sp.S.Zero)
        if power != self.axis**exponent or not exponent.is_number or exponent > 0:
            return False
        return bool(self._value(factor, self._known) >= 0)


def _open(term: sp.Expr, axis: sp.Symbol) -> sp.Expr:
    """A product of sums as a sum, where its factors have the axis."""
    factor, power = term.as_independent(axis, as_Add=False)
    return sp.Add(*(factor * part for part in sp.Add.make_args(sp.expand(power, deep=False))))


def _moved(one: Known, other: Known | None) -> bool:
    return other is None or other.value != one.value


def _told(found: AssumptionResult) -> str:
    return f"{found.name}: {found.reason or 'not decided'}"


def least_rounds(side: Side, target: float, terms: bool = False) -> At:
    """The right side at the first T that is found to reach the target, else where the least was
    found: powers of 2, to the last T that an assumption allows; then the valley about the least;
    then halves between the last that does not reach it and the first that does.

    Where ``side.falls()`` it is the least. terms: with its terms.
    """
    before, found = _climbed(side, target)
    if found.fails and found.fails == side.fixed:
        return found
    if not found.reaches(target):
        return side.at(found.rounds, terms)
    while found.rounds - before > 1:
        middle = side.at((before + found.rounds) // 2)
        if middle.reaches(target):
            found = middle
        else:
            before = middle.rounds
    return side.at(found.rounds, terms)


def _climbed(side: Side, target: float) -> tuple[int, At]:
    """(rounds at which the target is not reached, where it is); the least bound if it never is."""
    before, best = 0, side.at(1)
    last = best
    for power in range(side.most_power + 1):
        found = side.at(2**power)
        if found.fails and found.fails == side.fixed:
            return 0, found
        ends = bool(found.fails) and not last.fails
        if ends:
            found = _edge(side, last.rounds, found.rounds)
        if found.reaches(target):
            return before, found
        best, last, before = min(best, found, key=_height), found, found.rounds
        if ends:  # where an assumption on T ends, none is taken to begin again
            break
    if not best.fails and best.rounds < before:
        best = _valley(side, best)
    return best.rounds // 2, best


def _height(at: At) -> tuple[bool, Any]:
    return bool(at.fails), 0 if at.fails else at.bound


def _edge(side: Side, before: int, after: int) -> At:
    """At the last T from ``before``, where the assumptions hold, to ``after``, where one fails."""
    while after - before > 1:
        middle = (before + after) // 2
        before, after = (before, middle) if side.at(middle).fails else (middle, after)
    return side.at(before)


def _valley(side: Side, best: At) -> At:
    """The least between half and twice as many rounds, of a bound that falls and then rises."""
    low, high = best.rounds // 2, 2 * best.rounds
    while high - low > 2:
        left, right = (side.at(low + (high - low) * k // 3) for k in (1, 2))
        best = min(best, left, right, key=_height)
        if _height(left) <= _height(right):
            high = right.rounds
        else:
            low = left.rounds
    return best


def screened(side: Side, target: float, most: int) -> At:
    """As ``least_rounds``; of a bound that falls in T, and is above the target at ``most`` rounds,
    what is there. A search asks it, and its best is looked at again."""
    there = side.at(most)
    return least_rounds(side, target) if there.reaches(target) or not side.falls() else there
