"""Numbers so large or small that their squares leave float64: nothing is proven with them.

A number of 1e-160 has a square that float64 keeps only a few digits of, and one of 1e200 has none.
A norm, a cosine or a normalised gradient of such numbers is wrong by more than any rounding
allowance, and nothing overflows on the way. So a violation that they have a part in is left open:
in other units the same instance can be judged.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

LEAST, MOST = 1e-100, 1e100  # their squares, and a few factors more, stay inside
UNDERFLOWN = 1e-150  # of the larger side: a norm of smaller numbers has a square that underflows


def extreme(instance: Mapping[str, Any], *sides: Any) -> str:
    """A clause that names the first such number of the instance, or both sides; "" without one.

    >>> extreme({"x0": [1e-160, 0.0], "rounds": 3}, 0.1, 0.2)
    'the instance has 1e-160, whose square leaves float64; need other units'
    """
    for value in _numbers(instance):
        if value and not LEAST <= abs(value) <= MOST:
            told = f"{float(value):.3g}" if abs(value) < 1e300 else "a number above 1e300"
            return f"the instance has {told}, whose square leaves float64; need other units"
    largest = max(map(abs, sides), default=0)
    if 0 < largest < UNDERFLOWN:  # beside a larger one it does not matter how small the other is
        return f"both sides are at most {float(largest):.3g}, where squares leave float64"
    return ""


def _numbers(data: Any) -> Iterator[int | float]:
    if isinstance(data, Mapping):
        for value in data.values():
            yield from _numbers(value)
    elif isinstance(data, list | tuple):
        for value in data:
            yield from _numbers(value)
    elif isinstance(data, int | float) and not isinstance(data, bool):
        yield data
