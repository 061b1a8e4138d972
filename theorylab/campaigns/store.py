"""Rows in SQLite, of campaigns, studies and results: each carries its SHA-256, and the texts that
rows share are kept once by hash.

What is stored survives kill -9. What is damaged is never trusted: a row whose bytes are not what
was stored is dropped, and its cell is computed again. Of a file that cannot be read any more the
rows that can be are saved into a new one.
"""

from __future__ import annotations

import contextlib
import hashlib
import sqlite3
import threading
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

from theorylab.campaigns.salvage import damage, mended
from theorylab.campaigns.schema import CAMPAIGN, MOST_TEXT
from theorylab.campaigns.stored import COLUMNS, PUT, Stored, stored
from theorylab.campaigns.text import text_hash

_WAIT = 30.0  # seconds; another process may be in its transaction
_TABLES = ("cells", "eras", "texts")
_PARTS = {("index", "sqlite_autoindex_cells_1"), *(("table", name) for name in _TABLES)}
_SCHEMA = """
CREATE TABLE IF NOT EXISTS cells (
    key BLOB PRIMARY KEY, era INTEGER NOT NULL, point TEXT NOT NULL, row TEXT NOT NULL,
    sha256 BLOB NOT NULL, seconds REAL NOT NULL, finished INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS texts (name TEXT PRIMARY KEY, content BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS eras (id INTEGER PRIMARY KEY, text TEXT NOT NULL, sha256 BLOB NOT NULL)
"""


