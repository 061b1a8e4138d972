"""``theorylab sweep FILE``: read the plan, compute its cells, say how it goes."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from shlex import quote
from typing import Any

from theorylab.campaigns import Cells, Folder, Options, Plan, Progress, plan, read_plan, run
from theorylab.commands.refusal import Refused, one_line, refusing, tell, tell_over
from theorylab.commands.sweep import Run as Asked
from theorylab.commands.table import print_table
from theorylab.imports import import_file, scope

_SHOWN = 10  # cells of a dry run
_EVERY = 5.0  # seconds between lines, where stderr is no terminal
_FEW = 5  # cells after which there is an estimate


def campaign(asked: Asked, shard: tuple[int, int]) -> int:
    """The exit code. Raises Refused before any work, or where the folder cannot be written."""
    with refusing():
        options = Options(asked.jobs, asked.backend, asked.scheduler, asked.limit, shard)
    folder = asked.out or Path(f"{asked.file.stem}.campaign")
    with scope():  # a plan in Python may register things
        return _computed(_plan(asked.file), folder, options, asked.dry_run)


def _computed(made: Plan, folder: Path, options: Options, dry_run: bool) -> int:
    with refusing():
        cells = Cells(made)
    if dry_run:
        _list(cells)
        return 0
    shown = _Lines(cells, options)
    try:
        with refusing():
            rows, digest = run(cells, Folder(folder), options, shown)
    except KeyboardInterrupt:
        shown.ended()
        raise
    shown.ended()
    done = "" if rows >= cells.total else f" of {cells.total}"
    again = f"theorylab sweep show {quote(str(folder))}"
    tell(f"{folder}: {rows}{done} cells, digest {digest[:16]}. {again}")
    return 0


def _plan(file: Path) -> Plan:
    where = str(file)
    try:
        with refusing(where):
            if not file.is_file():
                raise ValueError("no such file; need a plan, FILE.toml or FILE.py")
            if file.suffix != ".py":
                return plan(read_plan(file))
    except Refused as error:
        line = str(error)
        raise Refused(line if where in line.split(":")[0] else f"{where}: {line}") from None
    with refusing():
        found: Any = getattr(import_file(file).module, "PLAN", None)
        if not isinstance(found, Plan | dict):
            raise ValueError(f"{file}: defines no PLAN; need PLAN = Plan(...), or a dict")
        return found if isinstance(found, Plan) else plan(found)


def sizes(cells: Cells) -> str:
    """ "24 cells: 3 clients x 2 topology x 4 seed"."""
    given = cells.plan
    if given.cells is not None:
        how = "a list"
    elif given.sample is not None:
        how = f"a {given.sample.kind} sample over {', '.join(given.names)}"
    else:
        lists = zip(cells.points.lists, given.names, strict=True)
        how = " x ".join(f"{len(values)} {name}" for values, name in lists)
    kept = " that are kept" if given.where else ""
    return f"{cells.total} cells{kept}: {how}"


def _list(cells: Cells) -> None:
    tell(sizes(cells))
    rows = []
    for cell, _ in zip(cells, range(_SHOWN), strict=False):
        point = [
            f"{value:.6g}" if isinstance(value, float) else str(value)
            for value in cell.point.values()
        ]
        rows.append([cell.key[:16], *point])
    print_table("", ["key", *cells.plan.names], rows)
    if cells.total > _SHOWN:
        tell(f"and {cells.total - _SHOWN} more")


class _Lines(Progress):
    """A line on stderr now and then; on a terminal it stays one line."""

    def __init__(self, cells: Cells, options: Options) -> None:
        self.cells, self.options = cells, options
        self.began = self.last = time.monotonic()
        self.total = self.done = 0
        self.told = False
        self.bar = sys.stderr.isatty()

    def begins(self, cells: int, stored: int | None) -> None:
        self.total = cells
        self.began = time.monotonic()
        had = f", {stored} of them stored" if stored else ""
        place, of = self.options.shard
        part = "" if of == 1 else f"; shard {place} of {of} has {cells}"
        self._say(f"{sizes(self.cells)}{part}{had}", end=True)

    def moves(self, done: int, stored: int, seconds: float) -> None:
        now = time.monotonic()
        first = not self.told and done >= _FEW
        if done == self.done and not first:
            return
        if not first and now - self.last < (0.5 if self.bar else _EVERY):
            return
        self.told |= first
        self.last, self.done = now, done
        rate = done / max(now - self.began, 1e-9)
        most = (
            self.total
            if self.options.limit is None
            else min(self.total, stored + self.options.limit)
        )
        left = max(0, most - stored - done)
        each = f"{1000 * seconds:.3g} ms a cell" if seconds < 1 else f"{seconds:.3g} s a cell"
        self._say(f"[{done + stored}/{most}] {each}, {_span(left / rate)} left")

    def note(self, line: str) -> None:
        self._say(f"theorylab: {one_line(line)}", end=True)

    def ended(self) -> None:
        if self.bar:
            tell(file=sys.stderr)

    def _say(self, line: str, end: bool = False) -> None:
        if self.bar:
            tell_over(line, "\n" if end else "")
        else:
            tell(line, file=sys.stderr, flush=True)


def _span(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
