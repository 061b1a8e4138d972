"""The measured side of a check: exact moments where there are any, else runs."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray

from theorylab import symbols
from theorylab.experiments import relative_error
from theorylab.files import named_files
from theorylab.known import How, Known
from theorylab.runs import (
    COLUMNS,
    MOMENTS,
    NotAffineError,
    Setting,
    Support,
    Trace,
    Way,
    check_draws,
    expected_trace,
    simulate,
)
from theorylab.runs.generators import undrawn
from theorylab.runs.listed import Listed, listed
from theorylab.runs.price import Price, kept_at_its_price
from theorylab.runs.simulate import algorithm_draws
from theorylab.statements import Quantity
from theorylab.verdicts.case import ROUNDING, Case, Seen
from theorylab.verdicts.declared import check_declared
from theorylab.verdicts.evidence import constant_name, gathered
from theorylab.verdicts.gap import SUBOPTIMALITY, recorded, with_suboptimality
from theorylab.verdicts.gaussian_runs import self_bound
from theorylab.verdicts.instance import (
    Instance,
    built,
    computed_constants,
    moved,
    parsed,
    started,
)
from theorylab.verdicts.rounding import state_rounding
from theorylab.verdicts.rounds import UNKNOWN, Series, places_of, shares
from theorylab.verdicts.support import support_of_column

Floats = NDArray[Any]
Outcomes = Callable[[], Listed | None]


class Running:
    """An instance's runs so far, and the one place where their claim is made."""

    def __init__(self, case: Case) -> None:
        self.instance = parsed(case.where, case.check.instance)
        if self.instance.law != "auto" or self.instance.at:
            raise ValueError(
                f"{case.where}: law or at came; need neither, for they are of a metric's rows"
            )
        self.setting = built(case.where, self.instance, case.statement.algorithm)
        self.instance = started(self.instance, self.setting)
        try:
            check_declared(self.setting.problem, self.setting.start)
        except ValueError as error:
            raise ValueError(f"{case.where}: {error}") from error
        self.trace: Trace | None = None
        self._of_column: Support | None = None
        self._listed: tuple[Listed | None] | None = None
        # what a round did beside the column: no state has it, and so no listed outcome
        column, known = case.quantity.column, (*COLUMNS, SUBOPTIMALITY)
        sized = symbols.magnitude in case.wanted
        if sized and not case.quantity.pathwise:
            raise ValueError(
                f"{case.where}: magnitude came, the largest of the runs that were made, with a "
                "claim that is not about every run; need pathwise=True"
            )
        self._beside = ("update_magnitude",) * sized
        self._beside += ("update_size",) * column.startswith("update_residual")
        if column not in known:
            raise ValueError(
                f"{case.where}: no run has a column {column!r}; need one of {', '.join(known)}"
            )

    def constants(self, case: Case) -> dict[sp.Symbol, Known]:
        """Every wanted constant; ``magnitude`` follows with the trace."""
        axis = {symbols.t} if case.quantity.over == "every" else set()
        own = computed_constants(case.where, case.version, self.setting)
        setting = replace(self.setting, given={**self.setting.given, **own})

        def found(wanted: set[sp.Symbol]) -> dict[sp.Symbol, Known]:
            names = [(s, constant_name(case.version, s)) for s in sorted(wanted - axis, key=str)]
            return gathered(case.where, self.instance, setting, names)

        try:
            return found(case.wanted)
        except ValueError:  # not even what is needed, or a ceiling of the column alone
            return found(case.needed)

    @property
    def content(self) -> Setting:
        """What the instance builds, for functions of it."""
        return self.setting

    def described(self, case: Case) -> dict[str, Any]:
        """The instance as it stands in a result."""
        return {"algorithm_name": case.statement.algorithm, **self.instance.shown()}

    def moved(self, changes: Sequence[tuple[Floats, float]]) -> list[Running]:
        """The same instance from other models x^0 (n, d), with step sizes times a factor, of each
        change."""
        others = [copy.copy(self) for _ in changes]
        for other, change in zip(others, changes, strict=True):
            other.instance, other.setting = moved(self.instance, self.setting, *change)
            other.trace, other._of_column, other._listed = None, None, None
        return others

    def seen(
        self, case: Case, constants: dict[sp.Symbol, Known], total: int, seeds: int, seed: int
    ) -> Seen:
        """The claim after runs 0 .. total - 1 (of at most ``seeds``)."""
        quantity = case.quantity
        weights = None
        if quantity.over == "average iterate":
            weights = shares(quantity, constants, self.instance.rounds)
        trace = traced(
            self.instance, self.setting, quantity, self.trace, total, seed, weights,
            self._outcomes(quantity, weights), self._beside,
        )  # fmt: skip
        self.trace = trace
        if symbols.magnitude in case.wanted:
            constants[symbols.magnitude] = Known(
                float(trace.columns["update_magnitude"].max()) * (1 + ROUNDING),
                How.UPPER,
                "largest sum of absolute values over rounds, clients and runs",
            )
        column = quantity.column
        series = Series(
            trace.columns[column],
            trace.last.get(column),
            trace.exact,
            room=state_rounding(self.setting, trace.size, column),
            iterate=trace.iterate.get(column),
            support=self._support(column, trace.exact),
            weights=trace.weights,
            likely=self._likely(quantity, trace, weights),
        )
        places = places_of(case, series, constants, seeds)
        if column.startswith("update_residual"):
            share = relative_error(places[0].values, trace.columns["update_size"])
            places = (replace(places[0], relative_error=share),)
        runs = len(trace.runs) if trace.weights is None else 1
        done = trace.exact or quantity.pathwise or runs >= seeds
        return Seen(places, runs, done, axis="t" if quantity.over == "every" else "")

    def _outcomes(self, quantity: Quantity, weights: Floats | None) -> Outcomes:
        """Looks the outcomes of what is drawn up, once, where they are asked for."""

        def found() -> Listed | None:
            if self._listed is None:
                column = recorded(quantity)
                self._listed = (listed(self.setting, column, weights),)
            return self._listed[0]

        return found

    def _likely(self, quantity: Quantity, trace: Trace, weights: Floats | None) -> Series | None:
        """The column in the likeliest outcomes, where runs are all there is."""
        if trace.exact or quantity.pathwise or quantity.chance is not None:
            return None
        found = self._outcomes(quantity, weights)()
        if found is None:
            return None
        there, column = with_suboptimality(found.trace, self.setting, quantity), quantity.column
        return Series(
            there.columns[column],
            there.last.get(column),
            True,
            there.weights,
            state_rounding(self.setting, there.size, column),
            there.iterate.get(column),
        )

    def _support(self, column: str, exact: bool) -> Support:
        """What is known of every run, looked up where runs are all there is."""
        if exact:
            return UNKNOWN
        if self._of_column is None:
            bound = self_bound(self.setting, column)
            self._of_column = replace(support_of_column(self.setting, column), self_bound=bound)
        return self._of_column


