"""Results of checks, a row a job: those of ``verify --out``, and those beside a checkout.

What ``verify`` judged in a checkout, its tests do not judge again. A store is of one code and one
set of libraries. Only results of built-in statements are kept, and of those what is as expected:
nothing vouches for all that a user's file reads, and what a machine had no time for is another
matter elsewhere. What is wrong with the store costs no more than a line and the work.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import os
import platform
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import theorylab
from theorylab.campaigns.schema import RESULTS
from theorylab.campaigns.store import Store, readable
from theorylab.campaigns.stored import Stored
from theorylab.campaigns.text import canonical
from theorylab.files import changed
from theorylab.report.atomic import check_writable
from theorylab.verdicts import Job, Result
from theorylab.verdicts.catalogue import code_hash

FOLDER = "THEORYLAB_KEPT"  # another folder than the checkout's; empty: nothing is kept
_MOST = 3  # stores of other trees that stay: going back to one costs nothing
_AWAY = "need it moved away, then every check is run again"
_LIBRARIES = (
    *("numpy", "scipy", "sympy", "mpmath", "python-flint", "networkx", "scikit-learn"),
    *("pillow", "torch"),
)


class Results:
    """The results in one file, which several processes may use at once.

    Args:
        path: the database; made if missing. Its directory must exist.
        note: told, in a line, of what was damaged.
        check: look at every row first, and drop what is damaged.

    Raises:
        ValueError or OSError: one line, where the file is something else's, of an earlier format,
            or cannot be written.
    """

    def __init__(self, path: Path, note: Callable[[str], object], check: bool = True) -> None:
        if not readable(path):
            raise ValueError(
                f"{path}: is no whole database of results, or one of an earlier theorylab; {_AWAY}"
            )
        try:
            self.store = Store(path, note, check, RESULTS)
        except ValueError as error:  # what looks at no row mends nothing
            raise ValueError(f"{str(error).rpartition('; need')[0]}; {_AWAY}") from None
        self.era = self.store.era(canonical({"plan": {RESULTS: {}}, "code": [], "cells": 0}))

    def get(self, job: Job, key: str) -> Result | None:
        """What is stored of a job under its key, if anything whole is."""
        row = self.store.get(key)
        found = None if row is None else Result.model_validate_json(row.row)
        if found is None or not found.outcome.judged:
            return None
        asked = (job.id, job.version, job.check)
        return found if (found.id, found.version, found.check) == asked else None

    def put(self, results: Iterable[tuple[str, Result]]) -> None:
        """Store results by their keys, in one transaction, in place of what stood there.

        An ERROR is no result: what failed is judged again. Raises OSError.
        """
        judged = ((key, each) for key, each in results if each.outcome.judged)
        self.store.put(self.era, (_row(key, each) for key, each in judged))

    def close(self) -> None:
        self.store.close()


def _row(key: str, result: Result) -> Stored:
    point = canonical({"at": {"id": result.id, "version": result.version, "check": result.check}})
    return Stored(key, point, result.model_dump_json(), result.seconds, int(time.time()))


def folder() -> Path | None:
    """Where results are kept; None where theorylab was not imported from a checkout."""
    named = os.environ.get(FOLDER)
    if named is not None:
        return Path(named) if named else None
    root = Path(theorylab.__file__).resolve().parents[1]
    return root / ".theorylab" if (root / "csrc" / "core").is_dir() else None


class KeptResults:
    """The results of this tree. Where the store cannot be used it keeps nothing.

    Args:
        where: its folder, made when the first result comes; None: nothing is kept.
        told: called with one line, once, where the store cannot be used.
    """

    def __init__(self, where: Path | None, told: Callable[[str], object]) -> None:
        self._where, self._told = where, told
        self._results: Results | None = None
        self._code = code_hash() if where is not None else ""  # before anything is judged

    def get(self, job: Job) -> Result | None:
        """What was kept of the job, if anything was."""
        results = None if job.source_file or job.instance else self._opened(make=False)
        return None if results is None else results.get(job, job.key())

    def put(self, results: Iterable[tuple[Job, Result]]) -> None:
        """Keep what is as expected of the jobs on built-in statements.

        Nothing is kept of code that changed meanwhile: nobody knows which results are of which.
        """
        expected = [
            (job, result)
            for job, result in results
            if not (job.source_file or job.instance or changed(job.files or ""))
            and result.as_expected
        ]
        store = self._opened(make=True) if expected else None
        if store is not None and code_hash.__wrapped__() != self._code:
            self._told("theorylab: the sources changed meanwhile; results are not kept")
        elif store is not None:
            try:
                store.put((job.key(), result) for job, result in expected)
            except OSError as error:
                self._give_up(error)

    def _opened(self, make: bool) -> Results | None:
        if self._results is None and self._where is not None:
            path = self._where / f"results-{_digest()}.sqlite"
            try:
                if not (make or path.exists()):
                    return None
                self._where.mkdir(parents=True, exist_ok=True)
                check_writable(path)
                self._results = Results(path, self._told, check=False)
                _make_room(self._where, path)
            except (OSError, ValueError) as error:
                self._give_up(error)
        return self._results

    def _give_up(self, error: Exception) -> None:
        self._results = self._where = None
        text = str(error)
        if isinstance(error, OSError) and error.filename:
            text = f"{error.filename}: {error.strerror}"
        self._told(f"theorylab: {text}; results are not kept")


def _make_room(where: Path, current: Path) -> None:
    others = [path for path in where.glob("results-*.sqlite") if path != current]
    for path in sorted(others, key=lambda path: path.stat().st_mtime)[:-_MOST]:
        for end in ("", "-wal", "-shm"):
            path.with_name(path.name + end).unlink(missing_ok=True)


@functools.cache
def _digest() -> str:
    """Of the code, and of all that a result may depend on and that no job names."""
    parts = [code_hash(), platform.python_version(), platform.machine(), platform.processor()]
    for name in _LIBRARIES:
        try:
            parts.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            continue
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:12]
