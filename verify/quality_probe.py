"""Which planted variants are known to be false, found without the search that is to be tested.

A variant is *known* to be false when its bound lies below what was measured on an instance inside
its assumptions; nothing else is taken for proof. A probe measures the true version's left side on
its checks, on leaps over the scales of their numbers, and on changes of whatever instance is
nearest to refuting a variant that is still open. It shares no seed and no order with
``falsify``, and one measurement serves all variants.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from quality_variants import Variant, is_cap, tenfold

from theorylab.falsify.checks import known_choices, starts
from theorylab.falsify.costs import limits, too_large
from theorylab.falsify.instances import Instance
from theorylab.falsify.moves import leaps, moves
from theorylab.falsify.score import FAILURES, claim_of, claims
from theorylab.falsify.screen import excess
from theorylab.falsify.time_limit import at_most
from theorylab.statements import Check, Statement
from theorylab.verdicts.bound import bound_at
from theorylab.verdicts.case import Case, Place
from theorylab.verdicts.decide import decided, failed_somewhere
from theorylab.verdicts.evidence import settled
from theorylab.verdicts.judge import subject_of
from theorylab.verdicts.observe import runs_for
from theorylab.verdicts.result import Verdict

RUNS, SURE = 16, 256  # of a sampled instance; fresh ones of an instance that shows a variant false
PATIENCE = 2.0  # seconds that one instance may take
_PLACES = 16  # of one instance that are looked at again for every variant
_PARENTS = 4  # nearest instances of a variant that are changed


def measured(
    statement: Statement,
    version: str,
    instance: Mapping[str, Any],
    *,
    seeds: int = RUNS,
    seed: int = 0,
) -> tuple[Case, tuple[Place, ...]] | None:
    """The places of an instance at which the claim was measured; None where an assumption fails.

    Raises ValueError, one line, on what is no instance.
    """
    content = statement.versions[version]
    quantity = statement.quantity_of(content)
    case = Case(statement, version, content, Check("known", instance), quantity)
    subject = subject_of(case)
    constants = subject.constants(case)
    built = getattr(subject, "content", None)  # of a sweep none: its order is not searched so
    here = [settled(a, constants, built) for a in content.assumes if a.free <= set(constants)]
    if any(a.holds is not True for a in here):
        return None
    most = runs_for(case, constants, seeds)
    seen = subject.seen(case, constants, most, most, seed)
    broken = failed_somewhere(case, seen.behind or seen.places)
    return None if broken is not None else (case, seen.places)


def refuted_at(variant: Variant, version: str, case: Case, places: Sequence[Place]) -> bool:
    """Whether the variant's bound is below what was measured at one of the places, inside the
    variant's assumptions."""
    content = variant.statement.versions[version]
    changed = replace(case, statement=variant.statement, version=content)
    try:
        if decided(changed, (), places).verdict is not Verdict.VIOLATED:
            return False
        return all(
            settled(a, place.constants).holds is True
            for place in places
            for a in content.assumes
            if a.holds is None and a.free <= set(place.constants)
        )
    except FAILURES:  # a division by a constant that is 0 here: the variant says nothing
        return False


