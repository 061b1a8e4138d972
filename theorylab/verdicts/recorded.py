"""The measured side of a run from elsewhere: a record is an instance, judged as it stands.

Its network is that of every matrix in the file. What only the objects of an instance could tell,
as L, is what the user says, and the verdict calls it given. An assumption that asks the loss is
open until the user says that it holds.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray

from theorylab import symbols
from theorylab.exact import span
from theorylab.files import digest
from theorylab.known import How, Known
from theorylab.records import joined, read
from theorylab.records.record import SQUARES
from theorylab.runs import Support, Trace
from theorylab.statements import Assumption
from theorylab.verdicts.case import Case, Constants, Seen
from theorylab.verdicts.coarse import coarse
from theorylab.verdicts.decide import Decision
from theorylab.verdicts.evidence import (
    check_meanings,
    completed,
    constant_name,
    narrow,
    settled,
)
from theorylab.verdicts.gap import SUBOPTIMALITY, recorded
from theorylab.verdicts.instance import given_constants, validated
from theorylab.verdicts.of_run import ROUNDOFF
from theorylab.verdicts.recording import (
    OWN_NUMBERS,
    NotRecordedError,
    RecordedSetting,
    Recording,
    check_numbers,
    check_signs,
)
from theorylab.verdicts.result import AssumptionResult
from theorylab.verdicts.rounds import Series, places_of


class Recorded:
    """The runs of a record, and the one place where their claim is made."""

    trace: Trace | None = None

    def __init__(self, case: Case) -> None:
        self.where, statement, quantity = case.where, case.statement, case.quantity
        if not statement.algorithm:
            raise ValueError(f"{case.where}: speaks of no run; need a statement about a method")
        if case.version.order is not None:
            raise ValueError(f"{case.where}: is an order, which a sweep shows; need a bound")
        if case.version.unsatisfiable is not None:
            raise ValueError(
                f"{case.where}: no instance meets its assumptions; need none to say so"
            )
        self.asked = validated(case.where, Recording, case.check.instance)
        digests = [digest(path) for path in self.asked.files]
        twice = [f for k, f in enumerate(self.asked.files) if digests[k] in digests[:k]]
        if twice:
            raise ValueError(f"{case.where}: {twice[0]} comes twice; need every run once")
        if not self.asked.files:
            raise ValueError(f"{case.where}: record is []; need a file")
        if self.asked.sha256 and digests != self.asked.sha256:
            raise ValueError(f"{case.where}: the record is not the one of this SHA-256; need it")
        self.sha256 = digests
        self.record = joined([read(path) for path in self.asked.files])
        check_numbers(self.record)
        if quantity.over in ("rows", "average iterate"):
            raise ValueError(
                f"{case.where}: its left side, {quantity.column}, is over {quantity.over!r}, which "
                "no record has; need a claim about a column of each round"
            )
        self.column = recorded(quantity)
        if self.column not in self.record.columns:
            known = ", ".join(sorted(self.record.columns))
            raise ValueError(
                f"{self.record.name}: has no column {self.column}, which {case.where} needs "
                f"({quantity.text}); it has {known}"
            )
        if symbols.magnitude in case.wanted:
            raise ValueError(
                f"{case.where}: needs the largest summand of a run, which no record has"
            )
        self.content = RecordedSetting(self.record, statement.algorithm)
        self.deterministic = bool(self.record.numbers.get("deterministic", 0))
        self.everywhere: tuple[dict[sp.Symbol, Known], ...] = ()

    def constants(self, case: Case) -> dict[sp.Symbol, Known]:
        """Every wanted constant: of the file, of its network, and as given."""
        given = given_constants(self.where, self.asked.given)
        given = {k: _given(known) for k, known in given.items()}
        if "deterministic" in given:
            if "deterministic" in self.record.numbers:
                where = f"in {self.record.name}; need it there alone"
                raise ValueError(f"--given: deterministic is {where}")
            self.deterministic = given["deterministic"].value != 0
        axis = {symbols.t} if case.quantity.over == "every" else set()
        names = {s: constant_name(case.version, s) for s in sorted(case.wanted - axis, key=str)}
        needed = {names[s] for s in case.needed - axis}
        table = self._measured()
        if missing := set(names.values()) - set(table) - set(given):
            from theorylab.constants import network_constants  # slow to import

            dim = int(self.record.numbers.get("dim", 1))
            found = network_constants(self.record.topology, self.record.rounds, missing, dim)
            table |= {name: found[name] for name in missing & set(found)}
        here = {k: v for k, v in given.items() if k in names.values()}
        if lacks := sorted(needed - set(table) - set(here)):
            raise ValueError(
                f"{self.record.name}: nothing tells {', '.join(lacks)}, which {self.where} needs; "
                f"need --given {','.join(f'{name}=...' for name in lacks)}"
            )
        check_meanings(self.where, names, table)
        if twice := sorted(set(here) & set(table)):
            raise ValueError(f"--given: {twice[0]} is in {self.record.name}; need it there alone")
        completed(self.record.name, table, here, ())
        self._best = given.get("f_star")
        self._check_f_star()
        made = {s: narrow(s, table[name]) for s, name in names.items() if name in table}
        check_signs(self.record.name, names, made)
        self._check_slopes(made.get(symbols.B))
        self.everywhere = (made,)
        return made

    def _measured(self) -> dict[str, Known]:
        record = self.record
        source = f"of {record.name}"
        made = {
            "T": _typed(record.rounds, f"rounds {source}"),
            "n": _typed(record.topology.clients, f"clients {source}"),
            "roundoff": ROUNDOFF,
        }
        if "dim" in record.numbers:
            made["d"] = _typed(record.numbers["dim"], f"coordinates {source}")
        for name, value in record.numbers.items():
            if name not in OWN_NUMBERS:
                made[name] = _typed(value, f"a number {source}")
        if "local_steps" in record.numbers:
            made["K"] = made["local_steps"]
        for name, column in (("f0", "loss"), ("x0_spread", "consensus")):
            if column in record.columns and name not in made:
                made[name] = self._first(column)
        return made

    def _first(self, column: str) -> Known:
        """A column at round 0, where all runs start."""
        values, room = self.record.columns[column][:, 0], self._room(column)
        low, high = float(values.min()), float(values.max())
        if high - low > room:
            raise ValueError(
                f"{self.record.name}: runs start at {column} {low:.6g} and {high:.6g}; need one "
                "start x^0 of all runs"
            )
        least = 0.0 if column in SQUARES else -math.inf
        ends = (max(low - room, least), high + room)
        source = f"{column} at round 0 of {self.record.name}, up to {room:.1e}"
        return Known(float(values[0]), How.EXACT, source, *ends)

    def _room(self, column: str) -> float:
        """What a number of the column may be off by: half of the digits of the run's arithmetic,
        counted from the largest of the column."""
        largest = float(np.abs(self.record.columns[column]).max())
        return math.sqrt(self.record.precision) * largest

    def settled(self, case: Case) -> list[AssumptionResult]:
        """Every assumption, by the record's numbers and matrices, or as the user says."""
        (constants,) = self.everywhere
        found = []
        for assumption in case.version.assumes:
            if assumption.holds is not None:
                found.append(self._asked(assumption))
            elif assumption.free <= set(constants):
                found.append(settled(assumption, constants))
        return found

    def _asked(self, assumption: Assumption) -> AssumptionResult:
        try:
            found = settled(assumption, {}, self.content)
        except NotRecordedError as error:
            if assumption.name in self.asked.assumed:
                return AssumptionResult(name=assumption.name, holds=True, reason="given")
            reason = f"{error}; need --given '{assumption.name}' where it holds"
            return AssumptionResult(name=assumption.name, holds=None, reason=reason)
        return found

    def described(self, case: Case) -> dict[str, Any]:
        """The record as it stands in a result."""
        return {**self.asked.model_dump(), "sha256": self.sha256}

    @property
    def given(self) -> str:
        """What the verdict takes from the user, and cannot look at."""
        parts = [f"{name} = {value}" for name, value in self.asked.given.items()]
        parts += self.asked.assumed
        parts.append(f"that {self.record.name} is what its method measured")
        room = f"{self._room(self.column):.1e}"
        return "; ".join([*parts, f"that rounding moved {self.column} by at most {room}"])

    def seen(self, case: Case, constants: Constants, total: int, seeds: int, seed: int) -> Seen:
        """The claim after all runs of the record, whatever number is asked for."""
        values, room = self.record.columns[self.column], self._room(self.column)
        support = _support(self.column, constants)
        if case.quantity.column == SUBOPTIMALITY:
            best = self._f_star(case)
            room += math.sqrt(self.record.precision) * abs(best)
            values, support = np.maximum(values - best, 0.0), Support()
        if self.deterministic:
            values = self._one(values, room)
        exact = self.deterministic
        series = Series(values[:, :-1], values[:, -1], exact, room=lambda _: room, support=support)
        places = places_of(case, series, constants, len(values))
        every = case.quantity.over == "every"
        return Seen(places, len(values), True, axis="t" if every else "")

    def allowed(self, case: Case, found: Decision) -> Decision:
        """``found``, but no HOLDS of every realisation by those that were recorded, and no VIOLATED
        that coarse arithmetic may have made."""
        if found.verdict.broken:
            (made,) = self.everywhere
            doubt = coarse(self.record, self.column, made.get(symbols.L), self._best)
            if doubt:
                return found.undecided(f"{found.reason}; {doubt}")
        if self.deterministic or not case.quantity.pathwise or not found.verdict.word.stands:
            return found
        runs = f"{self.record.runs} run{'s' * (self.record.runs != 1)}"
        return found.undecided(
            f"{found.reason} in {runs}, and the claim is about every realisation"
        )

    def _f_star(self, case: Case) -> float:
        if self._best is None:
            raise ValueError(f"{self.where}: f - f* needs f*; need --given f_star=...")
        return self._best.value

    def _check_f_star(self) -> None:
        if self._best is None or "loss" not in self.record.columns:
            return
        low = float(self.record.columns["loss"].min())
        if low < self._best.value - self._room("loss"):
            raise ValueError(
                f"--given: f_star is {self._best.value:.6g}, above the loss {low:.6g} of "
                f"{self.record.name}; need the least value of f"
            )

    def _check_slopes(self, slope: Known | None) -> None:
        """A run that draws nothing has no limits, which would refuse a B below a gradient."""
        if slope is None or "squared_gradient" not in self.record.columns:
            return
        most = float(self.record.columns["squared_gradient"].max())
        top = slope.value**2
        if most > top + self._room("squared_gradient"):
            raise ValueError(
                f"{self.record.name}: a run is {most:.6g}, above the ceiling {top:.6g} of "
                f"B = {slope.value:.4g}; need a B that no gradient exceeds"
            )

    def _one(self, values: NDArray[Any], room: float) -> NDArray[Any]:
        """The run of a deterministic method: all runs are it."""
        apart = float((values.max(axis=0) - values.min(axis=0)).max())
        if apart > 2 * room:
            raise ValueError(
                f"{self.record.name}: is said to be deterministic, and its runs differ by "
                f"{apart:.3g}; need deterministic=0"
            )
        return values[:1]


def _typed(value: float, source: str) -> Known:
    return Known(float(value), How.EXACT, source, asked=span(value))


def _given(known: Known) -> Known:
    return Known(known.value, known.how, "given: not looked at", asked=known.asked)


def _support(column: str, constants: Constants) -> Support:
    """What is known of every run: a square is >= 0, a loss >= f*, a squared gradient <= B^2."""
    slope, best = constants.get(symbols.B), constants.get(symbols.f_star)
    if column == "squared_gradient" and slope is not None and math.isfinite(slope.value):
        return Support(ceiling=slope.value**2, given_above=f"B = {slope.value:.4g}")
    if column == "loss" and best is not None:
        return Support(floor=best.value)
    return Support() if column in SQUARES else Support(floor=-math.inf)
