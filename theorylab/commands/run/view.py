"""What a person sees of runs: panels of curves, tables of final values, the page of a run."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.commands.origin import provenance
from theorylab.commands.table import print_table
from theorylab.hypergradients import OUTER_COLUMNS
from theorylab.report.curves import Curve, Panel
from theorylab.report.number import NOTHING, plain
from theorylab.report.readings import Plot
from theorylab.report.run_page import Table
from theorylab.report.run_page import page as html
from theorylab.runs.record import Record, Saved, Spread
from theorylab.runs.summary import band
from theorylab.runs.trace import COLUMNS

TITLES = {  # in the order of the panels; a column without one goes by its name
    "loss": "loss of the mean model",
    "own_loss": "loss of the clients' own models",
    "accuracy": "accuracy, mean over clients",
    "accuracy_low": "accuracy, 10th percentile of clients",
    "squared_gradient": "squared gradient norm, mean model",
    "gradient_u": "squared gradient norm, shared part",
    "gradient_v": "squared gradient norm, personal parts",
    "gradient_theta": "squared norm of the mean personal gradient",
    "consensus": "consensus distance",
    "weight_min": "smallest push-sum weight",
    "weight_max": "largest push-sum weight",
    "outer_loss": "outer cost, mean over clients",
    "validation_accuracy": "validation accuracy",
    "test_accuracy": "test accuracy",
    "test_accuracy_low": "test accuracy, 10th percentile of clients",
    "outer_change": "change of the outer cost, same draws",
    "series_radius": "rho(A_zz) of the series",
    "second_radius": "rho(E[A (x) A]) of the estimate",
    "estimate_rmse": "exact RMSE of the estimate",
    "hypergradient": "squared norm of the estimated hypergradient",
}
RISING = (  # more is better
    *("accuracy", "accuracy_low"),
    *("validation_accuracy", "test_accuracy", "test_accuracy_low"),
)
HEADLINES = ("loss", "own_loss", "accuracy")  # drawn along gradients and messages, too
_LINEAR = (*RISING, "outer_change", "weight_min", "weight_max")
_SIDE = {True: ">=", False: "<="}
_SPREAD = (">mean", ">95 % interval", ">median", ">10 % .. 90 %")


def panels(
    traces: Mapping[str, Saved],
    kind: str,
    columns: Sequence[str] | None = None,
    along: str | None = None,
    at: Mapping[str, NDArray[np.float64]] | None = None,
) -> list[Panel]:
    """A panel for each of ``columns``, all of the first trace if None, which all traces have.

    None for weights that are always 1. along, at: what the curves are drawn along instead of the
    rounds, and where a trace's rounds lie there.
    """
    shared = list(next(iter(traces.values())).columns) if columns is None else columns
    made = []
    for name in [*(name for name in TITLES if name in shared), *sorted({*shared} - {*TITLES})]:
        values = [trace.columns[name] for trace in traces.values()]
        if name.startswith("weight_") and all((value == 1).all() for value in values):
            continue
        places = {label: trace.at for label, trace in traces.items()} if at is None else at
        drawn = [_curve(label, trace, name, kind, places[label]) for label, trace in traces.items()]
        if all(len(curve.rounds) for curve in drawn):
            unit = along or ("outer steps" if name in OUTER_COLUMNS else "communication rounds")
            made.append(Panel(TITLES.get(name, name), drawn, name not in _LINEAR, unit))
    return made


def _curve(label: str, trace: Saved, name: str, kind: str, at: NDArray[Any]) -> Curve:
    values = trace.columns[name]
    kept = np.isfinite(values).all(axis=0)
    return Curve(label, at[kept].astype(float), *band(values[:, kept], kind))


def interval(low: float | None, high: float | None) -> str:
    """``0.12 .. 0.15``, one number where both are the same, or ``-``."""
    if low is None or high is None or not (math.isfinite(low) and math.isfinite(high)):
        return NOTHING
    return plain(low) if low == high else f"{plain(low)} .. {plain(high)}"


def final_table(record: Record) -> Table:
    """Every column at the last round, or outer step, that has it."""
    done = f"{record.rounds_done} {_steps(record)}{'s' * (record.rounds_done != 1)}"
    rows = [(column, str(final.round), *_spread(final)) for column, final in record.final.items()]
    name = f"{title(record)}, {done}, {_runs(record)}"
    return Table(name, ("column", f">{_steps(record)}", *_SPREAD), rows)


def selected_table(record: Record) -> Table | None:
    """Every column where the runs report it; None for runs that report their last round."""
    if record.selected is None:
        return None
    steps = ", ".join(map(str, record.selected.rounds))
    if len(record.selected.rounds) > 8:
        steps = f"{min(record.selected.rounds)} .. {max(record.selected.rounds)}"
    rows = [(column, *_spread(spread)) for column, spread in record.selected.columns.items()]
    name = f"At the {_steps(record)} with the best validation accuracy of each run ({steps})"
    return Table(name, ("column", *_SPREAD), rows)


def _spread(spread: Spread) -> tuple[str, str, str, str]:
    return (
        plain(spread.mean),
        interval(spread.low, spread.high),
        plain(spread.median),
        interval(spread.p10, spread.p90),
    )


def _steps(record: Record) -> str:
    return "outer step" if record.configuration.algorithm["name"] == "pdbo" else "round"


def _runs(record: Record) -> str:
    return f"{len(record.runs)} run{'s' * (len(record.runs) != 1)}"


def title(record: Record) -> str:
    given = record.configuration
    graph = f"{given.topology['name']} of {given.clients}"
    return f"{given.algorithm['name']} on {given.problem['name']}, {graph}"


def print_run(record: Record) -> None:
    """The tables of final values, and of the reported ones, on stdout."""
    for table in _tables(record):
        print_table(*table)


def _tables(record: Record) -> list[Table]:
    chosen = selected_table(record)
    return [final_table(record), *([] if chosen is None else [chosen])]


def page(record: Record, drawn: bool, plots: Sequence[Plot] = ()) -> str:
    """The page of a run's folder. plots: what the pointer is told over its curves."""
    given = json.loads(record.configuration.model_dump_json())
    meaning = [(name, (COLUMNS | OUTER_COLUMNS)[name]) for name in record.final]
    tables = [*_tables(record), Table("Columns", ("name", "what it is"), meaning)]
    source = json.dumps(given, indent=1)
    picture = "curves.svg" if drawn else None
    return html(
        title(record), record.note, picture, tables, source, origin=provenance(), plots=plots
    )


