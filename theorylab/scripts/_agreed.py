"""A script with a user's text is run once before it is given away: it prints what was judged."""

from __future__ import annotations

import contextlib
import io
import math
from typing import Any

from theorylab.scripts.base import LONGEST_OWN, UnscriptedError
from theorylab.scripts.text import comment
from theorylab.verdicts import Result


def agreed(text: str, result: Result) -> str:
    """``text``, where it runs and has both sides of ``result``; UnscriptedError, one line, where it
    does not."""
    lines = len(text.splitlines())
    if lines > LONGEST_OWN:
        raise UnscriptedError(f"the script has {lines} lines; need at most {LONGEST_OWN}")
    try:
        told = differences(text, result)
    except Exception as error:  # of a user's text: any
        line = comment(f"{type(error).__name__}: {error}", 200)
        raise UnscriptedError(f"its text does not run alone: {line}") from None
    if told:
        raise UnscriptedError(f"its text, run alone, differs: {told[0]}")
    return text


def differences(text: str, result: Result) -> list[str]:
    """Run a script in a namespace of its own: what of it is not what ``result`` says, a line each.

    The measured side may be off by 1e-9, or by what rounding can do to the result where that is
    more; the bound by 1e-9.
    """
    found: dict[str, Any] = {"__name__": "__main__"}  # dataclasses look it up
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(text, "script", "exec"), found)
    assert result.measured is not None
    room = 1e-9 * abs(result.measured)
    if result.runs == 1:  # of samples the interval is no rounding
        ends = [end for end in result.ci if end is not None]
        room = max([room, *(abs(result.measured - end) for end in ends)])
    bound = math.nan if result.bound is None else result.bound
    wanted = (
        ("measured", result.measured, room),
        ("bound", bound, 1e-9 * abs(bound)),
    )
    return [
        f"{name} is {float(found[name])!r}; the result has {value!r}"
        for name, value, off in wanted
        if not abs(float(found[name]) - value) <= off
    ]
