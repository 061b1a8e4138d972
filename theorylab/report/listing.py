"""What ``theorylab list`` shows, as plain data, and the file that keeps it of the built-in ones.

``theorylab list``, and the refusal of an id that does not exist, read that file, so that they
import no statement. ``python verify/counts.py`` writes it anew.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import theorylab

FILE = Path(theorylab.__file__).with_name("statements") / "listing.json"
Listing = dict[str, Any]


@functools.cache
def kept() -> Listing:
    """The listing of every built-in statement, from the file."""
    listing: Listing = json.loads(FILE.read_text(encoding="utf-8"))
    return listing


def entry(statement: Any) -> Listing:
    """What is listed of a ``Statement``."""
    return {
        "id": statement.id,
        "paper": statement.source.paper,
        "locator": statement.source.locator,
        "text": statement.source.text,
        "versions": {
            name: {check.name: _expected(check) for check in version.checks}
            for name, version in statement.versions.items()
        },
    }


def _expected(check: Any) -> str:
    return f"control: {check.expect}" if check.control else check.expect


def listing() -> Listing:
    """What the file has to hold: ``statements``, ``columns`` and a row of ``counts`` a paper,
    ``not_run``."""
    from theorylab.statements import BUILT_IN, NOT_RUN

    columns, counts = paper_table(NOT_RUN)
    return {
        "statements": [entry(statement) for statement in BUILT_IN.values()],
        "columns": list(columns),
        "counts": {row[0]: list(row) for row in counts},
        "not_run": NOT_RUN,
    }


def paper_table(papers: Iterable[str]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Column names, and a row a paper: its statements and checks, and how many are false, how."""
    from theorylab.report.tally import SEVERITIES, expected_claims, tally
    from theorylab.statements import BUILT_IN, NOT_RUN

    rows = []
    for paper in papers:
        mine = [s for s in BUILT_IN.values() if s.id.split(".")[0] == paper]
        count = tally(expected_claims(mine))
        versions = [(name, version) for s in mine for name, version in s.versions.items()]
        corrected = {s.id for s in mine if any(n.startswith("corrected") for n in s.versions)}
        numbers = (
            *(len(mine), sum(len(version.checks) for _, version in versions)),
            *count.false.values(),
            *(count.inherited, count.readings, count.implied),
            *(len(corrected), len(NOT_RUN[paper])),
        )
        rows.append((paper, *map(str, numbers)))
    kinds = (f">{name}" for name in SEVERITIES)
    other = (">by another's fault", ">in a reading only", ">implied only", ">corrected", ">not run")
    return ("paper", ">statements", ">checks", *kinds, *other), rows


def text(content: Listing) -> str:
    """JSON with a line a statement, so that two branches that each add one can be joined."""
    parts = []
    for key, value in content.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            lines = ",\n".join(json.dumps(each) for each in value)
            parts.append(f"{json.dumps(key)}: [\n{lines}\n]")
        else:
            parts.append(f"{json.dumps(key)}: {json.dumps(value, indent=1)}")
    return "{\n" + ",\n".join(parts) + "\n}\n"
