"""Measured over bound: as a number to order results by, and as text."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from theorylab.report.number import percent, plain, typeset
from theorylab.words import Verdict

if TYPE_CHECKING:
    from theorylab.verdicts.result import Result


def log10_ratio(result: Result) -> float | None:
    """log10 of measured over bound, also where the ratio leaves float64.

    ``inf`` where a bound that is not positive is passed; None where a ratio has no meaning: no
    claim is made, something was not measured, or both sides are at most 0.
    """
    if not Verdict[result.verdict].word.applies or result.measured is None:
        return None
    if result.log10_bound is not None:
        measured = result.measured
        return math.log10(measured) - result.log10_bound if measured > 0 else -math.inf
    if result.bound is None:
        return None
    return math.inf if result.measured > result.bound else None


def ratio(result: Result, digits: int = 3) -> str:
    """For a page: ``2.44``, a power of ten beyond float64, ``bound is 0``, ``bound < 0``."""
    value, power = _parts(result)
    return _no_ratio(result) or typeset(value, power, digits=digits)


def plain_ratio(result: Result, digits: int = 3) -> str:
    """The same in ASCII, ``1.5e-07`` and ``10^-312.6``."""
    value, power = _parts(result)
    return _no_ratio(result) or plain(value, power, digits=digits)


def slack(result: Result) -> str:
    """One clause: how far the measured side is below the bound or above it; empty if unknown."""
    log = log10_ratio(result)
    if log is None or result.measured is None:
        return ""
    if log == math.inf:
        return f"the measured side is {typeset(result.measured)}, the bound {typeset(result.bound)}"
    if log == -math.inf:
        return "the measured side is 0: nothing of the bound is used"
    if log > 0:
        return f"the measured side is {ratio(result)} × the bound"
    if log < -1:
        times = typeset(10.0**-log, digits=3) if log > -300 else f"10^{-log:.1f}"
        return f"the bound is {times} × the measured side"
    used = 10.0**log
    return f"{percent(used)} of the bound is used, {percent(1 - used)} is slack"


def _no_ratio(result: Result) -> str:
    if result.log10_bound is not None or result.bound is None or result.measured is None:
        return ""
    return "bound is 0" if result.bound == 0 else "bound < 0"


def _parts(result: Result) -> tuple[float | None, float | None]:
    value = result.ratio
    if value is not None and math.isfinite(value) and value > 0:
        return value, None
    if result.measured is not None and result.measured > 0 and result.log10_bound is not None:
        return None, math.log10(result.measured) - result.log10_bound
    return value, None
