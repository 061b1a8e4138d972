"""Where an assumption ends: options set so that what limits them holds with a thousandth to spare.

The assumption's own relation is solved for the option, all other constants as they are. An instance
outside comes inside that way, and one inside comes to the largest step that it may take, or to the
fewest rounds. Where an equality is broken, what it ties follows first.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray

from theorylab.falsify.alarm import at_most
from theorylab.falsify.equalities import tied
from theorylab.falsify.moves import Instance, Path, numbers_in, replaced
from theorylab.falsify.score import FAILURES
from theorylab.falsify.screen import Limit, Screen
from theorylab.falsify.starts import with_rounds
from theorylab.falsify.swept import sweep_times, values_of
from theorylab.known import How, Known
from theorylab.symbols import T, meaning_of, name_of
from theorylab.verdicts import guarded
from theorylab.verdicts.judge import subject_of
from theorylab.verdicts.sweep import KEY
from theorylab.verdicts.swept import Swept

Factors = NDArray[Any]
Group = Mapping[sp.Symbol, Path]
Constants = Mapping[sp.Symbol, Known]
_ROUNDS = "rounds"
_LOOK = 1.0  # seconds for the constants at one value of a sweep
SHARE = 0.999  # of a limit that an option reaches
_DECADES = 15  # that are looked at, up and down
_PARTS, _PASSES = 64, 5  # of a decade, and of the part where it ends, and so on
_STEP = (-1, 2)  # the units of a step size


def edges(screen: Screen, instance: Mapping[str, Any]) -> Iterator[tuple[str, Instance]]:
    """Where the instance that ``screen`` saw last touches what limits it; of one with a sweep,
    which no screen sees, where its least value does."""
    constants = screen.constants
    if constants is None and values_of(instance):
        quiet = np.errstate(all="ignore")
        with contextlib.suppress(*FAILURES), guarded(), quiet, at_most(_LOOK, processor=True):
            constants = _at_least(screen, instance)
    return touching(screen.assumes, instance, constants) if constants else iter(())


def _at_least(screen: Screen, instance: Mapping[str, Any]) -> Constants | None:
    """The constants at the least value of a sweep; None where the sweep is none."""
    swept = subject_of(screen.case(instance))
    if not isinstance(swept, Swept):
        return None
    least = int(np.argmin(swept.sweep.values))
    return swept.subjects[least].constants(swept.cases[least])


def turned(screen: Screen, instance: Mapping[str, Any]) -> Iterator[tuple[str, Instance]]:
    """Those boundaries of the instance that ``screen`` saw last where a term above 0 is above it
    no more: a cap does not keep what the term divides by above 0."""
    constants, place = screen.constants, screen.place
    if constants is None or place is None:
        return
    for label, group, factor in _caps(screen.assumes, instance, constants):
        there = dict(place.constants)
        for symbol in group:
            value = float(constants[symbol].value) * factor
            there[symbol] = Known(value, How.EXACT, "at its cap")
        if any(term.at(place.constants) > 0 >= term.at(there) for term in screen.terms.values()):
            yield f"cap: {label}", _at(instance, group, constants, factor)


def touching(
    tests: Sequence[Limit], instance: Mapping[str, Any], constants: Constants
) -> Iterator[tuple[str, Instance]]:
    """Labels and instances at the boundary: where an equality is broken, what keeps it; all step
    sizes together, then every option alone."""
    rules = [test.assumption.rule for test in tests]
    kept = tied(rules, instance, _moved(tests, instance, constants), constants)
    if kept is not None:
        yield "tied", kept
    for label, group, factor in _caps(tests, instance, constants):
        yield f"cap: {label}", _at(instance, group, constants, factor)
    yield from _fewest(tests, instance, constants)


def _caps(
    tests: Sequence[Limit], instance: Mapping[str, Any], constants: Constants
) -> Iterator[tuple[str, Group, float]]:
    """What moves together, and by which factor it comes to its limit."""
    moved = _moved(tests, instance, constants)
    steps = {s: at for s, at in moved.items() if meaning_of(s).units == _STEP}
    groups = [("all steps", steps)] if len(steps) > 1 else []
    groups += [(f"{at[-1]}", {s: at}) for s, at in moved.items()]
    for label, group in groups:
        limits = [test for test in tests if test.sides is not None and test.free & set(group)]
        limits = [test for test in limits if test.free <= set(constants)]
        factor = _largest(_inside(limits, group, constants)) if limits else None
        if factor is not None and abs(factor - 1) >= 1e-9:
            yield label, group, factor


def _at(instance: Mapping[str, Any], group: Group, constants: Constants, factor: float) -> Instance:
    made = dict(instance)
    for symbol, at in group.items():
        made = replaced(made, at, float(constants[symbol].value) * factor)
    return made


def _fewest(
    tests: Sequence[Limit], instance: Mapping[str, Any], constants: Constants
) -> Iterator[tuple[str, Instance]]:
    """From how many rounds on all holds that speaks of them; a sweep over them begins there."""
    swept = values_of(instance)
    values = swept if swept and instance[KEY]["parameter"] == _ROUNDS else []
    rounds = min(values) if values else instance.get(_ROUNDS)
    if type(rounds) is not int or rounds < 1:
        return
    told = {**constants, T: Known(float(rounds), How.EXACT, "of the run")}
    limits = [test for test in tests if test.sides is not None and T in test.free <= set(told)]
    if values:  # what else the sweep sets follows the rounds, and keeps what it is set for
        far = np.array([10.0**_DECADES])
        limits = [test for test in limits if _inside([test], {T: (_ROUNDS,)}, told)(far).all()]
    factor = _smallest(_inside(limits, {T: (_ROUNDS,)}, told)) if limits else None
    fewest = rounds if factor is None else math.ceil(rounds * factor)
    if fewest != rounds:
        made = sweep_times(instance, fewest / rounds) if values else with_rounds(instance, fewest)
        if made is not None:
            yield f"cap: {_ROUNDS}", made


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
    limits: Sequence[Limit], group: Group, constants: Constants
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


def _smallest(inside: Callable[[Factors], NDArray[np.bool_]]) -> float | None:
    """The smallest factor from which on all is inside, near 1; None where nothing limits it."""
    least = _largest(lambda factors: inside(1 / factors))
    return None if least is None else 1 / least


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