def traced(
    instance: Instance,
    setting: Setting,
    quantity: Quantity,
    so_far: Trace | None,
    total: int,
    seed: int,
    weights: Floats | None = None,
    outcomes: Outcomes = lambda: None,
    beside: tuple[str, ...] = (),
) -> Trace:
    """``so_far`` extended to ``total`` runs; one row where the expectation is exact.

    The versions of a statement share instances, so the last traces are kept. ``beside``: columns of
    the rounds' work that are recorded, too.
    """
    first = 0 if so_far is None else len(so_far.runs)
    iterate = None if weights is None else weights.tobytes()
    files = named_files(instance.model_dump())
    asked = f"{quantity.column} {quantity.of_runs} {beside} {first}:{total} {seed} {files}"
    text = f"{setting.algorithm!r} {asked} " + instance.model_dump_json(exclude={"constants"})
    # the classes themselves: a user's file, loaded again, may define others of the same names
    key = (type(setting.problem), type(setting.topology), type(setting.algorithm), iterate, text)
    found = kept_at_its_price(
        _KEPT,
        key,
        lambda: _new_runs(
            instance, setting, quantity, range(first, total), seed, weights, outcomes, beside
        ),
        _MOST_KEPT,
    )
    return found if so_far is None else so_far.joined(found)


_KEPT: dict[tuple[object, ...], tuple[Trace, tuple[Price, ...]]] = {}
_MOST_KEPT = 16  # a trace holds a few columns of (R, T) numbers


def _new_runs(
    instance: Instance,
    setting: Setting,
    quantity: Quantity,
    runs: range,
    seed: int,
    weights: Floats | None,
    outcomes: Outcomes,
    beside: tuple[str, ...],
) -> Trace:
    start = np.asarray(instance.x0)
    column = recorded(quantity)
    parts = (setting.problem, setting.topology, setting.algorithm)
    with undrawn(setting.algorithm):
        trace, random = None, setting.problem.stochastic or algorithm_draws(setting.algorithm)
        if not random:
            random = check_draws(*parts, rounds=instance.rounds, x0=start, seed=seed)
        if random and column in MOMENTS and not quantity.of_runs:
            with contextlib.suppress(NotAffineError):
                trace = expected_trace(*parts, rounds=instance.rounds, x0=start)
        if trace is None and random and not beside:
            found = outcomes()
            if found is not None and found.whole:
                trace = found.trace if quantity.of_runs else found.expectation()
        if trace is None:
            single = quantity.pathwise or quantity.chance is not None
            ids = [0] if not random and not single else list(runs)
            # how far the models go says what rounding can do, also where they come back
            way = Way(np.zeros(0) if weights is None else weights)
            trace = simulate(
                *parts,
                rounds=instance.rounds,
                runs=ids,
                seed=seed,
                x0=start,
                columns=[column, *beside],
                watch=way.see,
            )
            iterate = {} if weights is None else way.columns(setting.problem, column)
            exact = trace.exact and not random
            trace = replace(trace, exact=exact, size=way.size, iterate=iterate)
    return with_suboptimality(trace, setting, quantity)
