"""Numbers as people read them: few digits, and never an inf, a nan or a silent zero."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, localcontext
from fractions import Fraction

_SUPERSCRIPT = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
NOTHING = "-"


def plain(value: float | None, log10: float | None = None, digits: int = 4) -> str:
    """ASCII, for a terminal: ``0.2493``, ``1.5e-07``, ``10^312.4`` where no float can hold it."""
    beyond = value is None or not math.isfinite(value)
    if beyond or (value == 0 and log10 is not None):  # a zero with a logarithm is an underflow
        return NOTHING if log10 is None or not math.isfinite(log10) else f"10^{log10:.1f}"
    assert value is not None
    if value == int(value) and abs(value) < 10**6:
        return str(int(value))
    return f"{value:.{digits}g}"


def brief(value: float | None, log10: float | None = None, digits: int = 3) -> str:
    """``plain``, where room is short."""
    return plain(value, log10, digits)


def shown(value: object) -> str:
    """A cell of a table: a float with few digits, ``-`` for None, anything else as it is."""
    if isinstance(value, float):
        return plain(value)
    return NOTHING if value is None else str(value)


def typeset(value: float | None, log10: float | None = None, digits: int = 4) -> str:
    """Unicode, for a page or a figure: ``0.2493``, ``1.5 × 10⁻⁷``, ``10^312.4``."""
    text = plain(value, log10, digits)
    if "e" not in text:
        return text.replace("-", "−") if text != NOTHING else "–"
    mantissa, exponent = text.split("e")
    return f"{mantissa} × 10{str(int(exponent)).translate(_SUPERSCRIPT)}".replace("-", "−")


def percent(share: float) -> str:
    """``37 %``, ``0.4 %``, ``< 0.1 %``; large ones as a multiple, ``12 ×``."""
    size = abs(share) * 100
    if size == 0:
        return "0 %"
    if size < 0.1:
        return "< 0.1 %"
    if size >= 1000:
        return f"{typeset(share, digits=3)} ×"
    return f"{size:.1f} %" if size < 10 else f"{size:.0f} %"


def decimal(value: Fraction, *, up: bool = True) -> str:
    """Six digits of a number, not below it, or not above it; what is below 1 stays so.

    >>> decimal(Fraction(2, 3)), decimal(Fraction(2, 3), up=False), decimal(1 - Fraction(1, 10**8))
    ('0.666667', '0.666666', '1 - 0.00000001')
    """
    rounding = ROUND_CEILING if up else ROUND_FLOOR
    with localcontext(prec=6, rounding=rounding):
        near = Decimal(value.numerator) / Decimal(value.denominator)
    return f"1 - {decimal(1 - value, up=False)}" if value < 1 <= near else f"{near:f}"
