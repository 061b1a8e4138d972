"""What the papers' sentences about their experiments come to when they are run here: one table.

    python verify/experiments.py [PATTERN ...] [--seed N] [--json FILE] [--page]

Every check of every statement that compares methods is judged, run by run, with data splits,
networks and first models that are drawn with the run. A row of the table is one sentence in one
setting: the leads with their limits, in points of test accuracy or in rounds, and the verdict. An
open pair has beside it how many runs would decide it if the lead and its spread stay as they are,
and how many processor hours those take. The last line counts what is decided.

--page writes the table into docs/papers.md, between its marks. --json keeps what was judged; if the
file is there, what it has is not judged again. A check whose data are not installed is left out,
and a line says so. Exit code 0; 2 on bad input.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import math
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from theorylab.extras import MissingDataError, MissingExtraError
from theorylab.report.atomic import write_atomic
from theorylab.statements import BUILT_IN, Check, Statement
from theorylab.verdicts import judge_check

ROOT = Path(__file__).resolve().parents[1]
PAGE, BEGIN, END = ROOT / "docs" / "papers.md", "<!-- experiments -->", "<!-- /experiments -->"
KINDS = ("method-accuracy", "pdbo-accuracy")
UNITS = {"rounds": (1.0, "rounds")}  # by column; all others are shares of test samples
HEAD = "| sentence | setting | seen | verdict |\n|---|---|---|---|"
Judged = dict[str, Any]


def checks(patterns: Sequence[str]) -> Iterator[tuple[Statement, Check]]:
    """Those of the statements that fit a pattern, in the papers' order."""
    for statement in BUILT_IN.values():
        fits = any(fnmatch.fnmatch(statement.id, pattern) for pattern in patterns)
        if statement.experiment in KINDS and fits:
            for check in statement.versions["printed"].checks:
                yield statement, check


def judged(statement: Statement, check: Check, seed: int) -> Judged:
    """What a check comes to, as plain data."""
    began = time.process_time()
    try:
        found = judge_check(statement, "printed", check, seed=seed)
    except (MissingDataError, MissingExtraError) as missing:
        return {"verdict": "not run", "reason": str(missing)}
    version = statement.versions["printed"]
    return {
        "verdict": found.verdict, "measured": found.measured, "ci": found.ci, "runs": found.runs,
        "reason": found.reason, "column": statement.quantity_of(version).column,
        "place": found.place, "seconds": time.process_time() - began,
    }  # fmt: skip


def wanted(one: Judged) -> int | None:
    """Runs after which the limits would leave 0 out, if lead and spread stay; None: unknown.

    Limits of a mean shrink as one over the root of the runs, and a little slower here, as they are
    valid at every number of runs: so it is at least so many.
    """
    low, high = one["ci"]
    lead, runs = abs(one["measured"] or 0.0), int(one["runs"])
    if low is None or high is None or not lead or not math.isfinite(high - low):
        return None
    half = (high - low) / 2
    return max(runs + 1, int(np.ceil(runs * float(half / lead) ** 2)))


def number(value: float | None, factor: float) -> str:
    """With one digit after the point below ten."""
    if value is None or not math.isfinite(value):
        return "?"
    shown = value * factor
    return f"{shown:.1f}" if abs(shown) < 10 else f"{shown:.0f}"


def lead(pair: str, one: Judged) -> str:
    """``SGP +29.6 [17, 42]``."""
    factor, unit = UNITS.get(one["column"], (100.0, ""))
    low, high = (number(limit, factor) for limit in one["ci"])
    value = one["measured"] or 0.0
    shown = ("+" if value > 0 else "") + number(value, factor) + (f" {unit}" if unit else "")
    return f"{pair.split(' on ')[1]} {shown} [{low}, {high}]"


def opened(pair: str, one: Judged, each: float) -> str:
    """What would decide an open pair."""
    rival = pair.split(" on ")[1]
    runs = wanted(one)
    if one["reason"].startswith("not reproduced"):
        return f"{rival}: not reproduced, the rival leads"
    if runs is None:
        return f"{rival}: open, and nothing tells how many runs would decide"
    hours = runs * each / 3600
    cost = f"{hours:.1f} h" if hours >= 0.1 else f"{60 * hours:.0f} min"
    ahead = "" if (one["measured"] or 0) > 0 else ", for the rival"
    return f"{rival}: open, {runs} runs or more ({cost}) would decide{ahead}"


