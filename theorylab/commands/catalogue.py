"""``theorylab list``: every statement, its versions and their checks."""

from __future__ import annotations

import fnmatch
import json
from collections.abc import Sequence

from theorylab.commands.refusal import check_target, refusing, write_target
from theorylab.commands.table import print_table
from theorylab.report.tally import SEVERITIES, expected_claims, tally
from theorylab.statements import BUILT_IN, NOT_RUN
from theorylab.verdicts import selected


def paper_table(papers: Sequence[str]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Column names, and a row a paper: its statements and checks, and how many are false, how."""
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


def catalogue(selection: Sequence[str], json_target: str | None) -> int:
    """Print what can be verified; a check stands with the verdict that is expected of it.

    With a whole paper (or all) also what of it is not run, and why.
    """
    check_target("--json", json_target)
    with refusing("list"):
        found = selected(selection)
    left_out = {
        paper: reasons
        for paper, reasons in NOT_RUN.items()
        if reasons and any(fnmatch.fnmatchcase(f"{paper}.", item) for item in selection or ["*"])
    }
    if json_target is not None:
        content = [
            {
                "id": name,
                "paper": statement.source.paper,
                "locator": statement.source.locator,
                "text": statement.source.text,
                "versions": {
                    version: {check.name: check.expect for check in body.checks}
                    for version, body in statement.versions.items()
                },
            }
            for name, (statement, _) in found.items()
        ]
        whole = {"statements": content, "not_run": left_out}
        write_target("--json", json_target, json.dumps(whole, indent=1) + "\n")
    if json_target != "-":
        rows = [
            (
                name,
                version,
                "\n".join(f"{check.name}: {check.expect}" for check in body.checks),
                f"{statement.source.locator}: {statement.source.text}",
            )
            for name, (statement, _) in found.items()
            for version, body in statement.versions.items()
        ]
        print_table("", ("statement", "version", "check: expected", "what it says"), rows)
        if left_out:
            print()
            columns, counts = paper_table(list(left_out))
            print_table("statements false as printed, as expected", columns, counts)
        for paper, reasons in left_out.items():
            print()
            print_table("", (paper, "why it is not run"), list(reasons.items()))
    return 0
