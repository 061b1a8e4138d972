"""Whether a script and its result agree, and how many of the printed digits are right.

A script with a user's text is run once before it is given away: it has to print what was judged. A
digit is printed where the exact number, rounded to as many digits, has the same one. That is what
the script's balls say. Where balls take long, or leave a digit open, the rounding that the engine
allows for decides.
"""

from __future__ import annotations

import contextlib
import io
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from theorylab.scripts.arrays_of_balls import ball
from theorylab.scripts.balls import UnenclosedError
from theorylab.scripts.base import LONGEST_OWN, UnscriptedError
from theorylab.scripts.play import played
from theorylab.scripts.text import comment
from theorylab.verdicts import Result

ROOM = 1e-9  # relative: of constants that the engine has from a run, and of what it measures
_NOTHING = 1e-4  # of the bound: a measured side below that is 0 beside it
MOST = 15
_BITS, _WORK = 128, 2_000_000  # of the balls: some tenths of a second
_MORE, _FEW = 10 * _WORK, 3  # seconds, where the engine's allowance leaves that few digits
_RATIO = 6  # digits of measured / bound
SIDES = 'print("the two sides of the identity:", left, "and", right)'


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


def rightly_printed(text: str, result: Result) -> str:
    """``text`` with as many digits of the measured side, the bound and their ratio as are right."""
    size, room = abs(result.measured or 0.0), room_of(result)
    allowed = {"measured": _allowed(size, room), "bound": _allowed(1.0, ROOM)}
    try:
        exact = played(text, _BITS, _WORK if allowed["measured"] > _FEW else _MORE)
    except UnenclosedError:
        counts = allowed
    else:
        floats, names = ran(text), ["measured", "bound"]
        if SIDES in text and not np.ndim(floats["left"]) and not np.ndim(floats["right"]):
            names += ["left", "right"]
            told = f"{{left:.{MOST}g}} and {{right:.{MOST}g}}"
            text = text.replace(SIDES, f'print(f"the two sides of the identity: {told}")')
        counts = {name: right_digits(float(floats[name]), exact[name]) for name in names}
        low, high = ball(exact["measured"]).ends
        if not high - low <= room:  # balls that grew over many rounds say less than the engine
            counts["measured"] = allowed["measured"]
    for name, count in counts.items():
        text = text.replace(f"{{{name}:.{MOST}g}}", f"{{{name}:.{count}g}}")
    ratio = min(_RATIO, counts["measured"], counts["bound"])
    return text.replace(f"{{measured / bound:.{_RATIO}g}}", f"{{measured / bound:.{ratio}g}}")


def right_digits(number: float, exact: Any) -> int:
    """How many digits of a float are those of what a ball encloses; 1 where none is.

    >>> right_digits(0.1 + 0.2 - 0.3, 2.0**-54), right_digits(1 / 3, 1 / 3 + 1e-9)
    (15, 8)
    """
    ends = ball(exact).ends
    alike = (k for k in range(MOST, 1, -1) if len({f"{x:.{k}g}" for x in (number, *ends)}) == 1)
    return next(alike, 1)


def _allowed(size: float, room: float) -> int:
    """Of a number of that size that may be off by ``room``; the last one but for one unit."""
    share = room / size if size else 1.0
    return max(1, min(MOST, math.floor(-math.log10(share)))) if share else MOST
