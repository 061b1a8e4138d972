"""SQLite that is a stranger's until it is looked at, and whose commits are on the disk."""

from __future__ import annotations

import sqlite3
from collections.abc import Set
from pathlib import Path

_WAIT = 30.0  # seconds; another process may be in its transaction


def opened(
    path: Path, schema: str, tables: Set[str], *, threads: bool = False
) -> sqlite3.Connection:
    """The database at ``path``, made if it is not there; every statement commits by itself.

    WAL and synchronous=FULL: a commit is on the disk. A view or a trigger in the file, which would
    run when it is used, is refused, as is a table that is not among ``tables``.

    Args:
        threads: one thread after another may use it.

    Raises:
        sqlite3.Error: where the file is no such database.
    """
    database = sqlite3.connect(path, _WAIT, isolation_level=None, check_same_thread=not threads)
    try:
        database.execute("PRAGMA trusted_schema = OFF")
        parts = database.execute("SELECT type, name FROM sqlite_schema").fetchall()
        own = {("table", name) for name in tables}
        rest = {(kind, name) for kind, name in set(parts) - own if kind != "index"}
        if rest or any(not name.startswith("sqlite_autoindex_") for kind, name in parts
                       if kind == "index"):  # fmt: skip
            raise sqlite3.DatabaseError(
                f"it holds more than a table of {', '.join(sorted(tables))}"
            )
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = FULL")
        for statement in schema.split(";"):
            database.execute(statement)
    except BaseException:
        database.close()
        raise
    return database
