"""``python -m theorylab.scripts [ID ...]``: every VIOLATED check with the length of its script, or
why it has none."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass

from theorylab.scripts.base import UnscriptedError
from theorylab.scripts.write import script
from theorylab.statements import Check, Statement
from theorylab.verdicts import Result, judge_check, selected
from theorylab.verdicts.result import Verdict


@dataclass(frozen=True)
class Tallied:
    """A check, its result, and its script; where there is none ``text`` is "" and ``why`` says
    why."""

    statement: Statement
    version: str
    check: Check
    result: Result
    text: str
    why: str

    @property
    def told(self) -> str:
        """The check as "ID [VERSION] CHECK", and the length of its script or why there is none."""
        length = f"{len(self.text.splitlines())} lines" if self.text else f"none: {self.why}"
        return f"{self.statement.id} [{self.version}] {self.check.name}: {length}"


def violated(selection: Sequence[str] = ()) -> list[tuple[Statement, str, Check]]:
    """Every check of a selection of statements that is to be VIOLATED."""
    return [
        (statement, version, check)
        for statement, _ in selected(selection).values()
        for version, content in statement.versions.items()
        for check in content.checks
        if Verdict[check.expect].broken
    ]


def tallied(statement: Statement, version: str, check: Check) -> Tallied:
    """Judge one check and write its script."""
    result = judge_check(statement, version, check)
    try:
        return Tallied(statement, version, check, result, script(statement, result), "")
    except UnscriptedError as why:
        return Tallied(statement, version, check, result, "", str(why))


def main(selection: list[str]) -> None:
    """Print a line a check, and how many have a script."""
    count = covered = 0
    statements: dict[str, bool] = {}
    for check in violated(selection):
        each = tallied(*check)
        print(each.told, flush=True)
        count, covered = count + 1, covered + bool(each.text)
        statements[each.statement.id] = statements.get(each.statement.id, False) or bool(each.text)
    whole = sum(statements.values())
    print(f"{covered} of {count} checks, {whole} of {len(statements)} statements have a script")


if __name__ == "__main__":
    main(sys.argv[1:])
