"""``theorylab plan``: the step sizes, local steps and rounds that a claim promises a target for."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from theorylab.promises.need import Need, needed
from theorylab.promises.search import Promise, Search, free_options, with_options
from theorylab.promises.side import Instance
from theorylab.report.number import plain
from theorylab.statements import Statement
from theorylab.tables import Columns, Framed
from theorylab.verdicts import guarded
from theorylab.verdicts.instance import sharing_problems
from theorylab.verdicts.result import finite

COUNTS = (1, 2, 4, 8, 16, 32)
TARGETS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0)  # of a curve, times the target
SCHEMA = 1


@dataclass(frozen=True)
class Row:
    """A target, the promise for it, and what runs with the promised options need."""

    target: float
    promise: Promise
    need: Need | None = None

    def as_json(self) -> dict[str, Any]:
        """Plain data; a promise that there is none has no rounds, and says why."""
        at, need = self.promise.at, self.need
        return {
            "target": self.target,
            "options": dict(self.promise.options),
            "rounds": at.rounds if self.promise.reached else None,
            "least": self.promise.least,
            "cost": self.cost,
            "bound": None if at.fails else finite(float(at.bound)),
            "terms": {name: finite(float(value)) for name, value in at.terms.items()},
            "fails": at.fails,
            "need": None if need is None else vars(need).copy(),
        }

    @property
    def cost(self) -> int | None:
        """K T: local steps of one client until the target."""
        if not self.promise.reached:
            return None
        counts = [v for v in self.promise.options.values() if isinstance(v, int)]
        return self.promise.at.rounds * max(1, sum(counts))


@dataclass(frozen=True)
class Plan(Framed):
    """What one version of a statement promises on one instance.

    rows: one for each number of local steps. curve: one for each target, empty if not asked for.
    fewest: the row of the fewest rounds; cheapest: of the fewest local steps.
    """

    id: str
    version: str
    quantity: str
    target: float
    instance: Instance
    rows: Sequence[Row]
    curve: Sequence[Row] = ()

    @property
    def fewest(self) -> Row:
        """The row of the fewest rounds; where none reaches the target, that of the least bound."""
        return min(self.rows, key=lambda row: _rank(row, row.promise.at.rounds))

    @property
    def cheapest(self) -> Row:
        """The row of the fewest local steps."""
        return min(self.rows, key=lambda row: _rank(row, row.cost or 0))

    @property
    def reached(self) -> bool:
        """Whether the bound reaches the target with any of the options."""
        return any(row.promise.reached for row in self.rows)

    @property
    def floor(self) -> str:
        """Why the target is not reached: the least bound that was found, and its largest term."""
        at = self.fewest.promise.at
        if at.fails:
            return f"no options meet its assumptions: {at.fails}"
        name, share = at.largest
        return (
            f"the bound does not reach {plain(self.target)}: the least that was found is "
            f"{plain(float(at.bound))}, at T = {_rounds(at.rounds)}; {100 * share:.0f} % "
            f"of it is the term {name!r}"
        )

    def table(self) -> Columns:
        """The curve of promise and need, a row a target."""
        rows = [row.as_json() for row in self.curve or [self.fewest]]
        names = sorted({name for row in rows for name in row["options"]})
        needs = [row["need"] or {} for row in rows]
        return {
            "target": [row["target"] for row in rows],
            "promised": [row["rounds"] for row in rows],
            **{name: [row["options"].get(name) for row in rows] for name in names},
            "bound": [row["bound"] for row in rows],
            "needed": [need.get("rounds") for need in needs],
            "needed_low": [need.get("low") for need in needs],
            "needed_high": [need.get("high") for need in needs],
            "runs": [need.get("runs") for need in needs],
        }

    def as_json(self) -> dict[str, Any]:
        """Plain data, schema 1."""
        return {
            "schema": SCHEMA,
            "id": self.id,
            "version": self.version,
            "quantity": self.quantity,
            "target": self.target,
            "reached": self.reached,
            "floor": "" if self.reached else self.floor,
            "instance": self.instance,
            "rows": [row.as_json() for row in self.rows],
            "curve": [row.as_json() for row in self.curve],
        }


@guarded()
def plan(
    statement: Statement, version: str, instance: Instance, target: float, *,
    counts: Sequence[int] = COUNTS, curve: bool = False, seeds: int = 16, seed: int = 0,
    budget: float = 1e6, progress: Callable[[float], None] | None = None,
) -> Plan:  # fmt: skip
    """What a version promises on an instance, over the step sizes and local steps of its method.

    Args:
        instance: plain data, as a check's; its steps and rounds are where the search begins.
        target: of the left side, above 0.
        counts: numbers of local steps that are tried, besides the instance's own.
        curve: promise and need at other targets, too: ``TARGETS`` times this one.
        seeds, seed: of the runs that are measured. budget: most gradients that they compute.
        progress: called with the share of the work done.

    Raises:
        ValueError: one line, where the claim is no upper bound that is known before a run.
    """
    where = f"{statement.id} [{version}]"
    content = statement.versions[version]
    if not (math.isfinite(target) and target > 0):
        raise ValueError(f"{where}: the target is {target:g}; need a number above 0")
    if statement.experiment:
        raise ValueError(
            f"{where}: is about {statement.experiment}, no run; need a claim on rounds"
        )
    if content.order is not None:
        raise ValueError(f"{where}: an order names no constants; need a version with a bound")
    if content.relation != "<=":
        raise ValueError(f"{where}: is a bound from below; need one from above")
    with sharing_problems():
        return _planned(
            statement, version, instance, target, counts, curve, (seeds, seed, budget), progress
        )


def _planned(
    statement: Statement, version: str, instance: Instance, target: float,
    counts: Sequence[int], curve: bool, runs: tuple[int, int, float],
    progress: Callable[[float], None] | None,
) -> Plan:  # fmt: skip
    where, content = f"{statement.id} [{version}]", statement.versions[version]
    seeds, seed, budget = runs
    search = Search(statement, version, instance)
    first = search.side({})
    if isinstance(first, str):
        raise ValueError(first)
    if first.axis not in content.bound.free_symbols:
        raise ValueError(f"{where}: its bound has no T; need a claim that moves with the rounds")
    free = free_options(statement, version, instance)
    columns = {name: sorted({*counts, value}) for name, value in free.counts.items()}
    every = [dict(free.counts)]
    every += [dict.fromkeys(free.counts, k) for k in counts if free.counts]
    asked = [each for k, each in enumerate(every) if each not in every[:k]] if columns else every
    share = _Share(progress, len(asked) + (2 * len(TARGETS) if curve else 1))
    rows = []
    for own in asked:
        rows.append(Row(target, search.best(free, own, target)))
        share.more()
    rows.sort(key=lambda row: [row.promise.options.get(name, 0) for name in free.counts])
    made = Plan(statement.id, version, first.case.quantity.text, target, instance, rows)
    fewest = made.fewest.promise
    own = {name: int(fewest.options[name]) for name in free.counts}

    def measured(promise: Promise, aim: float, gradients: float) -> Need | None:
        if not promise.reached:
            return None
        there = with_options(instance, promise.options)
        options: dict[str, Any] = {"seeds": seeds, "seed": seed, "budget": gradients}
        return needed(statement, version, there, aim, promise.at.rounds, **options)

    need = measured(fewest, target, budget)
    share.more()
    rows = [Row(row.target, row.promise, need if row is made.fewest else None) for row in rows]
    points = []
    for factor in TARGETS if curve else ():
        promise = fewest if factor == 1 else search.best(free, own, factor * target)
        share.more()
        there = need if factor == 1 else measured(promise, factor * target, budget / len(TARGETS))
        points.append(Row(factor * target, promise, there))
        share.more()
    return Plan(made.id, version, made.quantity, target, instance, rows, points)


class _Share:
    """Which share of the work is done."""

    def __init__(self, told: Callable[[float], None] | None, total: int) -> None:
        self._told, self._total, self._done = told, total, 0

    def more(self) -> None:
        self._done += 1
        if self._told is not None:
            self._told(self._done / self._total)


def _rounds(rounds: int) -> str:
    exact = rounds < 10**6
    return f"{rounds:,}" if exact else f"2^{math.log2(rounds):.3g}"


def _rank(row: Row, number: int) -> tuple[int, Any]:
    """Reached first, by ``number``; then the least bound; last what fails an assumption."""
    at = row.promise.at
    if row.promise.reached:
        return 0, number
    return (2, 0) if at.fails else (1, at.bound)


def version_of(statement: Statement, asked: str | None) -> str:
    """The version to plan by: as asked, or the first with a bound in T of which no fault is known.

    Raises ValueError where there is none.
    """
    if asked is not None:
        if asked not in statement.versions:
            known = ", ".join(statement.versions)
            raise ValueError(f"{statement.id} has no version {asked!r}; need one of {known}")
        return asked
    fits: Mapping[str, Any] = {
        name: each for name, each in statement.versions.items()
        if each.order is None and each.relation == "<=" and each.checks
    }  # fmt: skip
    for name, each in fits.items():
        if not each.causes:
            return name
    if fits:
        return next(iter(fits))
    raise ValueError(f"{statement.id}: no version is a bound from above; need one")
