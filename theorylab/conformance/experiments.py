"""Whether an experiment is what it says: columns, constants, rows, and its description."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from theorylab.conformance._compare import gap, given_to, rebuilt
from theorylab.conformance._sheet import DOUBT, LIE, RAISES, TRUE, UNCHECKED, Finding, Sheet, said
from theorylab.experiments import EXPERIMENTS, Experiment, Observation, experiment
from theorylab.known import Known
from theorylab.runs.generators import global_draws

_RUNS = 4
_ROOM = 2.0**-36


def check_experiment(name: str, given: Mapping[str, Any], clients: int | None) -> list[Finding]:
    """The findings of the experiment registered as ``name``; ``clients`` is not looked at."""
    sheet, made = Sheet("experiment", name), EXPERIMENTS.find(name)
    options, guesses, missing = given_to(made, given)
    if missing:
        sheet.add("everything", "", UNCHECKED, f"needs option {', '.join(missing)}")
        return sheet.findings
    try:
        one = experiment(name, **options)
    except Exception as error:
        sheet.add("everything", "the constructor", RAISES, said(error))
        return sheet.findings
    with sheet.asking("constants", "constants()"):
        wrong = [key for key, value in one.constants().items() if not isinstance(value, Known)]
        sheet.judge(
            "constants", "each a Known", not wrong, f"{wrong[0]} is no Known" if wrong else ""
        )
    told = f", with {', '.join(guesses)}" if guesses else ""
    columns = one.columns
    sheet.judge(
        "columns", "names of what observe measures", bool(columns), "" if columns else "none"
    )
    for column in columns:
        with sheet.asking(f"rows of {column}", f"{_RUNS} runs{told}"):
            try:
                one.observe(column, range(1), 1)
            except ValueError as error:
                if str(error).startswith(("row ", "observation:")):
                    raise
                sheet.add(f"rows of {column}", "1 run", UNCHECKED, said(error))
                continue
            _observed(sheet, one, column, f"{_RUNS} runs{told}")
    rebuilt(
        sheet,
        "describe()",
        options,
        made,
        lambda some: experiment(name, **some),
        lambda each: each.describe(),
        lambda told: experiment(name, **told),
        _look,
    )
    return sheet.findings


def _look(one: Experiment) -> list[Any]:
    known = [np.array([k.value]) for _, k in sorted(one.constants().items())]
    for column in one.columns:
        with contextlib.suppress(ValueError):  # a column that these options do not have
            known += [row.values for row in one.observe(column, range(2), 1).rows]
    return known


def _observed(sheet: Sheet, one: Experiment, column: str, how: str) -> None:
    drawn: list[str] = []
    with global_draws(drawn):
        first, again = (one.observe(column, range(_RUNS), 1) for _ in range(2))
    doubt, wrong = (
        "",
        "" if isinstance(first, Observation) else f"{type(first).__name__}; need Observation",
    )
    if not wrong:
        for row in first.rows:
            if not np.isfinite(row.values).all():
                wrong = f"{row.label!r} is not finite"
            elif not first.exact and row.weights is None and len(row.values) != _RUNS:
                text = f"{row.label!r} has {len(row.values)} numbers; need one a run, {_RUNS}"
                if len(row.values) == 1:  # it may be one that no run changes
                    doubt = text
                else:
                    wrong = text
    shown = wrong or f"{len(first.rows)} rows"
    result = LIE if wrong else DOUBT if doubt else TRUE
    sheet.add(f"rows of {column}", f"{how}: finite, one number a run", result, doubt or shown)
    if wrong:
        return
    why = f"it draws from {drawn[0]}" if drawn else _apart(first, again, slice(None), 0.0)
    sheet.judge(f"{column} is a function", "of (options, runs, seed), asked twice", not why, why)
    if first.exact or doubt:
        return
    for r in range(_RUNS):
        why = why or _apart(first, one.observe(column, range(r, r + 1), 1), slice(r, r + 1), _ROOM)
    sheet.judge(f"{column}: a batch is its runs", f"each of {_RUNS} runs alone", not why, why)


def _apart(one: Observation, other: Observation, runs: slice, room: float) -> str:
    if [row.label for row in one.rows] != [row.label for row in other.rows]:
        return "it has other places"
    for row, same in zip(one.rows, other.rows, strict=True):
        values = row.values if row.weights is not None else row.values[runs]
        off, size = gap(values, same.values)
        if off > room * max(size, float(np.abs(row.values).max())):
            return f"{row.label!r} is off by {off:.3g}"
    return ""
