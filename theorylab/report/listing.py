"""What ``theorylab list`` shows, as plain data, and the file that keeps it of the built-in ones.

``theorylab list``, and the refusal of an id that does not exist, read that file, so that they
import no statement. A wheel that was built beside sympy brings it; elsewhere the first of them
makes it.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import re
import sys
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

FILE = Path(__file__).parents[1] / "statements/listing.json"  # in a wheel alone
_SOURCE = re.compile(r"\w+\.(py|toml)")  # no editor's lock, which is a link to nothing
_WHOSE = {
    "own": "",
    "inherited": " (inherited)",
    "reading": " (a reading only)",
    "implied": " (implied only)",
}
Listing = dict[str, Any]


@functools.cache
def kept() -> Listing:
    """The listing of every built-in statement: the wheel's file, or what was kept of the sources.

    What is kept names the sources that it is of; where one has changed since, or nothing can be
    read, a process of its own lists them anew. Where nothing can be written it does so every time.
    """
    if FILE.is_file():
        shipped: Listing = json.loads(FILE.read_text(encoding="utf-8"))
        return shipped
    stamp, places = _stamp(), _places()
    for path in places:
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            held = json.loads(path.read_text(encoding="utf-8"))
            if held["stamp"] == stamp:
                known: Listing = held["listing"]
                return known
    from theorylab.report.atomic import write_atomic  # a listing that is kept needs none of it

    known = _listed_apart()
    for path in places:
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomic(path, json.dumps({"stamp": stamp, "listing": known}))
            break
    return known


def ids() -> list[str]:
    """Those of the built-in statements, also where one of them cannot be imported."""
    try:
        return [each["id"] for each in kept()["statements"]]
    except ImportError:  # the others can be judged, and so can a user's file
        from theorylab.statements import BUILT_IN

        return [*BUILT_IN]


def _stamp() -> list[list[Any]]:
    """Path, size and time of every source that a listing is made of."""
    package = FILE.parents[1]
    walked = (Path(each) for each, *_ in os.walk(FILE.parent))
    folders = [package, package / "report", *walked]
    return sorted(
        [entry.path, status.st_size, status.st_mtime_ns]
        for folder in folders
        for entry in os.scandir(folder)
        if _SOURCE.fullmatch(entry.name) and (status := entry.stat())
    )


def _places() -> list[Path]:
    """Where a listing is kept: beside the compiled sources, or in the user's cache."""
    places = [] if sys.pycache_prefix else [FILE.with_name("__pycache__") / "listing.json"]
    with contextlib.suppress(RuntimeError):  # nobody knows where the user's home is
        cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        of = zlib.crc32(str(FILE).encode())  # another tree may have the same: its stamp differs
        places.append(cache / f"theorylab/listing-{of:08x}.json")
    return places


def _listed_apart() -> Listing:
    """``listing()`` of a process of its own: what this one has imported or changed is not in it."""
    import subprocess

    code = (
        "import json, sys; sys.path.insert(0, sys.argv[1])\n"
        "try:\n from theorylab.report.listing import listing; print(json.dumps(listing()))\n"
        "except Exception as error: sys.exit(f'{type(error).__name__}: {error}')"
    )
    words = [sys.executable, "-P", "-c", code, str(FILE.parents[2])]
    done = subprocess.run(words, capture_output=True, text=True, encoding="utf-8")
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["it was stopped"])[-1]
        raise ImportError(f"theorylab's own statements cannot be listed: {last}")
    found: Listing = json.loads(done.stdout)
    return found


def entry(statement: Any) -> Listing:
    """What is listed of a ``Statement``."""
    return {
        "id": statement.id,
        "paper": statement.source.paper,
        "locator": statement.source.locator,
        "text": statement.source.text,
        "false": _false(statement),
        "versions": {
            name: {check.name: _expected(check) for check in version.checks}
            for name, version in statement.versions.items()
        },
    }


def _false(statement: Any) -> str:
    """How it is false, as its checks expect it; empty of a true one."""
    from theorylab.report.tally import expected_claims, refutation

    found = refutation(expected_claims([statement]))
    return "" if found is None else f"{found.severity}{_WHOSE[found.kind]}"


def _expected(check: Any) -> str:
    return f"control: {check.expect}" if check.control else check.expect


def listing() -> Listing:
    """What is kept: ``statements``, ``columns`` and a row of ``counts`` a paper,
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
