"""Where an assumption ends: options set so that what limits them holds with a thousandth to spare.

The assumption's own relation is solved for the option, all other constants as they are. An instance
outside comes inside that way, and one inside comes to the largest step that it may take.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray

from theorylab.falsify.moves import Instance, Path, numbers_in, replaced
from theorylab.falsify.screen import Limit
from theorylab.known import Known
from theorylab.symbols import meaning_of, name_of

Factors = NDArray[Any]
Constants = Mapping[sp.Symbol, Known]
SHARE = 0.999  # of a limit that an option reaches
_DECADES = 15  # that are looked at, up and down
_PARTS, _PASSES = 64, 5  # of a decade, and of the part where it ends, and so on
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
) -> Callable[[Factors], NDArray[np.bool_]]:
    def inside(factors: Factors) -> NDArray[np.bool_]:
        moved = {symbol: float(constants[symbol].value) * factors for symbol in group}
        there = np.ones(len(factors), bool)
        for test in limits:
            assert test.sides is not None
            less, more = (side.along(constants, moved, len(factors)) for side in test.sides)
            with np.errstate(all="ignore"):
                there &= less <= np.where(more > 0, SHARE * more, more / SHARE)
        return there

    return inside


def _largest(inside: Callable[[Factors], NDArray[np.bool_]]) -> float | None:
    """The largest factor up to which all is inside, near 1; None where there is no such limit."""
    decades = np.arange(_DECADES)
    larger, smaller = inside(10.0**decades), inside(10.0**-decades)
    if larger.all() or not smaller.any():
        return None
    exponent = -int(smaller.argmax()) if not larger[0] else int(larger.argmin()) - 1
    low, high = 10.0**exponent, 10.0 ** (exponent + 1)
    for _ in range(_PASSES):
        between = np.geomspace(low, high, _PARTS + 1)
        last = int(np.append(inside(between[1:-1]), False).argmin())
        low, high = float(between[last]), float(between[last + 1])
    return low
