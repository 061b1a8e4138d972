"""``--script FILE``: what a command found as a NumPy script, and the line that says so.

``theorylab --help`` imports this module, so it imports nothing that takes time.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from theorylab.commands.refusal import Refused, one_line, write_target

if TYPE_CHECKING:
    from theorylab.statements import Statement
    from theorylab.verdicts import Result


def check_script(target: str | None, force: bool) -> None:
    """Refuse a file that exists, before any work is done."""
    if force and target is None:
        raise Refused("--force: there is no --script; need one")
    if target not in (None, "-") and not force and Path(str(target)).is_file():
        raise Refused(f"--script {target}: the file exists; need another name, or --force")


def scripted(statement: Statement, result: Result, target: str, seed: int) -> str:
    """Write the script of a result; the line that says so, or why there is none."""
    from theorylab.falsify import shortened
    from theorylab.scripts import UnscriptedError, script

    shown, digits = shortened(statement, result, seed)
    try:
        text = script(statement, shown, seed)
    except UnscriptedError as error:
        return f"{target}: no script was written: {one_line(error)}."
    write_target("--script", target, text)
    told = f"; drawn numbers have {digits} digits there, and it is VIOLATED so" if digits else ""
    return f"{target}: both sides in NumPy, without theorylab{told}."


def chosen(results: Sequence[Result]) -> Result:
    """The one of which a script says most: the first that is VIOLATED, else the first of all."""
    return next((each for each in results if each.outcome.broken), results[0])
