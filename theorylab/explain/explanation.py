"""Everything that a result can say for itself, in one object."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

from theorylab.explain._script import script_of as script_of
from theorylab.explain.account import Account, account, account_of
from theorylab.explain.instance_line import instance_line
from theorylab.statements import BUILT_IN, Printed, Statement, printed
from theorylab.verdicts import Result

if TYPE_CHECKING:
    from theorylab.falsify.recheck import Recheck


@dataclass(frozen=True)
class Explanation:
    """Why a verdict is what it is.

    Attributes:
        result: what was judged.
        printed: the paper's own formula or words, which line fails, the repair; empty fields where
            they are not kept.
        account: the parts of the statement's docstring.
        reading: how this version takes the words of the paper.
        instance: one line of mathematics.
        command: the command line that judges this very row again.
    """

    result: Result
    printed: Printed
    account: Account
    reading: str
    instance: str
    command: str

    @property
    def false(self) -> bool:
        """Whether the result tells against the version."""
        return bool(self.result.severity) and not self.result.control


def explained(result: Result, *, note: str = "", source_file: str = "") -> Explanation:
    """The explanation of a result.

    Args:
        note: of its version; a built-in one's own is taken where it is empty.
        source_file: the user's file that its statement is in.

    A result of a built-in id without a ``source_file`` is taken for the built-in statement's.
    """
    own = not source_file and result.id in BUILT_IN
    if own and not note:
        version = BUILT_IN[result.id].versions.get(result.version)
        note = "" if version is None else version.note
    return Explanation(
        result=result,
        printed=(printed(result.id) if own else None) or Printed(),
        account=(account_of(result.id) if own else None) or account(""),
        reading=note,
        instance=instance_line(result.instance),
        command=reproduced(result, source_file),
    )


def reproduced(result: Result, source_file: str = "") -> str:
    """The command line that judges one row again."""
    parts = ["theorylab", "verify", source_file or result.id]
    if source_file or result.version != "printed":
        parts += ["--version", result.version]
    parts += ["--check", result.check]
    return " ".join(map(shlex.quote, parts))


def rechecked(statement: Statement, result: Result, seed: int = 0) -> Recheck | None:
    """The measured side once more, in balls, of a result that is VIOLATED; None of another.

    seed: that the result was measured with.
    """
    if result.verdict != "VIOLATED":
        return None
    from theorylab.falsify.recheck import recheck

    return recheck(statement, result.version, result, seed)
