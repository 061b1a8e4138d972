"""A script with a user's text is run once before it is given away: it prints what was judged."""

from __future__ import annotations

import contextlib
import io
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from theorylab.scripts.base import LONGEST_OWN, UnscriptedError
from theorylab.scripts.text import comment
from theorylab.verdicts import Result

ROOM = 1e-9  # relative: of constants that the engine has from a run, and of what it measures
_NOTHING = 1e-4  # of the bound: a measured side below that is 0 beside it


def agreed(text: str, result: Result, texts: Sequence[str] = ()) -> str:
    """``text``, where it runs and has both sides of ``result``; UnscriptedError, one line, where it
    does not, or where it changes what its classes and constants, the lines ``texts``, were."""
    lines = len(text.splitlines())
    if lines > LONGEST_OWN:
        raise UnscriptedError(f"the script has {lines} lines; need at most {LONGEST_OWN}")
    try:
        found, before = ran(text), ran(_as_far_as(text, texts))
        told = _apart(found, result)
        changed = [name for name, value in before.items() if _state(found[name]) != _state(value)]
    except Exception as error:  # of a user's text: any
        line = comment(f"{type(error).__name__}: {error}", 200)
        raise UnscriptedError(f"its text does not run alone: {line}") from None
    if told:
        raise UnscriptedError(f"its text, run alone, differs: {told[0]}")
    if changed:
        name = comment(changed[0], 40)
        raise UnscriptedError(f"its text changes {name} as it runs, so that a second run differs")
    return text


def _as_far_as(text: str, texts: Sequence[str]) -> str:
    whole = "\n".join(texts)
    return text[: text.index(whole) + len(whole)]


def _state(value: Any, depth: int = 8) -> str:
    """What a class, a function or a constant holds, as text."""
    if isinstance(value, np.ndarray):
        return repr(value.tolist())
    if isinstance(value, list | tuple | set | frozenset | dict):
        parts = value.items() if isinstance(value, dict) else value
        return str([_state(part, depth - 1) for part in parts]) if depth else ""
    if hasattr(value, "bit_generator"):
        return str(value.bit_generator.state)
    told = repr(value)
    if " at 0x" not in told and not isinstance(value, type):
        return told
    held = [
        *(pair for pair in getattr(value, "__dict__", {}).items() if pair[0][:2] != "__"),
        *(getattr(value, "__defaults__", None) or ()),
        *(getattr(value, "__kwdefaults__", None) or {}).items(),
    ]
    return f"{type(value).__name__}{_state(held, depth - 1) if depth else ''}"


def differences(text: str, result: Result) -> list[str]:
    """Run a script in a namespace of its own: what of it is not what ``result`` says, a line each.

    The measured side may be off by 1e-9, or by what rounding can do to the result where that is
    more; the bound by 1e-9.
    """
    return _apart(ran(text), result)


def _apart(found: Mapping[str, Any], result: Result) -> list[str]:
    assert result.measured is not None
    room = room_of(result)
    bound = math.nan if result.bound is None else result.bound
    wanted = (
        ("measured", result.measured, room),
        ("bound", bound, ROOM * abs(bound)),
    )
    return [
        f"{name} is {float(found[name])!r}; the result has {value!r}"
        for name, value, off in wanted
        if not abs(float(found[name]) - value) <= off
    ]


def meets(low: float, high: float, result: Result) -> bool:
    """Whether the engine's number is in the enclosure, but for the engine's rounding.

    Where both are nothing beside the bound, as 0 and what is left of it in float64, they agree.
    """
    assert result.measured is not None
    assert result.bound is not None
    if max(abs(low), abs(high), abs(result.measured)) <= _NOTHING * abs(result.bound):
        return True
    return low - room_of(result) <= result.measured <= high + room_of(result)


def ran(text: str) -> dict[str, Any]:
    """The names of a script after it has run in float64; what it prints is dropped."""
    found: dict[str, Any] = {"__name__": "__main__"}  # dataclasses look it up
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(text, "script", "exec"), found)
    return found


def room_of(result: Result) -> float:
    """Of one run its limits say what rounding can do; of several they say what chance can do."""
    assert result.measured is not None
    ends = [end for end in result.ci if end is not None] if result.runs == 1 else []
    return max([ROOM * abs(result.measured), *(abs(result.measured - end) for end in ends)])
