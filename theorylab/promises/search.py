"""Which step sizes a claim promises most for: a search over the logarithms of all of them."""

from __future__ import annotations

import contextlib
import copy
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sympy as sp

from theorylab import symbols
from theorylab.promises.side import At, Instance, Side, least_rounds, screened
from theorylab.statements import Statement

_STEP_UNITS = (-1, 2)  # of a step size: x^2/f
_DECADES = 6  # around the instance's own step, on either side
_FINER = (3.0, 1.7, 1.3, 1.1, 1.03, 1.01, 1.002)  # factors of the moves about the best
_MOST_TURNS = 6  # with each of them


@dataclass(frozen=True)
class Free:
    """The options of the method that a search may move, with their values in the instance."""

    steps: Mapping[str, float]
    counts: Mapping[str, int]
    letters: Mapping[str, sp.Symbol]  # of the steps


@dataclass(frozen=True)
class Promise:
    """What is promised with some options: the right side at ``at.rounds``, and the options.

    reached: whether the target is. ``least``: no smaller T would do, with these options.
    """

    options: Mapping[str, float]
    at: At
    reached: bool
    least: bool = False


def free_options(statement: Statement, name: str, instance: Instance) -> Free:
    """Numbers of the method that move a constant of the bound: reals that move one of the units of
    a step size, and whole numbers that move one which is a count."""
    base = Side(statement, name, instance)
    options = base.subject.content.algorithm.options()
    steps: dict[str, float] = {}
    counts: dict[str, int] = {}
    letters: dict[str, sp.Symbol] = {}
    for option, value in options.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
            continue
        try:
            there = Side(statement, name, with_options(instance, {option: 2 * value}))
        except (ValueError, TypeError):
            continue
        moved = [
            s for s, known in base.constants.items() if there.constants[s].value != known.value
        ]
        if isinstance(value, int) and any(s.is_integer for s in moved):
            counts[option] = value
        elif isinstance(value, float) and any(
            symbols.meaning_of(s).units == _STEP_UNITS for s in moved
        ):
            steps[option] = value
            letters[option] = next(s for s in moved if symbols.meaning_of(s).units == _STEP_UNITS)
    return Free(steps, counts, letters)


def with_options(instance: Instance, options: Mapping[str, float]) -> Instance:
    """A copy of the instance with other options of its method."""
    made = copy.deepcopy(instance)
    made["algorithm"] = {**made["algorithm"], **options}
    return made


class Search:
    """Right sides of one version on one instance, each of them built once."""

    def __init__(self, statement: Statement, name: str, instance: Instance) -> None:
        self.instance = instance
        self._moves: bool | None = None
        self._build: Callable[[Instance], Side] = lambda made: Side(
            statement, name, made, self._moves
        )
        self._sides: dict[tuple[tuple[str, float], ...], Side | str] = {}

    def side(self, options: Mapping[str, float]) -> Side | str:
        """The right side with these options, or why there is none."""
        key = tuple(sorted(options.items()))
        if key not in self._sides:
            try:
                side = self._build(with_options(self.instance, options))
                self._sides[key], self._moves = side, side.moves
            except (ValueError, TypeError) as error:
                self._sides[key] = str(error)
        return self._sides[key]

    def best(self, free: Free, counts: Mapping[str, int], target: float) -> Promise:
        """The promise of the fewest rounds over the ``free`` step sizes, with these counts.

        Every step by itself and all together are moved over decades, then by ever smaller factors
        about the best, and to where an assumption ends. What is found is promised; that no other
        step promises more is not shown.
        """
        steps = free.steps
        best = self._promise({**steps, **counts}, target, None)
        moves = [*([name] for name in steps), *([[*steps]] if len(steps) > 1 else [])]
        wide = [10.0**k for k in _both(_DECADES)]
        for factors in (*[wide] * len(moves), *([f, 1 / f] for f in _FINER)):
            for _ in range(1 if factors is wide else _MOST_TURNS):
                before = best
                best = self._moved(best, moves, factors, target)
                if not _order(best) < _order(before):
                    break
        for name, letter in free.letters.items():
            for edge in self._edges(best, letter):
                other = self._promise({**best.options, name: edge}, target, best)
                best = min(best, other, key=_order)
        return self._shown(best, target)

    def _edges(self, best: Promise, letter: sp.Symbol) -> Iterator[float]:
        """Where an assumption on the step ends, other things as they are, and just inside."""
        side = self.side(best.options)
        if isinstance(side, str):
            return
        for assumption in side.version.assumes:
            rule: Any = assumption.rule
            if letter not in assumption.free or side.axes & assumption.free or rule is None:
                continue
            known = {s: k.value for s, k in side.constants.items() if s != letter}
            with contextlib.suppress(NotImplementedError, ValueError, TypeError):
                for root in sp.solve((rule.lhs - rule.rhs).xreplace(known), letter):
                    if root.is_number and root.is_real and root > 0:
                        yield from (float(root), float(root) * (1 - 1e-6))

    def _moved(
        self, best: Promise, moves: Sequence[Sequence[str]], factors: Sequence[float], target: float
    ) -> Promise:
        for names in moves:
            start = best.options
            for factor in factors:
                moved = {name: float(f"{start[name] * factor:.4g}") for name in names}
                other = self._promise({**start, **moved}, target, best)
                best = min(best, other, key=_order)
        return best

    def _promise(
        self, options: Mapping[str, float], target: float, best: Promise | None
    ) -> Promise:
        """``best``: one that is known already, which the search wants to do better than."""
        side = self.side(options)
        if isinstance(side, str):
            return Promise(options, At(0, fails=side), False)
        known = best is not None and best.reached
        most = best.at.rounds if best is not None and known else 2**side.most_power
        found = screened(side, target, most)
        return Promise(options, found, found.reaches(target))

    def _shown(self, found: Promise, target: float) -> Promise:
        """``found`` with its terms, and whether its T is the least for its options."""
        side = self.side(found.options)
        if isinstance(side, str):
            return found
        at = least_rounds(side, target, terms=True)
        if not at.reaches(target):
            return Promise(found.options, at, False)
        return Promise(found.options, at, True, at.rounds == 1 or side.falls())


def _both(most: int) -> list[int]:
    """1, -1, 2, -2, .. most, -most."""
    return [sign * k for k in range(1, most + 1) for sign in (1, -1)]


def _order(found: Promise) -> tuple[int, Any]:
    """Reached first, by the rounds; then by the bound; last what an assumption rules out."""
    if found.reached:
        return 0, (found.at.rounds, found.at.bound)
    if not found.at.fails:
        return 1, (found.at.bound, 0)
    return 2, (math.inf, 0)
