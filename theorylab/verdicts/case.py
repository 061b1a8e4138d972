"""One check of one version of a statement, and the places where its claim was measured."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray

from theorylab import symbols
from theorylab.known import Known
from theorylab.runs import Interval, Row, Support
from theorylab.statements import BUILT_IN, QUANTITIES, Check, Quantity, Statement, Version

# Own kernels round to 1e-16 a step, but problems use BLAS and a run takes up to 1e5 steps; a
# contraction keeps the error near eps times the number of steps. A verdict needs more room.
ROUNDING = 1e-9
RECORD = "record"  # what an instance that is a record names: its file

Constants = Mapping[sp.Symbol, Known]


@dataclass(frozen=True)
class Case:
    """``where`` starts every message: statement, version and check.

    share: of the error that confidence limits may have, where those of several cases hold together.
    """

    statement: Statement
    name: str
    version: Version
    check: Check
    quantity: Quantity
    share: float = 1.0

    @property
    def where(self) -> str:
        return f"{self.statement.id} [{self.name}] {self.check.name}"

    @property
    def text(self) -> str:
        """What is compared with the bound, in LaTeX."""
        order = self.version.order
        if order is None:
            return self.quantity.text
        bracket = (
            "" if order.bracket == 1 else rf" \Big/ \left({symbols.latex_of(order.bracket)}\right)"
        )
        left = self.quantity.text if order.left is None else symbols.latex_of(order.left)
        per = "decade" if order.rate is None else "unit"
        return rf"\text{{growth per {per} of }} {left}{bracket}"

    @property
    def own(self) -> bool:
        """Whether the statement is a user's."""
        return BUILT_IN.get(self.statement.id) is not self.statement

    @property
    def recorded(self) -> bool:
        """Whether the instance is the record of a run from elsewhere."""
        data = self.check.instance
        return isinstance(data, Mapping) and RECORD in data and not self.statement.experiment

    @property
    def units_note(self) -> str:
        """A clause, of a user's claim that mixes units as many a printed one does; or ""."""
        told = self.statement.mixed_units(self.version) if self.own else ()
        return f"; judged in the units of this instance: {'; '.join(told)}" if told else ""

    @property
    def departures(self) -> list[str]:
        """Where the instance is not the paper's own setting, as "problem.data = 'emnist'"."""
        return _departures(self.version.own_setting, self.check.instance)

    @property
    def wanted(self) -> set[sp.Symbol]:
        """Every symbol that judging needs a number for, or has some use of."""
        quantity = self.quantity
        return self.needed.union(*(each.free_symbols for each in quantity.sides))

    @property
    def needed(self) -> set[sp.Symbol]:
        """Those without which there is no judging: a quantity that is known by its name has no
        ceiling then."""
        found, quantity = self.version.free, self.quantity
        sides = () if quantity in QUANTITIES.values() else quantity.sides
        for expr in (self.statement.trivial, *sides):
            if expr is not None:
                found |= expr.free_symbols
        if quantity.weights is not None:
            found |= quantity.weights.free_symbols - {symbols.t}
        return found


def _departures(own: Mapping[str, Any], instance: Mapping[str, Any], path: str = "") -> list[str]:
    """The entries of ``own`` that the instance has not."""
    told = []
    for name, value in own.items():
        here = instance.get(name)
        if isinstance(value, Mapping):
            told += _departures(value, here if isinstance(here, Mapping) else {}, f"{path}{name}.")
        elif here != value:
            told.append(f"{path}{name} = {value!r}")
    return told


@dataclass(frozen=True)
class Place:
    """The claim at one place: the left-hand side as measured, and the constants there.

    ``values``: one a run (or the outcomes of a finite law); ``centre``: what is reported as
    measured; ``exact``: known without sampling. ``label`` and ``at`` tell the places apart.
    ``room``: what of the interval is rounding, on each side; None where an exact one is all that.
    ``relative_error``: of an identity, the centre as a share of what its two sides are.
    ``support``: of a mean of runs, what is known of each. ``error``: by how
    much its row says that it is off, infinite where it has limits; None where it says nothing.
    """

    values: NDArray[Any]
    centre: float
    interval: Interval
    exact: bool
    constants: Constants
    label: str = ""
    at: Mapping[str, float] | None = None
    room: float | None = None
    relative_error: float | None = None
    support: Support | None = None
    error: float | None = None


@dataclass(frozen=True)
class Seen:
    """All places of a check after ``runs`` runs; ``done``: more runs would change nothing.

    ``behind``: what the places were made of, where they are growths along a sweep; the last
    ``fitted`` of them make the growth.
    """

    places: tuple[Place, ...]
    runs: int
    done: bool
    axis: str = ""
    behind: tuple[Place, ...] = ()
    fitted: int = 0


def error_of(row: Row) -> float | None:
    """What its class says of a row's error: infinite where it gives limits, None where nothing."""
    if (row.off, row.least, row.most) != (None,) * 3:
        return math.inf
    return None if row.estimated else row.rounding


def outermost(values: NDArray[Any], relation: str) -> tuple[float, Interval]:
    """For a claim about every realisation, the one seen that is nearest to breaking it: the largest
    of "<=", the smallest of ">=". As a number, and without a room for rounding."""
    end = float(np.max(values) if relation == "<=" else np.min(values))
    which = "largest" if relation == "<=" else "smallest"
    seen = f"{which} of {len(values)} realisations" if len(values) > 1 else "one realisation"
    return end, Interval(end, end, True, seen)
