"""The generated script of a result, where there is one."""

from __future__ import annotations

from theorylab.statements import Statement
from theorylab.verdicts import Result


def script_of(statement: Statement, result: Result) -> tuple[str, str]:
    """(the script, "") or ("", why there is none)."""
    from theorylab.scripts import UnscriptedError, script

    try:
        return script(statement, result), ""
    except UnscriptedError as reason:
        return "", str(reason)
