"""What of a damaged database can still be read, in a new file that takes its place."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

from theorylab.campaigns.stored import COLUMNS, PUT

_MANY = 1024  # rows that are read at once where the file is damaged
_LEAST = 100  # bytes of a row, at the least
# What else fails (busy, no memory, read-only, full, no right to open) fails on a whole file.
_DAMAGE = (
    *(sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT),
    *(sqlite3.SQLITE_MISMATCH, sqlite3.SQLITE_ERROR),  # a table or a column is missing
)


def damage(error: sqlite3.Error) -> bool:
    """Whether the file is at fault. An error without a code is one that our own look raised."""
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF in _DAMAGE


def mended(path: Path, opened: Callable[[Path], sqlite3.Connection]) -> int:
    """Put a new database, which ``opened`` makes, in the place of a damaged one, with the rows that
    can be read; their number."""
    fresh, kept = path.with_name(f"{path.name}.new"), 0
    for end in ("", "-wal", "-shm"):
        Path(f"{fresh}{end}").unlink(missing_ok=True)
    target = opened(fresh)
    with contextlib.closing(target), contextlib.suppress(sqlite3.DatabaseError):
        source = sqlite3.connect(path, isolation_level=None)
        with contextlib.closing(source):
            source.execute("PRAGMA trusted_schema = OFF")
            kept = _saved(source, target)
    for end in ("-wal", "-shm"):
        Path(f"{path}{end}").unlink(missing_ok=True)
    os.replace(fresh, path)
    return kept


def _saved(source: sqlite3.Connection, target: sqlite3.Connection) -> int:
    """Copy what can be read, table by table; the number of rows."""
    source.text_factory = lambda data: data.decode("utf-8", "replace")
    eras = "SELECT id, text, sha256 FROM eras"
    _copied(source, target, eras, "id", "INSERT OR IGNORE INTO eras VALUES (?, ?, ?)", 0, _MANY)
    with contextlib.suppress(sqlite3.DatabaseError):
        for fields in source.execute("SELECT name, content FROM texts"):
            target.execute("INSERT OR IGNORE INTO texts VALUES (?, ?)", fields)
    size = Path(source.execute("PRAGMA database_list").fetchone()[2]).stat().st_size
    most = size // _LEAST  # more rows than that have no room
    with contextlib.suppress(sqlite3.DatabaseError):
        most = min(most, source.execute("SELECT max(rowid) FROM cells").fetchone()[0] or 0)
    query, kept = f"SELECT {COLUMNS} FROM cells", 0
    for low in range(0, most + 1, _MANY):
        kept += _copied(source, target, query, "rowid", PUT, low, low + _MANY)
    return kept


def _copied(
    source: sqlite3.Connection,
    target: sqlite3.Connection,
    query: str,
    number: str,
    put: str,
    low: int,
    high: int,
) -> int:
    """Copy the rows low <= number < high; where reading fails, each half by itself."""
    try:
        found = source.execute(
            f"{query} WHERE {number} >= ? AND {number} < ?", (low, high)
        ).fetchall()
    except sqlite3.DatabaseError:
        if high - low <= 1:
            return 0
        middle = (low + high) // 2
        return sum(
            _copied(source, target, query, number, put, *ends)
            for ends in ((low, middle), (middle, high))
        )
    target.execute("BEGIN")
    for fields in found:
        with contextlib.suppress(sqlite3.Error):
            target.execute(put, fields)
    target.execute("COMMIT")
    return len(found)
