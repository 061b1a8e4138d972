"""Causes of versions that have not named theirs yet, of what the paper's file keeps of them."""

from __future__ import annotations

import functools
from zlib import crc32

from theorylab.statements._base import Check, Version
from theorylab.statements._cause import Cause, Line
from theorylab.statements._printed import Printed, printed


def causes_of(name: str, version: Version, check: Check | None = None) -> tuple[Cause, ...]:
    """What refutes a version of the statement ``name``; what ``check`` shows where one is given."""
    if version.causes or version.severity is None:
        return version.causes if check is None else version.causes_of(check)
    if check is not None and check.control:
        return ()
    return (_legacy(name, version.inherits or name, version.rests_on, version.severity),)


@functools.cache
def _legacy(name, home, clause, severity):  # type: ignore[no-untyped-def]
    kept = printed(name) or Printed()
    paper, _, locator = name.partition(".")
    return Cause(
        id=f"{paper}/{locator.replace('_', '-')}-{crc32(f'{clause}{severity}'.encode()) % 997}",
        clause=clause or "-",
        fails=kept.fails or "-",
        repair=kept.repair or "-",
        severity=severity,
        lines=(Line(home, locator, kept.formula, kept.words or ("" if kept.formula else "-")),),
    )
