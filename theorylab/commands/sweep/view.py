"""``theorylab sweep status|show|export|diff|merge|replay``: what a campaign kept."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from theorylab.campaigns import Cells, Folder, Rows, changes, plan
from theorylab.campaigns import merge as merged
from theorylab.campaigns.folder import current
from theorylab.campaigns.play import played
from theorylab.campaigns.schema import CAMPAIGN
from theorylab.campaigns.stored import Stored
from theorylab.commands.origin import provenance
from theorylab.commands.refusal import Refused, check_target, one_line, refusing, tell, write_target
from theorylab.commands.sweep import Export, Show
from theorylab.commands.table import print_table
from theorylab.extras import need
from theorylab.report.atomic import check_named, write_atomic, write_named
from theorylab.report.number import shown
from theorylab.tables import csv_text, to_frame

_RECENT = 60  # seconds over which a rate is told


def status(folder: Path) -> int:
    """How many cells there are, how many are done, and how fast they come."""
    with refusing():
        with Folder(folder).reading() as store:
            era, document = current(store)
            count, now = store.count(era), time.time()
            recent = store.since(era, int(now) - _RECENT)
            seconds = store.cost(era)
        busy = Folder(folder).busy()
    left = document["cells"] - count
    rate = recent / _RECENT
    told = f", {left / rate:.0f} s left" if busy and rate and left > 0 else ""
    each = f", {1000 * seconds:.3g} ms a cell" if count else ""
    how = "running" if busy else "complete" if left <= 0 else "stopped"
    tell(f"{folder}: {how}, {count} of {document['cells']} cells{each}{told}")
    for verdict, number in _counts(folder).items():
        tell(f"  {verdict}: {number}")
    return 0


def _counts(folder: Path) -> dict[str, int]:
    with refusing():
        return Rows.of(folder, replay=False).counts()


def show(asked: Show) -> int:
    """Rows as a table on stdout, then the commands of the first ones."""
    columns = asked.columns
    with refusing():
        every = Rows.of(asked.folder)
        rows = every.where(*asked.where) if asked.where else every
        rows = rows.worst() if asked.sort is None else rows.sorted(asked.sort, asked.reverse)
        if columns == "all":
            tell("\n".join(every.columns))
            return 0
        names = columns.split(",") if columns else every.telling
        for name in names:
            every.check(name)
    kept = rows.rows[: asked.limit]
    numbers = {n for n in names if any(isinstance(r.get(n), float | int) for r in kept)}
    heads = [f">{name}" if name in numbers else name for name in names]
    print_table("", heads, [[shown(row.get(name)) for name in names] for row in kept])
    counts = ", ".join(f"{number} {name}" for name, number in rows.counts().items())
    told = f": {counts}" if counts else ""
    tell(f"{len(rows)} of {len(every)} rows{told}. Digest {every.digest[:16]}.")
    for row in kept[: asked.replays]:
        tell(row["replay"])
    return 0


def export(asked: Export) -> int:
    """Write what is asked for."""
    csv, parquet, figure, out = asked.csv, asked.parquet, asked.figure, asked.out
    drawn = {name: getattr(asked, name) for name in ("x", "y", "measure", "by", "curves")}
    if csv is None and parquet is None and figure is None and out is None:
        raise Refused(
            "sweep export: nothing is asked for; need --csv, --parquet, --figure or --out"
        )
    check_target("--csv", csv)
    with refusing():
        for path in (parquet, figure):
            if path is not None:
                check_named(path)
        every = Rows.of(asked.folder)
        rows = every.where(*asked.where) if asked.where else every
    if csv is not None:
        write_target("--csv", csv, csv_text(rows))
    if parquet is not None:
        _write_parquet(parquet, rows)
    if figure is not None:
        from theorylab.campaigns.figure import picture

        with refusing("--figure"):
            given = {"measure": "ratio"} | {name: value for name, value in drawn.items() if value}
            write_named(figure, picture(rows, figure.suffix.lstrip("."), **given))
    if out is not None:
        _write_page(out, asked.folder, rows, drawn, every.cells - len(every))
    return 0


def _write_page(out: Path, folder: Path, rows: Rows, drawn: dict[str, Any], left: int) -> None:
    from theorylab.campaigns.page import page

    of = rows.plan.get("claim") or folder.absolute().name
    title = f"{of}: {len(rows)} of {rows.cells} cells"
    with refusing():
        about = Folder(folder).page() or {}
        files = page(title, rows, drawn, about, left, origin=provenance())
    with refusing(f"--out {out}"):
        out.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            write_atomic(out / name, content)
    tell(f"{out}: {', '.join(files)}")


def _write_parquet(path: Path, rows: Rows) -> None:
    import io

    need("--parquet", "pandas", "pyarrow")
    buffer, frame = io.BytesIO(), to_frame(rows)
    for name, values in rows.table().items():
        kinds = {"number" if type(v) in (int, float) else type(v) for v in values if v is not None}
        if len(kinds) > 1:  # a column of Parquet has one type
            frame[name] = [None if value is None else str(value) for value in values]
    frame.to_parquet(buffer, index=False)
    with refusing(f"--parquet {path}"):
        write_named(path, buffer.getvalue())


def diff(old: Path, new: Path, limit: int) -> int:
    """What changed, as a table; 1 where something did."""
    with refusing():
        found = list(changes(old, new))
    rows = [[c.point, c.what, shown(c.old), shown(c.new)] for c in found[:limit]]
    if rows:
        print_table("", ["cell", "what", "old", "new"], rows)
    cells = len({change.point for change in found})
    verdicts = sum(change.what == "verdict" for change in found)
    tell(f"{cells} cells differ, {verdicts} in their verdict. Exit code {int(bool(found))}.")
    return int(bool(found))


def merge(folders: Sequence[Path], out: Path) -> int:
    """Join shards into ``out``."""
    with refusing():
        count, digest = merged(folders, out, lambda line: tell(one_line(line), file=sys.stderr))
    tell(f"{out}: {count} cells, digest {digest[:16]}.")
    return 0


def replay(folder: Path, key: str) -> int:
    """Compute a cell again; 1 where its row says something else."""
    with refusing():
        with Folder(folder).reading() as store:
            _, document = current(store)
            row = _row(store.rows(), key.lower())
        fault = row.fault(CAMPAIGN)
        if fault:
            raise ValueError(f"replay: the row {row.key[:16]} is none of a campaign: {fault}")
        cells = Cells(plan(document["plan"]))
        point = row.about["at"]
        if set(point) != set(cells.plan.names):
            raise ValueError(f"replay: the row {row.key[:16]} is of another plan; need one of this")
        cell = cells.cell(point)
        made = played(cell.document)
    new, old = json.loads(made.row), row.values
    for name in [*old, *(name for name in new if name not in old)]:
        same = "" if old.get(name) == new.get(name) else f" (was {json.dumps(old.get(name))})"
        tell(f"{name}: {json.dumps(new.get(name))}{same}")
    if made.row == row.row:
        tell("The same, digit for digit. Exit code 0.")
        return 0
    other = cell.key != row.key
    code = "the code, the plan or a file has changed since" if other else "the code is the same"
    tell(f"It differs; {code}. Exit code 1.")
    return 1


def _row(rows: Any, key: str) -> Stored:
    found = [row for row in rows if row.key.startswith(key)] if len(key) >= 8 else []
    if len(found) != 1:
        raise ValueError(f"replay: {len(found)} rows begin with {key!r}; need the key of one")
    made: Stored = found[0]
    return made
