"""The measured side of a check: exact moments where there are any, else runs."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import Any

import numpy as np
import sympy as sp

from theorylab import symbols
from theorylab.experiments import Row, relative_error
from theorylab.known import How, Known
from theorylab.runs import (
    COLUMNS,
    MOMENTS,
    NotAffineError,
    Setting,
    Trace,
    check_draws,
    expected_trace,
    mean_interval,
    point,
    simulate,
)
from theorylab.runs.simulate import algorithm_draws
from theorylab.statements import Quantity
from theorylab.verdicts.case import ROUNDING, Case, Place, Seen, largest
from theorylab.verdicts.decide import known_number
from theorylab.verdicts.declared import check_declared
from theorylab.verdicts.evidence import constant_name, gathered
from theorylab.verdicts.instance import Instance, built, computed_constants, parsed
from theorylab.verdicts.observe import claimed_quantile
from theorylab.verdicts.rounding import last_rounding

_SUBOPTIMALITY = "suboptimality"  # made of the column loss and f*


class Running:
    """An instance's runs so far, and the one place where their claim is made."""

    def __init__(self, case: Case) -> None:
        self.instance = parsed(case.where, case.check.instance)
        if self.instance.law != "auto" or self.instance.at:
            raise ValueError(
                f"{case.where}: law or at came; need neither, for they are of a metric's rows"
            )
        self.setting = built(case.where, self.instance, case.statement.algorithm)
        try:
            check_declared(self.setting.problem, self.setting.start)
        except ValueError as error:
            raise ValueError(f"{case.where}: {error}") from error
        self.trace: Trace | None = None
        column, known = case.quantity.column, (*COLUMNS, _SUBOPTIMALITY)
        if column not in known:
            raise ValueError(
                f"{case.where}: no run has a column {column!r}; need one of {', '.join(known)}"
            )

    def constants(self, case: Case) -> dict[sp.Symbol, Known]:
        """Every wanted constant; ``magnitude`` follows with the trace."""
        names = [(s, constant_name(case.version, s)) for s in sorted(case.wanted, key=str)]
        own = computed_constants(case.where, case.version, self.setting)
        setting = replace(self.setting, given={**self.setting.given, **own})
        return gathered(case.where, self.instance, setting, names)

    def described(self, case: Case) -> dict[str, Any]:
        """The instance as it stands in a result."""
        return {"algorithm_name": case.statement.algorithm, **self.instance.shown()}

    def seen(
        self, case: Case, constants: dict[sp.Symbol, Known], total: int, seeds: int, seed: int
    ) -> Seen:
        """The claim after runs 0 .. total - 1 (of at most ``seeds``)."""
        quantity = case.quantity
        trace = traced(self.instance, self.setting, quantity, self.trace, total, seed)
        self.trace = trace
        if symbols.magnitude in case.wanted:
            constants[symbols.magnitude] = Known(
                float(trace.columns["update_magnitude"].max()) * (1 + ROUNDING),
                How.UPPER,
                "largest sum of absolute values over rounds, clients and runs",
            )
        values = trace.reduced(quantity.column, quantity.over)
        centre = float(values.mean())
        room = 0.0
        if quantity.over == "last":
            room = last_rounding(self.setting, trace, quantity.column, values)
        if quantity.pathwise:
            centre = float(values.max())
            interval = largest(values, 0.0)
        elif quantity.chance is not None:
            centre, interval = claimed_quantile(
                case, Row(values), constants, seeds, trace.exact, case.share
            )
        elif trace.exact:
            interval = point(float(values[0]), ROUNDING)
        else:
            ceiling = known_number(quantity.ceiling, constants)
            interval = mean_interval(values, ceiling, case.share)
        if room:
            method = f"{interval.method}, absolute rounding {room:.1e}"
            low, high = interval.low - room, interval.high + room
            interval = replace(interval, low=low, high=high, method=method)
            room += ROUNDING * abs(centre) if trace.exact else 0.0
        share = None
        if quantity.column.startswith("update_residual"):
            share = relative_error(values, trace.columns["update_size"])
        place = Place(
            *(values, centre, interval, trace.exact, constants),
            room=room or None,
            relative_error=share,
        )
        runs = len(trace.runs)
        return Seen((place,), runs, trace.exact or quantity.pathwise or runs >= seeds)


def traced(
    instance: Instance,
    setting: Setting,
    quantity: Quantity,
    so_far: Trace | None,
    total: int,
    seed: int,
) -> Trace:
    """``so_far`` extended to ``total`` runs; one row where the expectation is exact.

    The versions of a statement share instances, so the last few traces are kept.
    """
    first = 0 if so_far is None else len(so_far.runs)
    asked = f"{quantity.column} {_realised(quantity)} {first}:{total} {seed}"
    text = f"{setting.algorithm!r} {asked} " + instance.model_dump_json(exclude={"constants"})
    # the classes themselves: a user's file, loaded again, may define others of the same names
    key = (type(setting.problem), type(setting.topology), type(setting.algorithm), text)
    if key not in _KEPT:
        while len(_KEPT) >= _MOST_KEPT:
            del _KEPT[next(iter(_KEPT))]
        _KEPT[key] = _new_runs(instance, setting, quantity, range(first, total), seed)
    return _KEPT[key] if so_far is None else so_far.joined(_KEPT[key])


_KEPT: dict[tuple[object, ...], Trace] = {}
_MOST_KEPT = 8  # a trace holds a few columns of (R, T) numbers


def _realised(quantity: Quantity) -> bool:
    """Whether the claim is about single runs, of which an exact expectation says nothing."""
    return quantity.pathwise or quantity.chance is not None


def _new_runs(
    instance: Instance, setting: Setting, quantity: Quantity, runs: range, seed: int
) -> Trace:
    start = np.asarray(instance.x0)
    column = "loss" if quantity.column == _SUBOPTIMALITY else quantity.column
    parts = (setting.problem, setting.topology, setting.algorithm)
    trace, random = None, setting.problem.stochastic or algorithm_draws(setting.algorithm)
    if random and column in MOMENTS and not _realised(quantity):
        with contextlib.suppress(NotAffineError):
            trace = expected_trace(*parts, rounds=instance.rounds, x0=start)
    if not random:
        check_draws(*parts, rounds=instance.rounds, x0=start, seed=seed)
    if trace is None:
        columns = [column]
        if quantity.pathwise:
            columns += ["update_magnitude", "update_size"]
        alone = not random and not _realised(quantity)
        trace = simulate(
            *parts,
            rounds=instance.rounds,
            runs=[0] if alone else runs,
            seed=seed,
            x0=start,
            columns=columns,
        )
    return _with_suboptimality(trace, setting, quantity)


def _with_suboptimality(trace: Trace, setting: Setting, quantity: Quantity) -> Trace:
    """loss - f*, where f* is exact: a lower bound on f* would make the measured side too large."""
    if quantity.column != _SUBOPTIMALITY:
        return trace
    best = setting.problem.constants().get("f_star")
    if best is None:
        raise ValueError(f"last_suboptimality: f* of {setting.problem.name} is not known; need it")
    if not (best.at_least and best.at_most):
        raise ValueError(
            f"last_suboptimality: f* of {setting.problem.name} is only known as a "
            f"{best.how.value} bound; need an exact one"
        )
    both = [
        {**table, _SUBOPTIMALITY: np.maximum(table["loss"] - best.value, 0.0)}
        for table in (trace.columns, trace.last)
    ]
    return replace(trace, columns=both[0], last=both[1])
