"""The generated script of a result, where there is one."""

from __future__ import annotations

from theorylab.statements import Statement
from theorylab.verdicts import Result


def script_of(statement: Statement, result: Result, seed: int = 0) -> tuple[str, str]:
    """(the script, "") or ("", why there is none). seed: that the result was measured with."""
    from theorylab.scripts import UnscriptedError, script

    try:
        return script(statement, result, seed), ""
    except UnscriptedError as reason:
        return "", str(reason)
