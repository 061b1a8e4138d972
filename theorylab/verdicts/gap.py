"""f - f*, made of the column loss of a run."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.known import How
from theorylab.runs import Setting, Trace
from theorylab.statements import Quantity
from theorylab.verdicts.rounding import state_rounding
from theorylab.verdicts.support import support_of_column

Floats = NDArray[Any]
SUBOPTIMALITY = "suboptimality"  # made of the column loss and f*


def recorded(quantity: Quantity) -> str:
    """The column of the run that the quantity is made of."""
    return "loss" if quantity.column == SUBOPTIMALITY else quantity.column


def with_suboptimality(trace: Trace, setting: Setting, quantity: Quantity) -> Trace:
    """loss - f*, where f* is exact, or enclosed for a formula: the rounding has its width. A lower
    bound on f* alone would make the measured side too large."""
    if setting.problem.is_field and recorded(quantity) in ("loss", "own_loss"):
        raise ValueError(
            f"last_{quantity.column}: {setting.problem.name} is a saddle problem, whose payoff no "
            "method descends, and it has no f*; need squared_distance, squared_gradient or a metric"
        )
    if quantity.column != SUBOPTIMALITY:
        return trace
    best = setting.problem.constants().get("f_star")
    if best is None:
        raise ValueError(f"last_suboptimality: f* of {setting.problem.name} is not known; need it")
    enclosed = best.how is How.CERTIFIED and setting.problem.formula is not None
    if not enclosed and not (best.at_least and best.at_most):
        raise ValueError(
            f"last_suboptimality: f* of {setting.problem.name} is only known as a "
            f"{best.how.value} bound; need an exact one, or a formula's"
        )
    least = 0.0
    if support_of_column(setting, SUBOPTIMALITY).floor == 0:
        least = state_rounding(setting, trace.size, SUBOPTIMALITY)(np.zeros(1))
    both: list[dict[str, Floats]] = [
        {**table, SUBOPTIMALITY: _gap(table["loss"] - best.value, least)}
        for table in (trace.columns, trace.last, trace.iterate)
        if "loss" in table
    ]
    return replace(trace, columns=both[0], last=both[1], iterate=(both[2:] or [{}])[0])


def _gap(gap: Floats, room: float) -> Floats:
    """``gap``, but 0 where rounding alone puts it below."""
    return np.where((gap < 0) & (gap >= -room), 0.0, gap)
