"""A campaign: every cell of a plan is computed once and kept, whatever ends in between."""

from __future__ import annotations

import contextlib
import itertools
import json
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from theorylab.campaigns.backends import Backend, Dask, Here, Processes
from theorylab.campaigns.cells import Cell, Cells
from theorylab.campaigns.folder import Folder, Note
from theorylab.campaigns.loop import Loop
from theorylab.campaigns.plan import Plan, plan
from theorylab.campaigns.reading import Rows
from theorylab.campaigns.store import Store
from theorylab.campaigns.text import canonical, text_hash
from theorylab.campaigns.worker import Done, Task, stamp
from theorylab.campaigns.writer import Writer
from theorylab.imports import codes

BACKENDS = ("processes", "dask")
_BATCH = 256  # cells that are looked up at once


@dataclass(frozen=True)
class Options:
    """How a campaign is run; nothing here changes a row.

    Args:
        jobs: processes; with one, this process computes. backend: "processes", or "dask" with
            the address of its scheduler.
        limit: how many cells are computed at most, of those that have no row.
        shard: (i, N): only every N-th cell, beginning with the i-th of 1 .. N.
    """

    jobs: int = 1
    backend: str = "processes"
    scheduler: str | None = None
    limit: int | None = None
    shard: tuple[int, int] = (1, 1)

    def __post_init__(self) -> None:
        if not 1 <= self.jobs <= 1024:
            raise ValueError(f"--jobs is {self.jobs}; need 1 .. 1024")
        if self.backend not in BACKENDS:
            raise ValueError(f"--backend is {self.backend!r}; need one of {', '.join(BACKENDS)}")
        if (self.backend == "dask") != (self.scheduler is not None):
            raise ValueError("need --scheduler ADDRESS with --backend dask, and only with it")
        if self.limit is not None and self.limit < 1:
            raise ValueError(f"--limit is {self.limit}; need at least 1")
        place, of = self.shard
        if not 1 <= place <= of <= 1_000_000:
            raise ValueError(f"--shard is {place}/{of}; need i/N with 1 <= i <= N")


class Progress:
    """Told how a campaign goes; this one says nothing."""

    def begins(self, cells: int, stored: int | None) -> None:
        """cells: of the plan, or of this shard."""

    def moves(self, done: int, stored: int, seconds: float) -> None:
        """done: computed now; stored: had a row; seconds: that a cell takes, on average."""

    def note(self, line: str) -> None:
        """Something was damaged, or a worker is gone."""


class _Noted(Progress):
    def __init__(self, note: Note) -> None:
        self.note = note  # type: ignore[assignment, method-assign]


def run(cells: Cells, folder: Folder, options: Options, progress: Progress) -> tuple[int, str]:
    """Compute what has no row; (how many rows the plan has then, their digest).

    Raises ValueError or OSError, one line: everything that was committed is kept.
    """
    backend = backend_of(options)
    with contextlib.ExitStack() as stack:
        stack.callback(backend.close)
        stack.enter_context(folder.alone())
        document, total = cells.plan.document, cells.total
        folder.write_page(document, total, options.backend)
        store = stack.enter_context(folder.store(progress.note))
        code = [stamp(), *(each.model_dump() for each in codes())]
        files = {"files": json.loads(cells.files)} if cells.files else {}
        era = store.era(json.dumps({"plan": document, "code": code, "cells": total, **files}))
        place, of = options.shard
        progress.begins(len(range(place - 1, total, of)), store.count(era) if of == 1 else None)
        tasks = _Tasks(cells, store, era, options)
        loop, writer = Loop(tasks, backend, progress.note), Writer(store, era)
        try:
            for done in loop:
                for each in done:
                    writer.put(tasks.named(each))
                writer.check()
                progress.moves(loop.done, tasks.stored, loop.cost)
        finally:
            writer.close()
        return store.count(era), store.digest(era)


def backend_of(options: Options) -> Backend:
    """What computes the chunks. Raises ValueError, one line, where no scheduler answers."""
    if options.scheduler is not None:
        return Dask(options.scheduler)
    return Here() if options.jobs == 1 else Processes(options.jobs)


class _Tasks:
    """The cells of a shard that have no row. ``stored``: how many had one."""

    def __init__(self, cells: Cells, store: Store, era: int, options: Options) -> None:
        self.cells, self.store, self.era, self.options = cells, store, era, options
        self.texts: dict[str, str] = {}  # templates, by hash
        self.stored = 0

    def __iter__(self) -> Iterator[Task]:
        place, of = self.options.shard
        mine = itertools.islice(self.cells.points, place - 1, None, of)
        given = 0
        while batch := list(itertools.islice(mine, _BATCH)):
            cells = [self.cells.cell(point) for point in batch]
            known = self.store.known([cell.key for cell in cells], self.era)
            self.stored += len(known)
            for cell in cells:
                if cell.key not in known:
                    if given == self.options.limit:
                        return
                    given += 1
                    yield self._task(cell)

    def _task(self, cell: Cell) -> Task:
        name = text_hash(cell.template.text)
        self.texts.setdefault(name, cell.template.text)
        about = canonical({"at": cell.point, "from": name, "set": cell.settings})
        return Task(cell.key, about, canonical(cell.document), cell.files)

    def named(self, done: Done) -> Done:
        """A computed cell with the text of its template, which no worker sends."""
        name = json.loads(done.about)["from"]
        return replace(done, texts={**done.texts, name: self.texts[name]})


def sweep(
    what: Plan | dict[str, Any] | str | Path | None = None,
    *,
    out: str | Path | None = None,
    jobs: int = 1,
    backend: str = "processes",
    scheduler: str | None = None,
    limit: int | None = None,
    shard: tuple[int, int] = (1, 1),
    note: Note = lambda line: None,
    **parts: Any,
) -> Rows:
    """Run a campaign and return its rows, a table: ``sweep(...).to_frame()``.

    Args:
        what: a plan, its document, or the path of FILE.toml; or give its parts by name, such as
            ``claim=``, ``axes=``, ``where=`` (see ``theorylab.campaigns.Plan``).
        out: the folder, which keeps every row and is resumed; None: one that is thrown away.
        jobs: how many processes compute cells.
        backend: "processes", "threads" or "dask".
        scheduler: the address of Dask's scheduler.
        limit: at most so many cells, this time.
        shard: (k, of): the k-th of so many parts of the plan.
        note: called with a line on what was damaged.
        parts: the plan's parts by name, where ``what`` is None.

    Returns:
        The rows of all cells that were computed.

    Raises:
        ValueError: one line, on a wrong plan or option, before any work.
        OSError: where the folder cannot be written.

    >>> rows = sweep(claim="dfedsgpsm.lem1", axes={"rounds": [2, 4]})
    >>> len(rows.table()["verdict"])
    2
    """
    from theorylab.campaigns.plan import read_plan

    if isinstance(what, str | Path):
        what = read_plan(Path(what))
    if what is not None and parts:
        raise ValueError("sweep: a plan came, and parts of one; need either")
    made = what if isinstance(what, Plan) else plan(parts if what is None else what)
    options = Options(jobs, backend, scheduler, limit, shard)
    cells, progress = Cells(made), _Noted(note)
    if out is not None:
        run(cells, Folder(Path(out)), options, progress)
        return Rows.of(Path(out))
    with tempfile.TemporaryDirectory() as folder:
        run(cells, Folder(Path(folder)), options, progress)
        return Rows.of(Path(folder), replay=False)
