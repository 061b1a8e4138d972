"""``theorylab list``: every statement, its versions and their checks."""

from __future__ import annotations

import json
from collections.abc import Sequence

from theorylab.commands.refusal import check_target, refusing, write_target
from theorylab.commands.table import print_table
from theorylab.verdicts import selected


def catalogue(selection: Sequence[str], json_target: str | None) -> int:
    """Print what can be verified; a check stands with the verdict that is expected of it."""
    check_target("--json", json_target)
    with refusing("list"):
        found = selected(selection)
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
        write_target("--json", json_target, json.dumps({"statements": content}, indent=1) + "\n")
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
    return 0
