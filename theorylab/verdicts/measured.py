"""The measured side of a statement about what an algorithm does: a metric's rows as places."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import sympy as sp
from numpy.typing import NDArray

from theorylab.constants import PAIRS, Bench, paper_constants, paper_names
from theorylab.files import named_files
from theorylab.known import Known
from theorylab.metrics import measured_beside, metric
from theorylab.runs import Observation, Setting
from theorylab.runs.price import Price, kept_at_its_price
from theorylab.verdicts.case import Case, Constants, Seen
from theorylab.verdicts.declared import check_declared
from theorylab.verdicts.evidence import (
    check_meanings,
    check_one_value,
    completed,
    constant_name,
    constants_named,
)
from theorylab.verdicts.instance import (
    Instance,
    built,
    computed_constants,
    moved,
    parsed,
    started,
)
from theorylab.verdicts.observe import seen_of
from theorylab.verdicts.rounds import places_of, series_of

Floats = NDArray[Any]


class Measured:
    """An instance whose runs a metric of the case's quantity looks at."""

    def __init__(self, case: Case) -> None:
        self.instance = parsed(case.where, case.check.instance)
        self.setting = built(case.where, self.instance, case.statement.algorithm)
        self.instance = started(self.instance, self.setting)
        try:
            self.metric = metric(case.quantity.column)
            check_declared(self.setting.problem, self.setting.start)
        except ValueError as error:
            raise ValueError(f"{case.where}: {error}") from error
        if case.quantity.over == "average iterate":
            raise ValueError(
                f"{case.where}: {case.quantity.column} is a metric, of states and not of a model; "
                "need a column of the run for 'average iterate'"
            )
        if self.instance.at and case.quantity.over != "rows":
            raise ValueError(f"{case.where}: at came with {case.quantity.over!r}; need every round")
        if any(t > self.instance.rounds or t < 0 for t in self.instance.at):
            raise ValueError(
                f"{case.where}: at is {self.instance.at}; need rounds 0..{self.instance.rounds}"
            )
        self.table: dict[str, Known] = {}
        self.beside = [self]

    def constants(self, case: Case) -> dict[sp.Symbol, Known]:
        """What the instance defines of the wanted constants; the rows define the others, and where
        they stand on the metric's axis."""
        names = {constant_name(case.version, s): s for s in case.wanted}
        own = computed_constants(case.where, case.version, self.setting)
        setting = replace(self.setting, given={**self.setting.given, **own})
        needed = {*names, *self.metric.numbers}
        check_one_value(case.where, setting, needed)
        self.table = number_table(case.statement.algorithm, self.instance, setting, needed)
        check_meanings(case.where, {s: name for name, s in names.items()}, self.table)
        completed(case.where, self.table, setting.given, self.metric.numbers)
        here = set(self.table) - {self.metric.axis}
        return {s: self.table[name] for name, s in names.items() if name in here}

    @property
    def content(self) -> Setting:
        """What the instance builds, for functions of it."""
        return self.setting

    def described(self, case: Case) -> dict[str, Any]:
        """The instance as it stands in a result."""
        return {"algorithm_name": case.statement.algorithm, **self.instance.shown()}

    def moved(self, changes: Sequence[tuple[Floats, float]]) -> list[Measured]:
        """The same instance from other models x^0 (n, d), with step sizes times a factor, of each
        change; they are measured together."""
        others = [copy.copy(self) for _ in changes]
        for other, change in zip(others, changes, strict=True):
            other.instance, other.setting = moved(self.instance, self.setting, *change)
            other.beside = others
        return others

    def seen(self, case: Case, constants: Constants, total: int, seeds: int, seed: int) -> Seen:
        """All rows, or what the quantity makes of all rounds, measured with runs 0 .. total - 1
        (of at most ``seeds``)."""
        found = self._observed(case, total, seed)
        if case.quantity.over != "rows":
            series = series_of(self.metric.name, found, self.instance.rounds)
            places = places_of(case, series, constants, seeds)
            runs, every = 1 if found.exact else total, case.quantity.over == "every"
            return Seen(places, runs, found.exact or total >= seeds, axis="t" if every else "")
        return seen_of(case, found, constants, {*self.table, *PAIRS}, total, seeds)

    def _observed(self, case: Case, total: int, seed: int) -> Observation:
        """The rows, kept for the versions that share an instance."""
        quantity, rows = case.quantity, case.quantity.over == "rows"
        keep = quantity.chance is not None if rows else quantity.of_runs
        paths = quantity.pathwise and rows
        known = {name: self.table[name] for name in self.metric.numbers}
        text = f"{total} {seed} {keep} {paths} {known!r} {named_files(self.instance.model_dump())}"
        for each in self.beside:
            text += f" {each.setting.algorithm!r} "
            text += each.instance.model_dump_json(exclude={"constants"})
        # the classes themselves: a user's file, loaded again, may define others of the same names
        parts = (self.setting.problem, self.setting.topology, self.setting.algorithm)
        key = (self.metric, *map(type, parts), text)
        found = kept_at_its_price(
            _KEPT,
            key,
            lambda: measured_beside(
                self.metric,
                [each.setting for each in self.beside],
                known,
                law=self.instance.law,
                runs=range(total),
                seed=seed,
                rounds=self.instance.at,
                keep=keep,
                paths=paths,
            ),
            _MOST_KEPT,
        )
        return found[self.beside.index(self)]


def number_table(
    algorithm: str, instance: Instance, setting: Setting, names: set[str]
) -> dict[str, Known]:
    """What is known of the constants of these names; those of the algorithm's paper come first."""
    bench = Bench(
        *(setting.problem, setting.topology, setting.algorithm.options()),
        *(setting.start, setting.rounds),
    )
    of_paper = paper_constants(algorithm, bench, names)
    others = names - set(of_paper) - paper_names(algorithm, names)
    return constants_named(instance, setting, others) | of_paper


_KEPT: dict[tuple[object, ...], tuple[list[Observation], tuple[Price, ...]]] = {}
_MOST_KEPT = 64  # most have a few rows; of thousands, one takes megabytes
