"""What of a state after many rounds is rounding: absolute, where things cancel.

Near a minimum ``f(x) - f*``, a gradient and a consensus error are differences of numbers that are
much larger, so their error is no share of themselves: a measured 0 says nothing of 1e-59.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.known import UNIT, How, Known
from theorylab.runs import Setting, Trace
from theorylab.verdicts.case import ROUNDING

_OPERATIONS = 8  # roundings that an entry of a state, or a term of a sum, goes through in a round
_UNDERFLOW = 2.0**-1000  # a square of less than 2^-511 is no number of full precision
_UNKNOWN = Known(math.inf, How.UPPER, "not known")

Floats = NDArray[Any]


def last_rounding(setting: Setting, trace: Trace, column: str, values: Floats) -> float:
    """The absolute error of ``column`` of x^T; ``values`` (R,), the largest over the runs.

    An entry of x^T is off by 8 eps (T + n + d) times the largest that x^0 or x^T has, as a method
    leaves it whose errors do not grow, and by L of that in a gradient. 0 for other columns; where
    no L is known the error is 1e-9 of what cancels.
    """
    if column not in ("suboptimality", "squared_gradient", "consensus"):
        return 0.0
    problem, known = setting.problem, setting.problem.constants()
    size = float(np.abs(values).max())
    smooth = known.get("L", _UNKNOWN).value
    level = abs(known["f_star"].value) if column == "suboptimality" else 0.0
    terms = problem.clients * problem.dim
    x = max(trace.size, float(np.abs(setting.start).max()))
    steps = setting.rounds + problem.clients + problem.dim
    away = _OPERATIONS * UNIT * steps * x * math.sqrt(terms)
    if column == "consensus":
        return 2 * math.sqrt(size) * away + away**2 + _UNDERFLOW
    if not math.isfinite(smooth):
        return ROUNDING * (level + size + x * x) + _UNDERFLOW
    if column == "squared_gradient":
        off = smooth * away
        return 2 * math.sqrt(size) * off + off**2 + _UNDERFLOW
    summed = _OPERATIONS * UNIT * terms * (2 * level + size)
    return summed + math.sqrt(2 * smooth * size) * away + smooth * away**2 / 2 + _UNDERFLOW
