"""Numbers of a printed formula, from logarithms in many digits to ``Known``, rounded outwards.

D^(Delta B) and p^-N leave float64 at once, and 1 - q is below the spacing of floats near 1: every
number carries its log10.
"""

from __future__ import annotations

import math
from typing import Any

import mpmath

from theorylab.known import How, Known

DIGITS = 50


def above(log: Any, source: str) -> Known:
    """The number e^log, rounded up. ``log`` is an mpmath number."""
    log10 = math.nextafter(float(log / mpmath.log(10)), math.inf)
    return Known(math.nextafter(_float(log), math.inf), How.UPPER, source, log10_value=log10)


def below(log: Any, source: str) -> Known:
    """The number e^log, rounded down."""
    log10 = math.nextafter(float(log / mpmath.log(10)), -math.inf)
    value = _float(log)
    if math.isfinite(value):
        value = math.nextafter(value, 0.0)
    return Known(value, How.LOWER, source, log10_value=log10)


def rate(name: str, log_q: Any, source: str) -> dict[str, Known]:
    """q_<name> with q = e^log_q < 1, rounded up, and gap_<name> = 1 - q, rounded down.

    q often rounds to 1.0; the logarithm of the gap still tells it apart from 1.
    """
    q = min(1.0, math.nextafter(float(mpmath.exp(log_q)), 2.0))
    log10 = min(0.0, math.nextafter(float(log_q / mpmath.log(10)), math.inf))
    gap = mpmath.log(-mpmath.expm1(log_q))
    return {
        f"q_{name}": Known(q, How.UPPER, source, log10_value=log10),
        f"gap_{name}": below(gap, f"1 - q; {source}"),
    }


def nothing(reason: str) -> Known:
    """What a formula that defines no number gives."""
    return Known(math.inf, How.EXACT, reason)


def no_rate(name: str, reason: str) -> dict[str, Known]:
    """q_<name> and gap_<name> where the formula defines none: inf and 0."""
    return {f"q_{name}": nothing(reason), f"gap_{name}": Known(0.0, How.EXACT, reason)}


def _float(log: Any) -> float:
    """e^log as a float64; inf or 0 where it does not fit."""
    return float(mpmath.exp(log)) if log < 800 else math.inf