class Store:
    """The database of one folder.

    Args:
        note: told, in a line, of what was damaged.
        check: look at every row first, and drop what is damaged, or no row of this ``kind`` of
            folder; else reading skips it.

    Raises:
        OSError: where it cannot be written, as when the disk is full.
    """

    def __init__(
        self,
        path: Path,
        note: Callable[[str], object],
        check: bool = True,
        kind: str = CAMPAIGN,
    ) -> None:
        self.path, self.note, self.kind = path, note, kind
        self._lock = threading.RLock()  # one group at a time
        try:
            self._open()
            if check:
                self._sound()
        except sqlite3.DatabaseError as error:
            self.close()
            if not damage(error):
                raise OSError(f"{path}: {error}; need room, and a right to it") from None
            if not check:
                raise ValueError(
                    f"{path}: is damaged ({error}); need the command that wrote it, which mends it"
                ) from None
            self._mended(error)

    def _open(self) -> None:
        self.database = _opened(self.path)
        self.database.text_factory = lambda data: data.decode("utf-8", "replace")  # its SHA tells
        for table, columns in (
            ("cells", COLUMNS),
            ("texts", "name, content"),
            ("eras", "id, text"),
        ):
            self.database.execute(f"SELECT {columns} FROM {table} LIMIT 1").fetchone()

    def _sound(self) -> None:
        """Drop rows and texts that are not what was stored. Raises sqlite3.DatabaseError."""
        (told,) = self.database.execute("PRAGMA integrity_check(1)").fetchone()
        if told != "ok":
            raise sqlite3.DatabaseError(" ".join(told.split()))  # it comes in lines
        lost = set()
        for name, content in self.database.execute("SELECT name, content FROM texts"):
            if _text(name, content) is None:
                lost.add(name)
        gone = []
        eras = set(self._eras())
        for rowid, *fields in self.database.execute(f"SELECT rowid, {COLUMNS} FROM cells"):
            found = stored(fields)
            whole = found is not None and fields[1] in eras and not found.fault(self.kind)
            if found is None or not whole or lost & set(found.names):
                gone.append(rowid)
        with self.group():
            self.database.executemany("DELETE FROM texts WHERE name = ?", ((n,) for n in lost))
            self.database.executemany("DELETE FROM cells WHERE rowid = ?", ((r,) for r in gone))
        if gone or lost:
            self.note(
                f"{self.path}: {len(gone)} rows and {len(lost)} texts are damaged, and made again"
            )

    def _mended(self, error: sqlite3.Error) -> None:
        """Save what can be read into a new file, in its place."""
        kept = mended(self.path, _opened)
        self.note(f"{self.path}: is damaged ({error}); {kept} rows could be saved")
        self._open()
        self._sound()

    @contextlib.contextmanager
    def group(self) -> Iterator[None]:
        """One transaction: all of it is on the disk, or nothing."""
        with self._lock:
            try:
                self.database.execute("BEGIN IMMEDIATE")
                yield
                self.database.execute("COMMIT")
            except BaseException as error:
                with contextlib.suppress(sqlite3.Error):
                    self.database.execute("ROLLBACK")
                if isinstance(error, sqlite3.Error):
                    raise OSError(f"{self.path}: cannot store ({error}); need space") from None
                raise

    def era(self, text: str) -> int:
        """The number of this plan with this code, by its canonical text; it is the newest now."""
        number, known = self.current() or (0, "")
        if known != text:
            with self.group():
                made = self.database.execute(
                    "INSERT INTO eras (text, sha256) VALUES (?, ?)", (text, _sha(text))
                )
            number = int(made.lastrowid or 0)
        return number

    def current(self) -> tuple[int, str] | None:
        """(number, text) of the newest plan; None where there is none that can be read."""
        eras = self._eras()
        return max(eras.items()) if eras else None

    def _eras(self) -> dict[int, str]:
        found = self.database.execute("SELECT id, text, sha256 FROM eras").fetchall()
        return {
            number: text
            for number, text, sha in found
            if isinstance(text, str) and _sha(text) == sha
        }

    def put(self, era: int, rows: Iterable[Stored], texts: Iterable[tuple[str, str]] = ()) -> None:
        """Store rows and what they name, in one transaction. Raises OSError."""
        with self.group():
            self.database.executemany(
                "INSERT OR IGNORE INTO texts VALUES (?, ?)",
                ((name, zlib.compress(text.encode())) for name, text in texts),
            )
            self.database.executemany(PUT, (each.fields(era) for each in rows))

    def get(self, key: str) -> Stored | None:
        """The row under a key; None where there is none of this kind that is whole."""
        query = f"SELECT {COLUMNS} FROM cells WHERE key = ?"
        try:
            fields = self.database.execute(query, (bytes.fromhex(key),)).fetchone()
        except sqlite3.DatabaseError:  # a page of the file is damaged
            return None
        row = None if fields is None else stored(fields)
        return None if row is None or row.fault(self.kind) else row

    def known(self, keys: list[str], era: int) -> set[str]:
        """Which of these cells have a row; those of an earlier plan become this one's."""
        query, found, older = "SELECT era FROM cells WHERE key = ?", set(), []
        with self._lock:
            for key in keys:
                row = self.database.execute(query, (bytes.fromhex(key),)).fetchone()
                if row is not None:
                    found.add(key)
                    older += [(era, bytes.fromhex(key))] if row[0] != era else []
            if older:
                with self.group():
                    update = "UPDATE cells SET era = ? WHERE key = ?"
                    self.database.executemany(update, older)
        return found

    def read(self, era: int) -> Iterator[Stored]:
        """``rows`` of a campaign's plan. Raises ValueError: one line, of one that is none."""
        for row in self.rows(era):
            fault = row.fault(CAMPAIGN)
            if fault:
                raise ValueError(
                    f"{self.path}: the row {row.key[:16]} is none of a campaign: {fault}; need the "
                    "sweep again, which makes it anew"
                )
            yield row

    def rows(self, era: int | None = None) -> Iterator[Stored]:
        """All rows, or those of a plan, in the order of their keys; a damaged one is left out."""
        one = "" if era is None else "WHERE era = ?"
        query = f"SELECT {COLUMNS} FROM cells {one} ORDER BY key"
        for fields in self.database.execute(query, () if era is None else (era,)):
            found = stored(fields)
            if found is not None:
                yield found

    def count(self, era: int) -> int:
        query = "SELECT count(*) FROM cells WHERE era = ?"
        return int(self.database.execute(query, (era,)).fetchone()[0])

    def since(self, era: int, moment: int) -> int:
        """How many rows of a plan were finished after ``moment``, in seconds since 1970."""
        query = "SELECT count(*) FROM cells WHERE era = ? AND finished >= ?"
        return int(self.database.execute(query, (era, moment)).fetchone()[0])

    def cost(self, era: int) -> float:
        """Seconds that a cell of a plan took, on average."""
        query = "SELECT avg(seconds) FROM cells WHERE era = ?"
        return float(self.database.execute(query, (era,)).fetchone()[0] or 0.0)

    def text(self, name: str) -> str | None:
        query = "SELECT content FROM texts WHERE name = ?"
        found = self.database.execute(query, (name,)).fetchone()
        return None if found is None else _text(name, found[0])

    def digest(self, era: int) -> str:
        """SHA-256 over the keys, points and rows of a plan, in the order of their keys."""
        made = hashlib.sha256()
        for row in self.rows(era):
            made.update(f"{row.key}\0{row.point}\0{row.row}\n".encode())
        return made.hexdigest()

    def close(self) -> None:
        with contextlib.suppress(AttributeError, sqlite3.Error):
            self.database.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def readable(path: Path) -> bool:
    """Whether a file is a database with these tables, or not yet with all, and with nothing else.

    What cannot be opened now, as by a process without the right to it, is not called another's.
    """
    if not path.exists() or not path.stat().st_size:
        return True
    try:
        uri = f"{path.absolute().as_uri()}?mode=ro"
        with contextlib.closing(sqlite3.connect(uri, uri=True)) as database:
            return {*database.execute("SELECT type, name FROM sqlite_schema")} <= _PARTS
    except sqlite3.Error as error:
        return not damage(error)


def _opened(path: Path) -> sqlite3.Connection:
    """The database at ``path``, made if it is not there; every statement commits by itself.

    WAL and synchronous=FULL: a commit is on the disk. A view or a trigger in the file, which would
    run when it is used, is refused, as is another table. Raises sqlite3.Error.
    """
    database = sqlite3.connect(path, timeout=_WAIT, isolation_level=None, check_same_thread=False)
    try:
        database.execute("PRAGMA trusted_schema = OFF")
        if not {*database.execute("SELECT type, name FROM sqlite_schema")} <= _PARTS:
            raise sqlite3.DatabaseError(f"it holds more than a table of {', '.join(_TABLES)}")
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = FULL")
        for statement in _SCHEMA.split(";"):
            database.execute(statement)
    except BaseException:
        database.close()
        raise
    return database


def _sha(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _text(name: Any, content: Any) -> str | None:
    try:
        text = zlib.decompressobj().decompress(content, MOST_TEXT).decode()  # it may be a bomb
    except (zlib.error, TypeError, UnicodeDecodeError):
        return None
    return text if text_hash(text) == name else None
