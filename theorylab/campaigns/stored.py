"""A row as it is stored: its fields in the database, and whether they are what was put."""

from __future__ import annotations

import functools
import hashlib
from dataclasses import dataclass
from typing import Any

from theorylab.campaigns import schema

COLUMNS = "key, era, point, row, sha256, seconds, finished"
PUT = f"INSERT OR REPLACE INTO cells ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)"


@dataclass(frozen=True)
class Stored:
    """A row: ``point`` and ``row`` are canonical JSON; the last two are no part of what it says."""

    key: str
    point: str
    row: str
    seconds: float
    finished: int

    @property
    def sha256(self) -> bytes:
        return hashlib.sha256(f"{self.key}\0{self.point}\0{self.row}".encode()).digest()

    @functools.cached_property
    def about(self) -> dict[str, Any]:
        """``at``: the point; ``set``: path -> value; ``from``: the text of what was changed.

        Raises ValueError, one line, where it is no such thing; so do the next two.
        """
        return schema.point(self.point)

    @functools.cached_property
    def values(self) -> dict[str, Any]:
        """What a row of a campaign says."""
        return schema.row(self.row)

    @property
    def names(self) -> list[str]:
        """The texts that it names: how its constants are known, and what it was changed from."""
        known = None if self.fault(schema.CAMPAIGN) else self.values.get("known")
        return [name for name in (known, self.about.get("from")) if name]

    def fields(self, era: int) -> tuple[Any, ...]:
        """Those of ``COLUMNS``."""
        key = bytes.fromhex(self.key)
        return key, era, self.point, self.row, self.sha256, self.seconds, self.finished

    def fault(self, kind: str) -> str:
        """Why it is no row of this kind of folder; "" where it is one."""
        try:
            self.about, schema.row(self.row, kind)
        except ValueError as error:
            return str(error)
        return ""


def stored(fields: Any) -> Stored | None:
    """The row in the fields of ``COLUMNS``; None unless it is what was stored."""
    key, _, point, row, sha, seconds, finished = fields
    if not (isinstance(key, bytes) and isinstance(point, str) and isinstance(row, str)):
        return None
    if not isinstance(seconds, float | int) or not isinstance(finished, int):
        return None
    made = Stored(key.hex(), point, row, float(seconds), finished)
    return made if made.sha256 == sha else None