def table(found: dict[str, Judged]) -> list[str]:
    """A line for every statement, setting and method; and one that counts."""
    groups: dict[tuple[str, str, str], list[tuple[str, Judged]]] = {}
    for key, one in found.items():
        if one["verdict"] == "not run":
            continue
        name, check = key.split(" | ")
        setting, pair = check.split(": ", 1)
        groups.setdefault((name, setting, pair.split(" on ")[0]), []).append((pair, one))
    # Pairs and statements of one setting share their runs, so that the time of a pair is of no use
    # alone: a run costs what all of the setting took, divided by its runs.
    spent: dict[tuple[str, str], list[Judged]] = {}
    for (name, setting, _), rows in groups.items():
        spent.setdefault((name.split(".")[0], setting), []).extend(one for _, one in rows)
    per_run = {
        key: sum(one["seconds"] for one in ones) / max(one["runs"] for one in ones)
        for key, ones in spent.items()
    }
    lines = [HEAD]
    for (name, setting, method), rows in groups.items():
        text = BUILT_IN[name].source.text
        seen = ", ".join(lead(pair, one) for pair, one in rows)
        held = [pair for pair, one in rows if one["verdict"] == "HOLDS"]
        each = per_run[name.split(".")[0], setting]
        rest = [opened(p, o, each) for p, o in rows if o["verdict"] == "INCONCLUSIVE"]
        broken = [f"{p.split(' on ')[1]}: {o['verdict']}" for p, o in rows
                  if o["verdict"] not in ("HOLDS", "INCONCLUSIVE")]  # fmt: skip
        first = "HOLDS" if len(held) == len(rows) else f"HOLDS on {len(held)} of {len(rows)}"
        verdict = "; ".join([*([first] if held else []), *broken, *rest])
        lines.append(f"| {text} (`{name}`) | {setting}, {method} on | {seen} | {verdict} |")
    return lines


def count(found: dict[str, Judged]) -> str:
    """How many sentences, in how many settings, are decided."""
    run = [one for one in found.values() if one["verdict"] != "not run"]
    held = sum(one["verdict"] == "HOLDS" for one in run)
    rival = sum(one["reason"].startswith("not reproduced") for one in run)
    share = 100 * (held + rival) / max(1, len(run))
    broken = sum(one["verdict"] not in ("HOLDS", "INCONCLUSIVE") for one in run)
    also = f", {broken} come to something else" if broken else ""
    return (
        f"Of {len(run)} pairs {held} HOLD, {rival} are not reproduced (the rival leads){also}, and "
        f"{len(run) - held - rival - broken} are open: {share:.0f} % are decided."
    )


def written(lines: Sequence[str], total: str, seed: int) -> None:
    """The table in its page; ValueError where the marks are not there."""
    text = PAGE.read_text(encoding="utf-8")
    if BEGIN not in text or END not in text:
        raise ValueError(f"docs/papers.md: need {BEGIN} and {END}")
    first, rest = text.split(BEGIN)
    last = rest.split(END)[1]
    made = f"Made by `python verify/experiments.py --page`, seed {seed}. {total}"
    write_atomic(PAGE, "\n".join([f"{first}{BEGIN}\n", made, "", *lines, f"\n{END}{last}"]))


def main(arguments: Sequence[str]) -> int:
    """The exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("patterns", nargs="*", default=["*"], metavar="PATTERN", help="of ids")
    parser.add_argument("--seed", type=int, default=0, help="of all that is drawn")
    parser.add_argument("--json", type=Path, help="file that keeps what was judged")
    parser.add_argument("--page", action="store_true", help="write the table into docs/papers.md")
    given = parser.parse_args(arguments)
    todo = list(checks(given.patterns))
    wrong = "" if todo else "no statement that fits"
    if given.seed < 0:
        wrong = f"--seed is {given.seed}; need 0 or more"
    if given.page and given.patterns != ["*"]:
        wrong = "--page came with a pattern; need all statements for the page"
    if wrong:
        print(f"experiments: {wrong}", file=sys.stderr)
        return 2
    found: dict[str, Judged] = {}
    try:
        if given.json is not None and given.json.exists():
            found = json.loads(given.json.read_text(encoding="utf-8"))
        for k, (statement, check) in enumerate(todo):
            key = f"{statement.id} | {check.name}"
            if key not in found:
                found[key] = judged(statement, check, given.seed)
                if given.json is not None:
                    write_atomic(given.json, json.dumps(found, indent=1) + "\n")
            one = found[key]
            told = one["reason"] if one["verdict"] == "not run" else lead(check.name, one)
            print(f"[{k + 1}/{len(todo)}] {key}: {one['verdict']}, {told}", file=sys.stderr)
        shown = {f"{s.id} | {c.name}": found[f"{s.id} | {c.name}"] for s, c in todo}
        lines, total = table(shown), count(shown)
        if given.page:
            written(lines, total, given.seed)
    except (OSError, ValueError) as error:
        print(f"experiments: {error}", file=sys.stderr)
        return 2
    print("\n".join([*lines, "", total]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
