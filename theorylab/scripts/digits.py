"""How many digits of a script's numbers float64 has right: what its balls say.

A digit is printed where the exact number, rounded to as many, has the same one. Where balls take
long, or leave something open, the rounding that the engine allows for says how many there are.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from theorylab.scripts._agreed import ROOM, ran, room_of
from theorylab.scripts.arrays_of_balls import ball
from theorylab.scripts.balls import UnenclosedError
from theorylab.scripts.play import played
from theorylab.verdicts import Result

MOST = 15
_BITS, _WORK = 128, 2_000_000  # of the balls: some tenths of a second
_MORE, _FEW = 10 * _WORK, 3  # seconds, where the engine's allowance leaves that few digits
_RATIO = 6  # digits of measured / bound
SIDES = 'print("the two sides of the identity:", left, "and", right)'


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
