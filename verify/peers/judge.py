"""What verdicts cost: quick checks, a search's instances, constants of a large network, pages."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from rich.markup import escape
from rich.table import Table

from theorylab.bench._measure import machine, median
from theorylab.bench._process import CLI, Spent, spent
from theorylab.bench._targets import target

JUDGED = str(Path(__file__).with_name("judged.py"))
_SOME = "dfedsgpsm.lem4*"  # what is judged with ``quick``
_DEAREST = 10
_SECONDS = 4.0  # of processor time for the instances of one of the eight


def run(quick: bool = False) -> dict[str, Any]:
    """Commands in processes of their own, with all cores; checks and instances on one of them.

    A whole run takes about four minutes of two free cores. The dearest checks are those of the
    command, by the seconds of the wall that it notes.
    """
    from theorylab.verdicts import Report

    what = [_SOME] if quick else []
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder) / "results.json"
        verify = _command("verify", *what, "--quick", "--json", str(results))
        judged = Report.model_validate_json(results.read_text("utf-8")).results
        pages = _command("report", folder)
    checks = json.loads(spent([JUDGED, "checks", *what]).output).values()
    rates: dict[str, float] = json.loads(
        spent([JUDGED, "rates", "1" if quick else str(_SECONDS)]).output
    )
    constants = {
        n: _command("constants", "random-out", "--clients", f"{n // 10 if quick else n}")
        for n in (1000, 2000)
    }
    dear = sorted(judged, key=lambda result: -result.seconds)[:_DEAREST]
    cases = [
        _case(f"verify --quick: wall of {len(judged)} checks", verify, "verify --quick"),
        *(_part(f"{each.id} [{each.version}] {each.check}", each.seconds) for each in dear),
        _figure(
            "processor time of a check: median",
            median([each["seconds"][0] for each in checks]),
            target("a check", "seconds"),
        ),
        _figure(
            "instances judged a second: median",
            median([*rates.values()]),
            target("a search", "rate"),
        ),
        *(_part(name, rate) for name, rate in rates.items()),
        *(
            _case(f"constants random-out, {n:,} clients", each, f"constants of {n:,} clients")
            for n, each in constants.items()
        ),
        _case("pages of all of these", pages, "pages"),
    ]
    return {"bench": "judge", "quick": quick, "machine": machine(), "cases": cases}


def _command(*words: str) -> Spent:
    return spent(["-c", CLI, *words], pinned=False)


def _case(name: str, used: Spent, row: str) -> dict[str, Any]:
    aim = target(row, "seconds")
    return {"name": name, "value": used.wall, "processor": used.processor, "target": aim}


def _figure(name: str, value: float, aim: float | None) -> dict[str, Any]:
    return {"name": name, "value": value, "processor": None, "target": aim}


def _part(name: str, value: float) -> dict[str, Any]:
    """A row of what the row above it is made of; the targets are the wholes'."""
    return _figure(f"  {name}", value, None)


def render(record: dict[str, Any]) -> Table:
    """A row a figure; seconds, but where the name says otherwise."""
    table = Table(title="judge: seconds" + " (quick)" * record["quick"])
    for heading in ("what", "measured", "processor", "target"):
        table.add_column(heading)
    for case in record["cases"]:
        used = "" if case["processor"] is None else f"{case['processor']:.1f}"
        aim = "" if case["target"] is None else f"{case['target']:g}"
        digits = ".1f" if case["value"] >= 10 else ".3f"
        table.add_row(escape(case["name"]), f"{case['value']:{digits}}", used, aim)
    return table
