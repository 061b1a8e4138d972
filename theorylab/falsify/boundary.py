"""Where an assumption ends: options set so that what limits them holds with a thousandth to spare.

The assumption's own relation is solved for the option, all other constants as they are. An instance
outside comes inside that way, and one inside comes to the largest step that it may take.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import sympy as sp

from theorylab.falsify.moves import Instance, Path, numbers_in, replaced
from theorylab.falsify.screen import Limit
from theorylab.known import How, Known
from theorylab.symbols import meaning_of, name_of

Constants = Mapping[sp.Symbol, Known]
SHARE = 0.999  # of a limit that an option reaches
_DECADES = 15  # that are looked at, up and down
_HALVINGS = 30
_STEP = (-1, 2)  # the units of a step size


def touching(
    tests: Sequence[Limit], instance: Mapping[str, Any], constants: Constants
) -> Iterator[tuple[str, Instance]]:
    """Labels and instances at the boundary: all step sizes together, then every option alone."""
    moved = _moved(tests, instance, constants)
    steps = {s: at for s, at in moved.items() if meaning_of(s).units == _STEP}
    groups = [("all steps", steps)] if len(steps) > 1 else []
    groups += [(f"{at[-1]}", {s: at}) for s, at in moved.items()]
    for label, group in groups:
        limits = [test for test in tests if test.sides is not None and test.free & set(group)]
        limits = [test for test in limits if test.free <= set(constants)]
        factor = _largest(_inside(limits, group, constants)) if limits else None
        if factor is None or abs(factor - 1) < 1e-9:
            continue
        made: Mapping[str, Any] = instance
        for symbol, at in group.items():
            made = replaced(made, at, float(constants[symbol].value) * factor)
        yield f"cap: {label}", dict(made)


def _moved(
    tests: Sequence[Limit], instance: Mapping[str, Any], constants: Constants
) -> dict[sp.Symbol, Path]:
    """The symbols of the assumptions that are options of the instance, with their paths."""
    options = [(at, value) for at, value in numbers_in(instance) if isinstance(value, float)]
    found: dict[sp.Symbol, Path] = {}
    for symbol in sorted({s for test in tests for s in test.free}, key=name_of):
        name = name_of(symbol)
        for at, value in options:
            key = str(at[-1])
            named = name == key or name.endswith(f"_{key}")
            known = constants.get(symbol)
            if named and known is not None and known.value == value and value > 0:
                found[symbol] = at
                break
    return found


def _inside(
    limits: Sequence[Limit], group: Mapping[sp.Symbol, Path], constants: Constants
) -> Callable[[float], bool]:
    def inside(factor: float) -> bool:
        here = dict(constants)
        for symbol in group:
            here[symbol] = Known(float(constants[symbol].value) * factor, How.EXACT, "moved")
        for test in limits:
            assert test.sides is not None
            less, more = (side.at(here) for side in test.sides)
            if not less <= (SHARE * more if more > 0 else more / SHARE):
                return False
        return True

    return inside


def _largest(inside: Callable[[float], bool]) -> float | None:
    """The largest factor up to which all is inside, near 1; None where there is no such limit."""
    low = 1.0
    if inside(1.0):
        high = next((10.0**k for k in range(1, _DECADES) if not inside(10.0**k)), None)
        if high is None:
            return None
        low = high / 10
    else:
        low = next((10.0**-k for k in range(1, _DECADES) if inside(10.0**-k)), math.nan)
        if math.isnan(low):
            return None
        high = 10 * low
    for _ in range(_HALVINGS):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if inside(middle) else (low, middle)
    return low
