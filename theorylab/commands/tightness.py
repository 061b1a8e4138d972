"""``theorylab tightness``: simulated <= worst case <= bound, and how far apart they are."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from theorylab.commands.compare import check_folder
from theorylab.commands.refusal import check_target, refusing, tell, write_target
from theorylab.commands.table import print_table
from theorylab.report.atomic import check_writable, write_atomic
from theorylab.report.number import plain
from theorylab.report.style import BOUND, INK, MEASURED, TERM, saved
from theorylab.tightness import Triangle, needed, settings, triangle

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_COLUMNS = (
    *("method", "measured", ">n", ">T", ">simulated", ">PEP (estimate)", ">bound"),
    *(">sim/PEP", ">PEP/bound"),
)
_JSON, _SVG = "tightness.json", "tightness.svg"


def tightness(
    method: str | None, clients: int, rounds: int, *, out: Path | None, json_target: str | None
) -> int:
    """Print one row a claim; ``out`` gets the rows with the simulated functions, and a picture."""
    check_target("--json", json_target)
    if out is not None:
        check_folder(out)
        for name in (_JSON, _SVG) if out.is_dir() else ():
            with refusing(f"--out {out}"):
                check_writable(out / name)
    with refusing("tightness"):
        chosen = settings(method, clients, rounds)
        needed()
        rows = [triangle(setting) for setting in chosen]
    content = {"triangles": [row.as_json() for row in rows]}
    text = json.dumps(content, indent=1, allow_nan=False) + "\n"
    if out is not None:
        drawn = _drawn(rows)
        with refusing(f"--out {out}"):
            out.mkdir(parents=True, exist_ok=True)
            write_atomic(out / _JSON, text)
            write_atomic(out / _SVG, drawn)
    if json_target is not None:
        write_target("--json", json_target, text)
    if json_target != "-":
        print_table("simulated <= worst case <= bound", _COLUMNS, [_row(row) for row in rows])
        tell("PEP: a float from a semidefinite program, an estimate and no proof. With several")
        tell("clients a relaxation: the worst case lies between simulated and PEP.")
    return 0


def _row(row: Triangle) -> tuple[str, ...]:
    s = row.setting
    return (
        *(s.method, s.claim, str(s.clients), str(s.rounds)),
        *(plain(known.value) for known in (row.simulated, row.pep, row.bound)),
        *(plain(row.attained), plain(row.tightness)),
    )


def _drawn(rows: Sequence[Triangle]) -> bytes:
    """The three numbers of every row on one logarithmic axis, as SVG; the same rows, same bytes."""
    heights = range(len(rows), 0, -1)

    def draw(figure: Figure) -> None:
        axes = figure.add_subplot()
        bounds, worst = [r.bound.value for r in rows], [r.pep.value for r in rows]
        axes.hlines(heights, [r.simulated.value for r in rows], bounds, color=TERM, linewidth=1)
        axes.plot(bounds, heights, "D", color=BOUND, ms=9, label="bound")
        axes.plot(worst, heights, "o", color=INK, mfc="white", ms=8, label="PEP (estimate)")
        simulated = [r.simulated.value for r in rows]
        axes.plot(simulated, heights, "o", color=MEASURED, ms=4, label="simulated")
        axes.set_xscale("log")
        axes.set_ylim(0.5, len(rows) + 0.5)
        axes.set_yticks(
            list(heights),
            [
                f"{s.method}, n = {s.clients}, T = {s.rounds}\n{s.claim}"
                for s in (row.setting for row in rows)
            ],
        )
        axes.grid(True, axis="x", color=INK, alpha=0.13, linewidth=0.6)
        axes.legend(loc="lower center", bbox_to_anchor=(0.4, 1.0), ncols=3, frameon=False)

    return saved(draw, "svg", bbox="tight", figsize=(8.0, 1.5 + 0.5 * len(rows)))
