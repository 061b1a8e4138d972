"""A campaign as one page: how many rows of each verdict, the worst of them, a picture, the plan."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from theorylab.campaigns.figure import picture, plots
from theorylab.campaigns.reading import Rows
from theorylab.report.number import shown
from theorylab.report.readings import Plot
from theorylab.report.run_page import Table
from theorylab.report.run_page import page as html

PAGE, PICTURE = "index.html", "rows"
_MOST = 50  # rows, and commands that make one again
_AGAIN = 10


def page(
    title: str,
    rows: Rows,
    drawn: Mapping[str, Any],
    about: Mapping[str, Any],
    left: int = 0,
    origin: Mapping[str, str] | None = None,
) -> dict[str, str | bytes]:
    """The files of the page, by name: ``index.html`` and, where rows have axes and a number to
    draw, ``rows.svg`` and ``rows.png``.

    Args:
        drawn: arguments of ``figure.picture``; where none is given, it chooses.
        about: what ``campaign.json`` says of the machine, the versions and the command.
        left: cells that are not computed yet. origin: of the page, name by name.

    Raises:
        ValueError: one line, where ``drawn`` names an axis or a column that is not there.
    """
    pictures, told_over = _pictures(rows, drawn)
    worst = rows.worst().rows
    told_why = any(row.get("reason") for row in worst[:_MOST])
    names = [*rows.telling, *(["reason"] if told_why else [])]
    numbers = {n for n in names if any(isinstance(r.get(n), float | int) for r in worst)}
    heads = [f">{name}" if name in numbers else name for name in names]
    first = [[shown(row.get(name)) for name in names] for row in worst[:_MOST]]
    kinds = [[name, str(count)] for name, count in rows.counts().items()]
    again = [[row["key"], row["replay"]] for row in worst[:_AGAIN] if row.get("replay")]
    facts = [[name, value] for name, value in about.items() if isinstance(value, str)]
    told = f"{len(worst)} rows" if len(worst) <= _MOST else f"the worst {_MOST} of {len(worst)}"
    tables = [
        Table("Rows of each kind", ["kind", ">rows"], kinds),
        Table(f"Rows, the worst first: {told}", heads, first),
        Table("Commands that make a row again", ["key", "command"], again),
        Table("What made it", ["what", "value"], [*facts, ["digest of all rows", rows.digest]]),
    ]
    note = f"{left} of {rows.cells} cells are not here." if left > 0 else None
    source = json.dumps(dict(rows.plan), indent=1)
    shown_first = f"{PICTURE}.svg" if pictures else None
    text = html(title, note, shown_first, tables, source, origin=origin, plots=told_over)
    return {PAGE: text, **pictures}


def _pictures(
    rows: Rows, drawn: Mapping[str, Any]
) -> tuple[dict[str, str | bytes], Sequence[Plot]]:
    """Of what is asked for; else of the ratio, or of the plan's first column. With them, what the
    pointer is told."""
    given = {name: value for name, value in drawn.items() if value}
    columns = ["ratio", *(rows.plan.get("columns") or [])]
    measure = next((name for name in columns if name in rows.columns), None)
    if not given and (measure is None or not rows.axes):
        return {}, []
    chosen: dict[str, Any] = {"measure": measure or "ratio", "curves": len(rows.axes) == 1} | given
    try:
        kinds = {f"{PICTURE}.{kind}": kind for kind in ("svg", "png")}
        files = {name: picture(rows, kind, **chosen) for name, kind in kinds.items()}
        return dict(files), plots(rows, **chosen)
    except ValueError:
        if given:
            raise
        return {}, []  # no row has a number
