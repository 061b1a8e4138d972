"""Which VIOLATED checks have a script, and why the others have none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from theorylab.scripts._agreed import differences as differences
from theorylab.scripts.base import UnscriptedError
from theorylab.scripts.write import script
from theorylab.statements import Check, Statement
from theorylab.verdicts import Result, judge_check, selected


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
    def label(self) -> str:
        """ "ID [VERSION] CHECK"."""
        return f"{self.statement.id} [{self.version}] {self.check.name}"

    @property
    def told(self) -> str:
        """The length of the script, or why there is none."""
        return f"{len(self.text.splitlines())} lines" if self.text else f"none: {self.why}"


def violated(selection: Sequence[str] = ()) -> list[tuple[Statement, str, Check]]:
    """Every check of a selection of statements that is to be VIOLATED."""
    return [
        (statement, version, check)
        for statement, _ in selected(selection).values()
        for version, content in statement.versions.items()
        for check in content.checks
        if check.expect == "VIOLATED"
    ]


def tallied(statement: Statement, version: str, check: Check) -> Tallied:
    """Judge one check and write its script."""
    result = judge_check(statement, version, check)
    try:
        return Tallied(statement, version, check, result, script(statement, result), "")
    except UnscriptedError as why:
        return Tallied(statement, version, check, result, "", str(why))


def tally(selection: Sequence[str] = ()) -> Iterator[Tallied]:
    """One after the other, for judging all of them takes minutes."""
    for each in violated(selection):
        yield tallied(*each)
