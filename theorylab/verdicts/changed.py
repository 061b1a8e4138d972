"""Changing an instance by the paths of its options, and what must not be changed."""

from __future__ import annotations

from typing import Any

from theorylab.registry import near
from theorylab.runs.paths import put
from theorylab.statements import BUILT_IN, Check, Statement
from theorylab.verdicts.claimed import Document, default_of
from theorylab.verdicts.result import Verdict
from theorylab.verdicts.sweep import KEY as SWEEP


def rank(check: Check) -> tuple[bool, bool]:
    """Orders checks: those that are meant to hold first, and of those the quick ones."""
    return not Verdict[check.expect].word.stands or check.control, not check.quick


def check_option(statement: Statement, name: str, options: list[str] | None, flag: str) -> None:
    if options is not None and name not in options:
        raise ValueError(
            f"{flag}: {statement.id} has no option {name!r}; need {near(name, options)}"
        )


def set_option(
    statement: Statement,
    instance: Document,
    options: list[str] | None,
    path: str,
    value: Any,
    flag: str,
) -> None:
    """Set what stands at ``path`` in place; ``options``: see ``claimed.options_of``.

    Raises ValueError: one line that starts with ``flag``, where there is no such option.
    """
    first = path.partition(".")[0]
    check_option(statement, first, options, flag)
    if first not in instance and first != path:
        instance |= default_of(statement, instance, first)
    put(flag, instance, path, value)


def check_sweep(instance: Document, paths: set[str]) -> None:
    """Refuse to change what a sweep sets at each of its values: nobody would see the change."""
    sweep = instance.get(SWEEP)
    if isinstance(sweep, dict):
        moved = {str(sweep.get("parameter")), *(sweep.get("set") or {})}
        for path in sorted(paths & moved):
            raise ValueError(f"{path} is what the sweep of this instance sets; need another")


def check_constants(statement: Statement, before: Document, settings: Document) -> None:
    """A user's constants that are numbers are right for the instance that they came with."""
    if BUILT_IN.get(statement.id) is statement or "constants" in settings:
        return
    old = [name for name in before.get("constants") or {} if f"constants.{name}" not in settings]
    if old:
        raise ValueError(
            f"constants.{old[0]} is a number that is known for the unchanged instance alone; need "
            f"it for this one: --set constants.{old[0]}=..., or a function in the file"
        )
