"""What of a state after many rounds is rounding: absolute, where things cancel.

Near a minimum ``f(x) - f*``, a gradient and a consensus error are differences of numbers that are
much larger, so their error is no share of themselves: a measured 0 says nothing of 1e-59.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.formulas import Formula
from theorylab.known import UNIT, How, Known
from theorylab.problems import Problem, minimiser, minimiser_off
from theorylab.runs import Setting
from theorylab.verdicts.case import ROUNDING

_OPERATIONS = 8  # roundings that an entry of a state, or a term of a sum, goes through in a round
_MORE = 16  # times as many, of a gradient of which no smoothness is known
_UNDERFLOW = 2.0**-1000  # a square of less than 2^-511 is no number of full precision
_UNKNOWN = Known(math.inf, How.UPPER, "not known")

Floats = NDArray[Any]


def state_rounding(setting: Setting, models: float, column: str) -> Callable[[Floats], float]:
    """The absolute error of ``column`` of a state, as a function of its values (R,): the largest
    over the runs. models: the largest |entry| of x^0 .. that state.

    An entry of x^t is off by 8 eps (T + n + d) times the largest that the models have, as a method
    leaves it whose errors do not grow, and by L of that in a gradient. 0 for other columns; where
    no L is known the error is 16 times as many roundings of what cancels, at most 1e-9 of it. A
    minimiser is off as ``off_minimiser`` says. Of an enclosed f* see ``_of_enclosed``.
    """
    if column not in ("suboptimality", "squared_gradient", "consensus", "squared_distance"):
        return lambda values: 0.0
    problem, known = setting.problem, setting.problem.constants()
    smooth = known.get(problem.smooth_and_convex[0], _UNKNOWN).value
    level = abs(known["f_star"].value) if column == "suboptimality" else 0.0
    terms = problem.clients * problem.dim
    x = max(models, float(np.abs(setting.start).max()))
    steps = setting.rounds + problem.clients + problem.dim
    away = _OPERATIONS * UNIT * steps * x * math.sqrt(terms)
    if column == "suboptimality" and known["f_star"].how is How.CERTIFIED:
        return _of_enclosed(problem, known, x, away)
    if column == "squared_distance":
        away += off_minimiser(problem)

    unknown = min(ROUNDING, _MORE * _OPERATIONS * UNIT * steps)

    def room(values: Floats) -> float:
        size = float(np.abs(values).max())
        if column in ("consensus", "squared_distance"):
            return 2 * math.sqrt(size) * away + away**2 + _UNDERFLOW
        if not math.isfinite(smooth):
            return unknown * (level + size + x * x) + _UNDERFLOW
        if column == "squared_gradient":
            off = smooth * away
            return 2 * math.sqrt(size) * off + off**2 + _UNDERFLOW
        summed = _OPERATIONS * UNIT * terms * (2 * level + size)
        return summed + math.sqrt(2 * smooth * size) * away + smooth * away**2 / 2 + _UNDERFLOW

    return room


def off_minimiser(problem: Problem) -> float:
    """How far x* may be from ``minimiser(problem)``: as proved, else 8 eps d L/mu of itself."""
    best, off = minimiser(problem), minimiser_off(problem)
    assert best is not None
    if off is not None:
        return off
    known = problem.constants()
    bent = math.inf
    if "mu" in known and known["mu"].value > 0:
        bent = known.get("L", _UNKNOWN).value / known["mu"].value
    own = _OPERATIONS * UNIT * problem.dim * bent
    return (own if own < ROUNDING else ROUNDING) * float(np.linalg.norm(best))


def _of_enclosed(
    problem: Any, known: Mapping[str, Known], size: float, away: float
) -> Callable[[Floats], float]:
    """Of f - f* where f* is enclosed: the width, a 1e-9th of the largest number that computing f
    meets, and what models that are off by ``away`` change, by slopes where they are or by L."""
    formula: Formula = problem.formula
    ends = known["f_star"].enclosure
    width = math.inf if ends is None else float(ends[1] - ends[0])
    most, steep = formula.largest(size), away and formula.steepest(size + away) * away
    smooth, domain = known.get("L", _UNKNOWN).value, problem.domain
    if domain is not None:  # at the edge of a set, or beside a term, grad f is not small at x*
        smooth = math.inf
        steep += away and math.sqrt(problem.dim) * domain.steepest(size + away) * away

    def room(values: Floats) -> float:
        gap = float(np.abs(values).max())
        bent = math.sqrt(2 * smooth * (gap + width)) * away + smooth * away**2 / 2 if away else 0.0
        return width + ROUNDING * (most + gap) + min(steep, bent)

    return room