def print_compared(content: dict[str, Any]) -> None:
    """The tables of a comparison on stdout."""
    final, *targets = compared_tables(content)
    for table in (final._replace(rows=_told_once(final.rows)), *targets):
        print_table(*table)


def _told_once(rows: Sequence[Sequence[str]]) -> list[Sequence[str]]:
    """Rows without a first word that the row above has; a page, which sorts, has it everywhere."""
    above = ["", *(row[0] for row in rows)]
    return [
        ["" if row[0] == last else row[0], *row[1:]] for last, row in zip(above, rows, strict=False)
    ]


def compared_tables(content: dict[str, Any]) -> list[Table]:
    """Final values with their differences from the first run, and when targets were reached."""
    first = content["runs"][0]["label"]
    rows = [
        (
            row["column"],
            row["run"],
            plain(row["mean"]),
            interval(row["low"], row["high"]),
            NOTHING if row["difference"] is None else plain(row["difference"]),
            interval(row["difference_low"], row["difference_high"]),
        )
        for row in content["final"]
    ]
    columns = ("column", "run", ">mean", ">95 % interval", f">minus {first}", ">95 % interval")
    name = f"{content['problem']['name']}, {content['clients']} clients, round {content['round']}"
    tables = [Table(f"{name}: means over runs, and paired differences", columns, rows)]
    if content["targets"]:
        aims = [
            (
                f"{row['column']} {_SIDE[row['column'] in RISING]} {plain(row['target'])}",
                row["run"],
                f"{row['reached']}/{row['of']}",
                _when(row["rounds_median"]),
                "not counted" if row["gradients"] is None else _when(row["gradients_median"]),
                "not counted" if row["messages"] is None else _when(row["messages_median"]),
            )
            for row in content["targets"]
        ]
        heads = (
            *("target", "run", ">runs that reach it"),
            *(">median round", ">median gradients", ">median messages"),
        )
        tables.append(Table("Until the target, as far as recorded", heads, aims))
    return tables


def _when(value: float | None) -> str:
    return "not reached" if value is None else plain(value, digits=10)
