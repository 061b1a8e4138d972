r"""A counterexample once more, by other code and in interval arithmetic.

The run is simulated in Arb balls (python-flint, ``_balls``) straight from the paper's listing:
every operation encloses its exact result, so the measured side comes out as an interval that
certainly holds it. The bound is the judge's, a number of 50 digits; where a constant in it comes
from the run itself, it is one of float64.

``_ways`` lists what is written out so, by experiment: rounds of dfedsgpsm, dfedalt, dfedsalt,
dfedpgp and deprl on quadratics and a few other losses, without noise, or with noise whose second
moments are exact. For others ``how`` says why not, and what the counterexample stands on instead.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import flint

from theorylab.falsify._enclose import Enclosure, UncoveredError
from theorylab.falsify._sweep_ways import of_sweep
from theorylab.falsify._ways import METRIC_WAYS, WAYS, of_run
from theorylab.runs.confidence import ERROR_BELOW
from theorylab.statements import Quantity, Statement
from theorylab.verdicts import Result
from theorylab.verdicts.sweep import is_swept

BITS = 256
MOST = 400_000  # gradient entries: above, balls take minutes


@dataclass(frozen=True)
class Recheck:
    """``holds``: the enclosure of the measured side lies beyond the bound; None: not done, why."""

    holds: bool | None
    low: float | None
    high: float | None
    how: str

    def as_json(self) -> dict[str, Any]:
        return {"holds": self.holds, "low": self.low, "high": self.high, "how": self.how}


def recheck(statement: Statement, version: str, result: Result, seed: int = 0) -> Recheck:
    """Enclose the measured side of a VIOLATED result and compare it with the bound.

    seed: that the result was measured with.
    """
    quantity = statement.quantity_of(statement.versions[version])
    try:
        if not is_swept(statement, version, result.instance):
            found = _enclosure(statement, quantity, result, seed)
        else:
            found = of_sweep(
                statement, version, result, lambda each: _enclosure(statement, quantity, each, seed)
            )
        if found.work > MOST:
            raise UncoveredError(f"{found.work} gradient entries are too many for balls")
        return _compared(found, result, statement.versions[version].relation)
    except UncoveredError as reason:
        return Recheck(None, None, None, f"{reason}; it stands on {_basis(quantity, result)}")


def _basis(quantity: Quantity, result: Result) -> str:
    """What a counterexample that is not re-checked rests on."""
    if quantity.pathwise:
        return f"a realisation in float64 ({result.interval})"
    if result.runs > 1:
        return (
            f"{result.runs} runs drawn anew once it was found, and a lower limit that is too high "
            f"with a chance of at most {ERROR_BELOW:g} ({result.interval})"
        )
    return f"float64 ({result.interval})"


def _enclosure(statement: Statement, quantity: Quantity, result: Result, seed: int) -> Enclosure:
    if statement.experiment in WAYS:
        return WAYS[statement.experiment](quantity.column, result, seed)
    if statement.experiment:
        raise UncoveredError(f"no interval arithmetic for the experiment {statement.experiment}")
    if quantity.weights is not None:
        raise UncoveredError("no interval arithmetic for a weighted average")
    paper = quantity.column.partition(".")[0]
    if quantity.over == "rows":
        if paper not in METRIC_WAYS:
            raise UncoveredError(f"no interval arithmetic for the metric {quantity.column}")
        return METRIC_WAYS[paper](statement.algorithm, quantity.column, result)
    return of_run(statement.algorithm, quantity.column, quantity.over, result)


def _compared(found: Enclosure, result: Result, relation: str) -> Recheck:
    before = flint.ctx.prec
    flint.ctx.prec = BITS
    try:
        ball = found.measured()
        low, high = float(ball.lower()), float(ball.upper())
    except ZeroDivisionError:
        raise UncoveredError("the balls divide by what may be 0 (a singular system)") from None
    finally:
        flint.ctx.prec = before
    if not (math.isfinite(low) and math.isfinite(high)):
        raise UncoveredError("the balls grew without limit (a gradient that may be 0)")
    if result.bound is None:
        return Recheck(None, low, high, "the bound has no float value")
    how = f"Arb balls of {BITS} bits, {found.how}"
    room = found.room * abs(result.bound)
    broken = low > result.bound + room if relation == "<=" else high < result.bound - room
    return Recheck(broken, low, high, how)
