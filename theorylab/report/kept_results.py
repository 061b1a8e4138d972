"""Results that stay beside a checkout: what ``verify`` judged, its tests do not judge again.

A store is of one code and one set of libraries. Only results of built-in
statements are kept, and of those what is as expected: nothing vouches for all that a user's file
reads, and what a machine had no time for is another matter elsewhere. What is wrong with the store
costs no more than a line and the work.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import os
import platform
from collections.abc import Callable, Iterable
from pathlib import Path

import theorylab
from theorylab.files import changed
from theorylab.report.atomic import check_writable
from theorylab.report.store import DamagedRowError, Store
from theorylab.verdicts import Job, Result
from theorylab.verdicts.catalogue import code_hash

FOLDER = "THEORYLAB_KEPT"  # another folder than the checkout's; empty: nothing is kept
_MOST = 3  # stores of other trees that stay: going back to one costs nothing
_LIBRARIES = (
    *("numpy", "scipy", "sympy", "mpmath", "python-flint", "networkx", "scikit-learn"),
    *("pillow", "torch"),
)


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
        self._store: Store | None = None
        self._code = code_hash() if where is not None else ""  # before anything is judged

    def get(self, job: Job) -> Result | None:
        """What was kept of the job, if anything was."""
        store = None if job.source_file or job.instance else self._opened(make=False)
        if store is None:
            return None
        try:
            found = store.get(job.key())
        except DamagedRowError:
            return None  # it is judged again, and replaced
        there = found is not None and (found.id, found.version, found.check)
        return found if there == (job.id, job.version, job.check) else None

    def put(self, results: Iterable[tuple[Job, Result]]) -> None:
        """Keep what is as expected of the jobs on built-in statements.

        Nothing is kept of code that changed meanwhile: nobody knows which results are of which.
        """
        own = [
            (job, result)
            for job, result in results
            if not (job.source_file or job.instance or changed(job.files or ""))
            and result.as_expected
        ]
        store = self._opened(make=True) if own else None
        if store is not None and code_hash.__wrapped__() != self._code:
            self._told("theorylab: the sources changed meanwhile; results are not kept")
        elif store is not None:
            try:
                store.put_all((job.key(), result) for job, result in own)
            except OSError as error:
                self._give_up(error)

    def _opened(self, make: bool) -> Store | None:
        if self._store is None and self._where is not None:
            path = self._where / f"results-{_digest()}.sqlite"
            try:
                if not (make or path.exists()):
                    return None
                self._where.mkdir(parents=True, exist_ok=True)
                check_writable(path)
                self._store = Store(path)
                _make_room(self._where, path)
            except (OSError, ValueError) as error:
                self._give_up(error)
        return self._store

    def _give_up(self, error: Exception) -> None:
        self._store = self._where = None
        text = str(error)
        if isinstance(error, OSError) and error.filename:
            text = f"{error.filename}: {error.strerror}"
        self._told(f"theorylab: {text}; results are not kept")


def _make_room(where: Path, own: Path) -> None:
    others = [path for path in where.glob("results-*.sqlite") if path != own]
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
