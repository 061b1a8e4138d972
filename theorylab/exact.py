"""Which rational a number is: a decimal that was typed, a fraction p/q, a float.

What a user writes is what he means. 0.1 is one tenth, though no float64 is, and "1/3" is a third. A
run takes the float64 that is nearest; assumptions are decided with the rational.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any

PRINTED = 15  # a decimal of so many digits is the only one that short in its float64
LONGEST = 1000  # characters of a number, more than any float64 has digits
_FRACTION = re.compile(r"[+-]?[0-9]+/[0-9]+")
_FARTHEST = 400  # powers of ten: beyond the range of float64

Span = tuple[Fraction, Fraction]  # the least and the largest rational that a number may be


@functools.lru_cache(maxsize=1 << 14)
def span(value: float) -> Span:
    """The rationals that a number stands for: of a float that prints at most ``PRINTED`` digits,
    and of an integer, the one that it prints; of any other, half an ulp to each side.

    >>> span(0.1)
    (Fraction(1, 10), Fraction(1, 10))
    >>> span(1 / 3)[0] < Fraction(1, 3) < span(1 / 3)[1]
    True
    """
    printed = Fraction(repr(float(value)) if isinstance(value, float) else value)
    whole = printed.denominator == 1 and abs(printed) <= 2**53
    if whole or not isinstance(value, float) or digits_of(value) <= PRINTED:
        return printed, printed
    half = Fraction(math.ulp(value)) / 2
    return Fraction(value) - half, Fraction(value) + half


def digits_of(value: float) -> int:
    """How many significant digits a float prints."""
    return len(repr(float(value)).partition("e")[0].replace(".", "").strip("-0"))


def rational_text(number: Fraction) -> str:
    """As an instance and a record spell it: "1/3"."""
    return f"{number.numerator}/{number.denominator}"


def nearest(number: Fraction, text: str = "") -> float:
    """The float64 that is run for a rational; ``text``: how it was written.

    Raises ValueError, one line, where no float64 is near: beyond the largest, or below the least
    that has all its digits.
    """
    text = text or rational_text(number)
    shown = text if len(text) <= 40 else f"{text[:30]}... of {len(text)} characters"
    try:
        made = float(number)
    except OverflowError:
        raise ValueError(f"{shown} is beyond float64; need at most 1.8e308") from None
    if number and abs(made) < 2.0**-1022:
        raise ValueError(
            f"{shown} is too small for float64, which would run {made!r}; need 0, or at least "
            "2.3e-308"
        )
    return made


def decimal_of(text: str) -> float | str:
    """A decimal as JSON and TOML have it: a float, or where that prints another rational the "p/q"
    that was written. For ``parse_float=``.

    >>> decimal_of("0.1"), decimal_of("0.50000000000000000001")
    (0.1, '50000000000000000001/100000000000000000000')
    """
    _check_length(text)
    try:
        read = Decimal(text)
    except InvalidOperation:  # of an exponent without end
        raise ValueError(_far(text, -1 if "e-" in text.lower() else 1)) from None
    if not read.is_finite():
        return float(text)
    if abs(read.adjusted()) > _FARTHEST and read:
        raise ValueError(_far(text, read.adjusted()))
    exact = Fraction(read)
    made = nearest(exact, text)
    return made if exact == Fraction(repr(made)) else rational_text(exact)


def _far(text: str, power: int) -> str:
    shown = text if len(text) <= 40 else f"{text[:30]}... of {len(text)} characters"
    if power > 0:
        return f"{shown} is beyond float64; need at most 1.8e308"
    return f"{shown} is too small for float64, which would run 0.0; need 0, or at least 2.3e-308"


def _check_length(text: str) -> None:
    if len(text) > LONGEST:
        short = f"{text[:20]}... of {len(text)} characters"
        raise ValueError(
            f"{short} has more digits than a run can have: it would run 17 of them; need at most "
            f"{LONGEST} characters"
        )


def fraction_in(text: object) -> Fraction | None:
    """The rational that "p/q" spells; None of anything else.

    Raises ValueError, one line, on a fraction over 0, one without end, or one that no float64 is
    near.
    """
    if not isinstance(text, str) or not _FRACTION.fullmatch(text[: 2 * LONGEST]):
        return None
    _check_length(text)
    above, below = text.split("/")
    if not int(below):
        raise ValueError(f"{text!r} divides by 0; need a fraction p/q")
    found = Fraction(int(above), int(below))
    nearest(found, text)
    return found


def plain(data: Any) -> Any:
    """``data`` with every number as JSON has it: one of NumPy is one of Python; a Fraction, a
    Decimal or a rational of sympy is a float where that prints it, else "p/q". What has none of
    these is ``data`` itself.

    >>> plain({"eta": Fraction(1, 3), "L": Decimal("0.5")})
    {'eta': '1/3', 'L': 0.5}
    """
    if data is None or isinstance(data, str | int | float):
        return data
    if isinstance(data, Mapping):
        made = {key: plain(value) for key, value in data.items()}
        return made if any(made[key] is not data[key] for key in made) else data
    if isinstance(data, list | tuple):
        parts = [plain(each) for each in data]
        return parts if any(a is not b for a, b in zip(parts, data, strict=True)) else data
    if isinstance(data, Decimal):
        return decimal_of(str(data))
    if getattr(data, "shape", None) == () and hasattr(data, "item"):  # a number of NumPy
        return data.item()
    if isinstance(data, Fraction) or getattr(data, "is_Rational", False):
        exact = Fraction(int(data.numerator), int(data.denominator))
        if exact.denominator == 1 and abs(exact) <= 2**53:
            return int(exact)
        near = nearest(exact)
        return near if span(near) == (exact, exact) else rational_text(exact)
    return data


def behind(data: Any) -> dict[float, Span]:
    """Of every float64 that is run for a "p/q" of ``data``: between which rationals the numbers are
    that it is run for, since another one may have been written, too.

    >>> behind([{"eta": "1/4"}, 0.1])
    {0.25: (Fraction(1, 4), Fraction(1, 4))}
    """
    fractions = [found for each in _leaves(data) if (found := fraction_in(each)) is not None]
    if not fractions:
        return {}
    made: dict[float, Span] = {}
    for exact in fractions:
        low, high = made.get(nearest(exact), (exact, exact))
        made[nearest(exact)] = min(low, exact), max(high, exact)
    for each in _leaves(data):
        if isinstance(each, int | float) and each in made:
            ends, typed = made[float(each)], span(each)
            made[float(each)] = min(ends[0], typed[0]), max(ends[1], typed[1])
    return made


def _leaves(data: Any) -> Iterator[Any]:
    if isinstance(data, Mapping | list | tuple):
        for each in data.values() if isinstance(data, Mapping) else data:
            yield from _leaves(each)
    else:
        yield data


class Written(float):
    """A float that remembers how it was written in a file, for ``parse_float=``."""

    text: str

    def __new__(cls, text: str) -> Written:
        made = super().__new__(cls, text)
        made.text = text
        return made


def as_written(data: Any) -> Any:
    """``data`` of a file, with every ``Written`` number as a float, or "p/q" (``decimal_of``)."""
    if isinstance(data, Written):
        return decimal_of(data.text)
    if isinstance(data, Mapping):
        return {key: as_written(value) for key, value in data.items()}
    return [as_written(each) for each in data] if isinstance(data, list) else data


def floated(data: Any) -> tuple[Any, dict[float, Fraction]]:
    """(``data`` with the float64 of every "p/q" in it, and the rational behind each such float).

    >>> floated({"eta": "1/4", "name": "ring"})
    ({'eta': 0.25, 'name': 'ring'}, {0.25: Fraction(1, 4)})
    """
    behind: dict[float, Fraction] = {}
    return _floated(data, behind), behind


def _floated(data: Any, behind: dict[float, Fraction]) -> Any:
    if isinstance(data, Mapping):
        return {key: _floated(value, behind) for key, value in data.items()}
    if isinstance(data, list | tuple):
        parts = [_floated(each, behind) for each in data]
        return parts if isinstance(data, list) else tuple(parts)
    found = fraction_in(data)
    if found is None:
        return data
    made = nearest(found)
    behind[made] = found
    return made
