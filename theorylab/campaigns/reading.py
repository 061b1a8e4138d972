"""The rows of a campaign as a table: filter, sort, the worst first, what has changed."""

from __future__ import annotations

import json
import math
import re
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from theorylab.arithmetic import satisfied
from theorylab.campaigns import schema
from theorylab.campaigns.folder import Folder, current
from theorylab.campaigns.store import Store
from theorylab.campaigns.stored import Stored
from theorylab.campaigns.templates import PARTS
from theorylab.campaigns.text import Document, canonical
from theorylab.registry import near
from theorylab.tables import Columns, Framed, html_table
from theorylab.words import ORDER

Row = dict[str, Any]
_FIRST = ("status", "verdict", "measured", "low", "high", "bound", "log10_bound", "ratio", "runs")
_LAST = ("severity", "rests_on", "reason", "replay", "seconds", "key")
_TELLING = ("status", "verdict", "measured", "bound", "ratio")
_ID = re.compile(r"\w[\w.+-]*")  # of a statement
_NESTED = {"terms": "term", "constants": "constant"}


@dataclass(frozen=True)
class Rows(Framed):
    """The rows of one plan, and the digest of all of them; ``cells``: how many it should have."""

    rows: Sequence[Row]
    digest: str
    cells: int
    plan: Mapping[str, Any]

    @staticmethod
    def of(folder: Path, replay: bool = True) -> Rows:
        """Those of a folder. Raises ValueError: one line, where there are none."""
        with Folder(folder).reading() as store:
            era, document = current(store)
            texts: dict[str, Any] = {}
            rows = [
                flat(store, row, document["plan"], texts, folder, replay) for row in store.read(era)
            ]
            digest = store.digest(era)
        return Rows(rows, digest, document["cells"], document["plan"])._in_order()

    def _in_order(self) -> Rows:
        """In the order of the plan's axes; what an axis does not list comes after, by its value."""
        listed = dict(self.plan.get("axes", {}))
        places = {}
        for name in self.axes:
            values = (listed.get(name) or {}).get("values") or ()
            places[name] = {_shown(value): place for place, value in enumerate(values)}

        def place(row: Row) -> list[tuple[float, tuple[bool, Any]]]:
            return [(at.get(row.get(n), math.inf), _order(row.get(n))) for n, at in places.items()]

        return Rows(sorted(self.rows, key=place), self.digest, self.cells, self.plan)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def columns(self) -> list[str]:
        """Axes first, then what every row may have."""
        seen = list(dict.fromkeys(name for row in self.rows for name in row))
        fixed = [*_FIRST, *_LAST]
        axes = [name for name in self.axes if name in seen]
        rest = [name for name in seen if name not in fixed and name not in self.axes]
        there = set(seen)
        return [*axes, *(n for n in _FIRST if n in there), *rest, *(n for n in _LAST if n in there)]

    @property
    def axes(self) -> list[str]:
        listed = dict.fromkeys(n for row in self.plan.get("cells") or [] for n in row)
        return [*dict.fromkeys([*self.plan.get("axes", {}), *listed])]

    @property
    def telling(self) -> list[str]:
        """The columns that a reader asks for first: axes, verdict and numbers, the plan's own."""
        there = set(self.columns)
        drawn = self.plan.get("columns") or []
        return [*self.axes, *(name for name in (*_TELLING, *drawn) if name in there)]

    def table(self) -> Columns:
        """One row a cell; None where a cell has no such number."""
        return {name: [row.get(name) for row in self.rows] for name in self.columns}

    def _repr_html_(self) -> str:
        told = f"{len(self.rows)} of {self.cells} cells"
        shown = [*self.axes, *_FIRST]
        return html_table(told, {n: v for n, v in self.table().items() if n in shown})

    def where(self, *conditions: str) -> Rows:
        """Those that fulfil every condition, as in ``ratio > 1 and topology == "ring"``.

        A row that lacks a number fulfils no condition on it. Raises ValueError on a wrong one.
        """
        names = set(self.columns)
        kept = []
        for row in self.rows:
            values = {name: _condition_value(row.get(name)) for name in names}
            if all(satisfied(text, values) for text in conditions):
                kept.append(row)
        return Rows(kept, self.digest, self.cells, self.plan)

    def sorted(self, column: str, reverse: bool = False) -> Rows:
        """By a column; what has nothing there comes last. Raises ValueError: no such column."""
        self.check(column)
        full = [row for row in self.rows if row.get(column) is not None]
        empty = [row for row in self.rows if row.get(column) is None]
        full.sort(key=lambda row: _order(row[column]), reverse=reverse)
        return Rows([*full, *empty], self.digest, self.cells, self.plan)

    def worst(self) -> Rows:
        """The worst first: by verdict, then by how far measured is above the bound."""
        return Rows(sorted(self.rows, key=_badness), self.digest, self.cells, self.plan)

    def check(self, column: str) -> None:
        if column not in self.columns:
            raise ValueError(f"no column {column!r}; need {near(column, self.columns)}")

    def counts(self) -> dict[str, int]:
        """How many rows there are of each verdict, or status."""
        found = Counter(str(row.get("verdict") or row["status"]) for row in self.rows)
        return {
            name: found[name]
            for name in [*ORDER, *sorted(set(found) - set(ORDER))]
            if name in found
        }


