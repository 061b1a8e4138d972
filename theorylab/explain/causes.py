"""The faults that a result shows, and whose they are."""

from __future__ import annotations

from theorylab.statements import BUILT_IN, Cause, Version
from theorylab.verdicts.result import Result


def causes_of_result(result: Result, version: Version | None = None) -> tuple[Cause, ...]:
    """The causes that a result names, of its version; nothing where it tells against no claim.

    version: that was judged; of a built-in statement the catalogue's is taken where None is given.
    """
    if version is None:
        statement = BUILT_IN.get(result.id)
        version = None if statement is None else statement.versions.get(result.version)
    if version is None or not result.severity:
        return ()
    return tuple(cause for cause in version.causes if cause.id in result.causes)


def fault_of(result: Result) -> str:
    """The statements whose lines have the faults that a result shows, where they are not its own
    alone: ``dfedpgp.eq25 and dfedalt.eq12``; empty otherwise."""
    homes = [_home(cause, result.id) for cause in causes_of_result(result)]
    other = dict.fromkeys(home for home in homes if home != result.id)
    return " and ".join(other)


def _home(cause: Cause, statement: str) -> str:
    return cause.line_of(statement).statement
