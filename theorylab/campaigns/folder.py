"""The folder of a campaign: one process writes at a time, and it is known for what it is."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import platform
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from filelock import FileLock, Timeout

import theorylab
from theorylab.campaigns import schema
from theorylab.campaigns.schema import CAMPAIGN, SPEEDUP
from theorylab.campaigns.store import Store, readable
from theorylab.campaigns.stored import Stored
from theorylab.campaigns.text import canonical
from theorylab.kernels import read_text
from theorylab.report.atomic import check_regular, write_atomic

PAGE, ROWS, LOCK = "campaign.json", "cells.sqlite", ".lock"
SCHEMA = 1
Note = Callable[[str], None]
_OTHER = {
    CAMPAIGN: "holds a campaign, which theorylab sweep show shows; need another folder, or none",
    SPEEDUP: "holds a study of speedup, which its index.html and speedup.json show; need a folder "
    "of sweep, or none",
}


class Folder:
    """Nothing is read or written before a method is called."""

    def __init__(self, path: Path, kind: str = CAMPAIGN) -> None:
        self.path, self.kind = path, kind

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Make the folder, and keep other writers out of it.

        Raises ValueError or OSError: one line, where it is no campaign's, or a process is at it.
        """
        self.path.mkdir(parents=True, exist_ok=True)
        self._check()
        lock = FileLock(self.path / LOCK, blocking=False)
        try:
            lock.acquire()
        except Timeout:
            text = "another process is at this campaign; need it to end, or another folder"
            raise ValueError(f"{self.path}: {text}") from None
        try:
            yield
        finally:
            lock.release()

    def busy(self) -> bool:
        """Whether a process is at it now."""
        if not (self.path / LOCK).exists():
            return False
        lock = FileLock(self.path / LOCK, blocking=False)
        try:
            lock.acquire()
        except (Timeout, OSError):
            return True
        lock.release()
        return False

    def _check(self) -> None:
        """Refuse what is something else's: nothing of it would be overwritten."""
        for name in (PAGE, ROWS, LOCK):
            check_regular(self.path / name)
        self._check_version()
        there = {each.name for each in self.path.iterdir()}
        page = self.page()
        if page is not None:
            self._check_kind(page)
        own = {PAGE, ROWS, LOCK}
        if there and not there & own:
            raise ValueError(
                f"{self.path}: holds something else; need a folder of a campaign, or none"
            )
        if ROWS in there and page is None and not readable(self.path / ROWS):
            raise ValueError(
                f"{self.path / ROWS}: is no database of a campaign; need it moved away"
            )

    def _check_version(self) -> None:
        """Refuse a folder of another format, which its page says."""
        try:
            check_regular(self.path / PAGE)
            number = schema.version(read_text(self.path / PAGE))
        except (OSError, ValueError):
            return
        if number not in (None, SCHEMA):
            raise ValueError(
                f"{self.path}: is of format {number}, and this theorylab reads {SCHEMA}; need "
                "another folder, or the theorylab that wrote it"
            )

    def page(self) -> dict[str, Any] | None:
        """What campaign.json says; None where there is none, or it is damaged."""
        try:
            check_regular(self.path / PAGE)
            return schema.page(read_text(self.path / PAGE))
        except (OSError, ValueError):
            return None

    def _check_kind(self, document: dict[str, Any]) -> None:
        """Refuse a folder of the other kind, by its page or its plan."""
        there = schema.kind_of(document)
        if there != self.kind:
            raise ValueError(f"{self.path}: {_OTHER[there]}")

    def write_page(self, plan: dict[str, Any], total: int, backend: str) -> None:
        """Say what runs here, and with what."""
        page = {
            "schema": SCHEMA,
            "kind": self.kind,
            "theorylab": theorylab.__version__,
            "plan": plan,
            "cells": total,
            "backend": backend,
            "python": platform.python_version(),
            "numpy": np.__version__,
            "machine": f"{platform.machine()}, {os.cpu_count()} processors",
            "command": [Path(sys.argv[0]).name, *sys.argv[1:]],
            "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        }
        write_atomic(self.path / PAGE, json.dumps(page, indent=1) + "\n")

    def store(self, note: Note) -> Store:
        """To write into; damaged rows are dropped first. Inside ``alone``."""
        return Store(self.path / ROWS, note, kind=self.kind)

    def reading(self) -> Store:
        """To read, also while a process writes. Raises ValueError where there is no campaign."""
        if not self.path.is_dir():
            raise ValueError(f"{self.path}: no such folder; need one that sweep has written")
        check_regular(self.path / ROWS)
        self._check_version()
        if not (self.path / ROWS).is_file():
            raise ValueError(
                f"{self.path}: is no campaign's folder; need one that sweep has written"
            )
        return Store(self.path / ROWS, lambda line: None, check=False)


def current(store: Store) -> tuple[int, dict[str, Any]]:
    """Number and document of the newest plan of a campaign.

    Raises ValueError: one line, where there is none, or it is of a study of speedup.
    """
    found = store.current()
    if found is None:
        raise ValueError(f"{store.path}: holds no plan; need the sweep again")
    try:
        document = schema.era(found[1])
    except ValueError as error:
        raise ValueError(f"{store.path}: its plan is none: {error}; need the sweep again") from None
    if schema.kind_of(document) != CAMPAIGN:
        raise ValueError(f"{store.path.parent}: {_OTHER[SPEEDUP]}")
    return found[0], document


def merge(folders: Sequence[Path], out: Path, note: Note) -> tuple[int, str]:
    """Join the shards of one campaign into ``out``: (number of rows, their digest).

    Identical rows are kept once.

    Raises ValueError: one line, where the plans differ, or two folders differ about a cell.
    """
    if out.resolve() in [folder.resolve() for folder in folders]:
        raise ValueError(f"merge: --out {out} is one of the folders; need another one")
    with contextlib.ExitStack() as stack:
        sources = [stack.enter_context(Folder(folder).reading()) for folder in folders]
        plans = [current(source) for source in sources]
        first = plans[0][1]
        for folder, (_, document) in zip(folders, plans, strict=True):
            if document["plan"] != first["plan"]:
                raise ValueError(f"merge: {folder} is of another campaign; need shards of one")
            if document.get("files") != first.get("files"):
                raise ValueError(
                    f"merge: {folder} is of other files than {folders[0]}; need shards of the same"
                )
        target = Folder(out)
        stack.enter_context(target.alone())
        store = stack.enter_context(target.store(note))
        era = store.era(json.dumps(first))
        seen = {_hash(row.point): (row.key, _hash(row.row)) for row in store.rows(era)}
        for folder, source, (number, _) in zip(folders, sources, plans, strict=True):
            for rows in _batches(source.read(number)):
                _put(store, era, source, rows, folder, seen)
        target.write_page(first["plan"], first["cells"], "merge")
        return store.count(era), store.digest(era)


def _batches(rows: Iterator[Stored], size: int = 1000) -> Iterator[list[Stored]]:
    batch: list[Stored] = []
    for row in rows:
        batch.append(row)
        if len(batch) == size:
            yield batch
            batch = []
    yield batch


def _put(
    store: Store,
    era: int,
    source: Store,
    rows: list[Stored],
    folder: Path,
    seen: dict[bytes, tuple[str, bytes]],
) -> None:
    fresh, texts = [], {}
    for row in rows:
        point, here = _hash(row.point), (row.key, _hash(row.row))
        known = seen.setdefault(point, here)
        if known != here:
            why = "other code or files" if known[0] != row.key else "the same code"
            raise ValueError(
                f"merge: {folder} differs about the cell {canonical(row.about['at'])[:300]}, which "
                f"another folder has by {why} (keys {known[0][:12]} and {row.key[:12]}); need one"
            )
        fresh.append(row)
        for name in row.names:
            if name not in texts and (text := source.text(name)) is not None:
                texts[name] = text
    store.put(era, fresh, texts.items())


def _hash(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()[:16]