def flat(
    store: Store,
    row: Stored,
    plan: Mapping[str, Any],
    texts: dict[str, Any],
    folder: Path,
    replay: bool,
) -> Row:
    """A stored row as one row of a table."""
    about, values = row.about, row.values
    made: Row = {}
    for name, value in about["at"].items():
        made[name] = _shown(value)
    for name, value in values.items():
        if name in _NESTED:
            words = ((f"{_NESTED[name]}.{part}".replace(" ", "_"), n) for part, n in value.items())
            made |= dict(words)
        elif name == "fails":
            made[name] = ", ".join(value)
        elif name != "known":
            made.setdefault(name, value)
    made |= {"seconds": row.seconds, "key": row.key[:16]}
    if replay:
        made["replay"] = _replay(store, row, about, plan, texts, folder)
    return made


def _replay(
    store: Store,
    row: Stored,
    about: Row,
    plan: Mapping[str, Any],
    texts: dict[str, Any],
    folder: Path,
) -> str:
    name = about.get("from", "")
    if name not in texts:
        text = store.text(name)
        texts[name] = None if text is None else _template(store, text)
    command = ""
    if texts[name] is not None:
        heads = ("seeds", "seed", "budget")
        given = {k: about["at"].get(k, plan.get(k)) for k in heads}
        head = {k: value for k, value in given.items() if value is not None}
        command = verify_command(texts[name], about.get("set", {}), head)
    return command or shlex.join(["theorylab", "sweep", "replay", str(folder), row.key[:16]])


def _template(store: Store, text: str) -> Document:
    try:
        return schema.template(text)
    except ValueError as error:
        what = f"the text of a claim: {error}; need the sweep again"
        raise ValueError(f"{store.path}: {what}") from None


def _is_file(value: Any) -> bool:
    return isinstance(value, str) and (value.endswith(".py") or value.startswith("-"))


def verify_command(template: Document, settings: Document, head: Document) -> str:
    """``theorylab verify ...`` of a claim's cell, from what a row keeps; "" where there is none:
    of a run, a metric, and an instance that no check has."""
    kind = template["head"]
    named = [kind.get("claim", ""), *(settings.get(part) for part in PARTS)]
    # A stranger's folder must not make its reader run a file.
    if kind.get("own") or not _ID.fullmatch(kind.get("claim", "")) or any(map(_is_file, named)):
        return ""
    words = [
        "theorylab",
        "verify",
        kind["claim"],
        "--version",
        kind.get("version", ""),
        "--check",
        kind.get("check", ""),
    ]
    words += [w for key, value in head.items() for w in (f"--{key}", str(value))]
    for path, value in settings.items():
        if path in PARTS and isinstance(value, str):
            words += [f"--{path}", value]
        else:
            words += ["--set", f"{path}={canonical(value)}"]
    return shlex.join(map(str, words))


def _shown(value: Any) -> Any:
    return value if isinstance(value, str | int | float) else json.dumps(value, sort_keys=True)


def _condition_value(value: Any) -> Any:
    return math.nan if value is None else value


def _order(value: Any) -> tuple[bool, Any]:
    return isinstance(value, str), value


def _badness(row: Row) -> tuple[int, float]:
    verdict, ratio = row.get("verdict"), row.get("ratio")
    rank = (
        ORDER.index(verdict) if verdict in ORDER else -1 if row["status"] != "done" else len(ORDER)
    )
    size = ratio if ratio is not None else row.get("measured")
    return rank, -float(size) if size is not None else math.inf


@dataclass(frozen=True)
class Change:
    """What of a cell is not the same in two campaigns: its point as JSON, ``what`` in words."""

    point: str
    what: str
    old: Any
    new: Any


_COMPARED = ("status", "verdict", "measured", "bound", "ratio")


def changes(old: Path, new: Path) -> Iterator[Change]:
    """The cells whose verdicts or numbers changed, those of ``old`` in their order, then new ones.

    Raises ValueError where a folder is no campaign's.
    """
    before, after = _by_point(old), _by_point(new)
    for point, row in before.items():
        other = after.get(point)
        if other is None:
            yield Change(point, "only in the first", None, None)
            continue
        for name in _COMPARED:
            if row.get(name) != other.get(name):
                yield Change(point, name, row.get(name), other.get(name))
    for point in after:
        if point not in before:
            yield Change(point, "only in the second", None, None)


def _by_point(folder: Path) -> dict[str, Row]:
    with Folder(folder).reading() as store:
        era, _ = current(store)
        return {
            canonical(row.about["at"]): {
                name: value for name, value in row.values.items() if name in _COMPARED
            }
            for row in store.read(era)
        }
