"""Finished results in SQLite: what is stored survives kill -9, what is damaged is never trusted."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType

from pydantic import ValidationError

from theorylab.report.database import opened
from theorylab.verdicts.result import Result

_SCHEMA = """
CREATE TABLE IF NOT EXISTS results (
    key TEXT PRIMARY KEY, id TEXT NOT NULL, version TEXT NOT NULL, "check" TEXT NOT NULL,
    text TEXT NOT NULL, sha256 TEXT NOT NULL
) WITHOUT ROWID
"""


class DamagedRowError(ValueError):
    """A row whose text is not what was stored, or is no result of the check it stands for."""


class Store:
    """The results of one folder, one row a finished job.

    Args:
        path: the database; made if missing. Its directory must exist.

    Raises:
        ValueError: one line, when the file is no readable SQLite database of results.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._database = opened(path, _SCHEMA, {"results"})
            self._database.execute('SELECT key, id, version, "check", text, sha256 FROM results')
        except sqlite3.Error as error:
            raise self._unreadable(error) from None

    def put(self, key: str, result: Result) -> None:
        """Store a finished job's result, replacing what stood under its key. One transaction."""
        self.put_all([(key, result)])

    def put_all(self, results: Iterable[tuple[str, Result]]) -> None:
        """Store results by their keys, in one transaction: all of them, or none.

        An ERROR is no result: what failed is judged again.
        """
        rows = (_row(*each) for each in results if _judged(each[1]))
        insert = "INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?, ?, ?)"
        try:
            self._database.execute("BEGIN IMMEDIATE")
            try:
                self._database.executemany(insert, rows)
                self._database.execute("COMMIT")
            except BaseException:
                self._database.execute("ROLLBACK")
                raise
        except sqlite3.Error as error:
            raise OSError(f"{self.path}: cannot store a result ({error}); need space") from None

    def get(self, key: str) -> Result | None:
        """The stored result, or None if there is none.

        Raises:
            DamagedRowError: one line naming the row; the caller computes it again.
        """
        query = 'SELECT id, version, "check", text, sha256 FROM results WHERE key = ?'
        try:
            row = self._database.execute(query, (key,)).fetchone()
        except sqlite3.Error as error:  # a page of the file is damaged, or text is not UTF-8
            raise DamagedRowError(f"{self.path}: row {key[:12]} cannot be read ({error})") from None
        if row is None:
            return None
        *named, text, digest = row
        where = f"{self.path}: row {key[:12]} ({' '.join(map(str, named))})"
        if not isinstance(text, str) or _digest(text) != digest:
            raise DamagedRowError(f"{where} is damaged: its text does not have the SHA-256 it had")
        try:
            result = Result.model_validate_json(text)
        except ValidationError:
            raise DamagedRowError(
                f"{where} is damaged: its text is no result of this schema"
            ) from None
        if [result.id, result.version, result.check] != named:
            raise DamagedRowError(f"{where} is damaged: it holds {result.id} {result.version}")
        return result if _judged(result) else None

    def close(self) -> None:
        self._database.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _unreadable(self, error: sqlite3.Error) -> ValueError:
        if "disk is full" in str(error):
            return ValueError(f"{self.path}: cannot be written ({error}); need room")
        return ValueError(
            f"{self.path}: is no database of results ({error}); need it moved away, "
            "then every check is run again"
        )


def _judged(result: Result) -> bool:
    return result.outcome.judged


def _row(key: str, result: Result) -> tuple[str, ...]:
    text = result.model_dump_json()
    return key, result.id, result.version, result.check, text, _digest(text)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
