"""The measured side of a check: exact moments where there are any, else runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.runs import (
    Interval,
    Trace,
    expected_trace,
    has_exact_moments,
    simulate,
)
from theorylab.statements import Quantity
from theorylab.verdicts.instance import Instance, Setting


@dataclass(frozen=True)
class Measured:
    """One value a run, the interval they give, and what kind of claim they are for."""

    values: NDArray[Any]
    interval: Interval
    pathwise: bool
    exact: bool

    @property
    def centre(self) -> float:
        """What is reported as measured: the mean of the runs, or the largest of them."""
        return float(self.values.max() if self.pathwise else self.values.mean())


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
    key = f"{setting.algorithm!r} {quantity.column} {first}:{total} {seed} " + (
        instance.model_dump_json(exclude={"constants"})
    )
    if key not in _KEPT:
        while len(_KEPT) >= _MOST_KEPT:
            del _KEPT[next(iter(_KEPT))]
        _KEPT[key] = _new_runs(instance, setting, quantity, range(first, total), seed)
    return _KEPT[key] if so_far is None else so_far.joined(_KEPT[key])


_KEPT: dict[str, Trace] = {}
_MOST_KEPT = 8  # a trace holds a few columns of (R, T) numbers


def _new_runs(
    instance: Instance, setting: Setting, quantity: Quantity, runs: range, seed: int
) -> Trace:
    start = np.asarray(instance.x0)
    exact = not quantity.pathwise and has_exact_moments(setting.problem, setting.algorithm)
    parts = (setting.problem, setting.topology, setting.algorithm)
    if exact:
        trace = expected_trace(*parts, rounds=instance.rounds, x0=start)
    else:
        columns = ["loss" if quantity.column == "suboptimality" else quantity.column]
        if quantity.pathwise:
            columns.append("update_magnitude")
        alone = not setting.problem.stochastic and not quantity.pathwise
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
    if quantity.column != "suboptimality":
        return trace
    best = setting.problem.constants()["f_star"]
    if not (best.at_least and best.at_most):
        raise ValueError(
            f"last_suboptimality: f* of {setting.problem.name} is only known as a "
            f"{best.how.value} bound; need an exact one"
        )
    loss = np.maximum(trace.columns["loss"] - best.value, 0.0)
    return Trace({**trace.columns, "suboptimality": loss}, trace.runs, trace.exact)