@dataclass
class Probe:
    """Measures instances of one true version.

    clock: of the seconds; the processor's where nothing else is given. seed: of the walk. claim:
    the version, with every step-size cap ten times as large, so that what a wider cap lets in is
    measured, too.
    """

    statement: Statement
    version: str
    seed: int = 12345
    clock: Callable[[], float] = time.process_time
    seen: list[tuple[Case, tuple[Place, ...]]] = field(default_factory=list)
    tried: int = 0

    def __post_init__(self) -> None:
        told = self.statement.versions[self.version]
        wide = tuple(tenfold(a) if is_cap(a) else a for a in told.assumes)
        versions = {**self.statement.versions, self.version: replace(told, assumes=wide)}
        self.claim = replace(self.statement, versions=versions)
        self.first = starts(self.statement, self.version)
        self.others = known_choices(self.statement, self.version, self.first)
        self.draw = np.random.Generator(np.random.Philox(self.seed))
        self._own = claims(self.statement, self.version)
        self._most = limits(self.statement, self.version)
        self._known: set[str] = set()
        self._sure: dict[int, tuple[Case, tuple[Place, ...]] | None] = {}

    def look(self, instance: Instance, patience: float = PATIENCE) -> int | None:
        """Measure an instance that is new; its index in ``seen`` if it lies inside."""
        key = json.dumps(instance, sort_keys=True)
        other = bool(self._own) and claim_of(self.statement, instance) not in self._own
        if key in self._known or other or too_large(instance, self._most):
            return None
        self._known.add(key)
        self.tried += 1
        try:
            with at_most(patience, processor=True):
                found = measured(self.claim, self.version, instance)
        except FAILURES:
            return None
        if found is None:
            return None
        case, places = found
        step = -(-len(places) // _PLACES)  # evenly spaced, and the nearest to the bound
        kept = {id(p): p for p in (*places[::step], *self._nearest(case, places))}
        self.seen.append((case, tuple(kept.values())))
        return len(self.seen) - 1

    def _nearest(self, case: Case, places: Sequence[Place]) -> list[Place]:
        order = sorted(places, key=lambda p: -_excess(p, case.version.bound))
        return order[: _PLACES // 2]

    def leap(self, seconds: float) -> None:
        """The checks, and then leaps from them, for a time."""
        ends = self.clock() + seconds
        for instance in self.first:
            self.look(instance, patience=0.0)  # never cut short: it imports what its kind needs
            if self.clock() >= ends:
                return
        while self.clock() < ends and self.first:
            base = self.first[int(self.draw.integers(len(self.first)))]
            self.look(leaps(base, self.draw, 1 + int(self.draw.integers(3)), self.others))

    def inside(self) -> list[Place]:
        """Places inside the true version's own assumptions, a few of every instance."""
        assumes = self.statement.versions[self.version].assumes
        return [
            place
            for _, places in self.seen
            for place in places[:2]
            if all(
                settled(a, place.constants).holds is True
                for a in assumes
                if is_cap(a) and a.free <= set(place.constants)
            )
        ]

    def known(self, variants: Sequence[Variant], seconds: float) -> dict[str, Instance]:
        """The variants, by their change, that an instance shows to be false, with that instance.

        All that was seen is tried first; then, for a time, the instances nearest to refuting an
        open variant are changed.
        """
        ends = self.clock() + seconds
        shown: dict[str, Instance] = {}
        near: dict[str, list[tuple[float, int]]] = {v.change: [] for v in variants}
        fresh = list(range(len(self.seen)))
        while True:
            for variant in variants:
                for index in fresh:
                    if variant.change in shown:
                        break
                    score = self._score(variant, index)
                    if score > 0 and self.shows(variant, index):
                        shown[variant.change] = dict(self.seen[index][0].check.instance)
                    near[variant.change].append((score, index))
                near[variant.change].sort(reverse=True)
                del near[variant.change][_PARENTS:]
            left = [v for v in variants if v.change not in shown and near[v.change]]
            if not left or self.clock() >= ends:
                return shown
            fresh = []
            for variant in left:
                parents = near[variant.change]
                index = parents[int(self.draw.integers(len(parents)))][1]
                base = dict(self.seen[index][0].check.instance)
                change = leaps if self.draw.random() < 0.5 else moves
                count = 1 + int(self.draw.integers(3))
                made = self.look(change(base, self.draw, count, self.others))
                fresh += [] if made is None else [made]
                if self.clock() >= ends:
                    break

    def shows(self, variant: Variant, index: int) -> bool:
        """Whether instance ``index`` shows the variant to be false, with fresh runs if sampled."""
        case, places = self.seen[index]
        if not refuted_at(variant, self.version, case, places):
            return False
        if case.quantity.pathwise or all(place.exact for place in places):
            return True
        if index not in self._sure:
            instance = case.check.instance
            try:
                with at_most(16 * PATIENCE, processor=True):
                    self._sure[index] = measured(
                        self.claim, self.version, instance, seeds=SURE, seed=self.seed
                    )
            except FAILURES:
                self._sure[index] = None
        again = self._sure[index]
        return again is not None and refuted_at(variant, self.version, *again)

    def _score(self, variant: Variant, index: int) -> float:
        bound = variant.statement.versions[self.version].bound
        return max(_excess(place, bound) for place in self.seen[index][1])


def _excess(place: Place, bound: Any) -> float:
    """How far the measured side's lower limit is above the bound, as the search scores it."""
    try:
        value = bound_at(bound, {s: place.constants[s] for s in bound.free_symbols})
    except FAILURES:
        return -math.inf
    return excess(place.interval.low, value)
