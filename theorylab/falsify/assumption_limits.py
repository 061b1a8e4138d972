"""Options set to where an assumption ends: to its limit with a thousandth to spare, or to equality.

The assumption's own relation is solved for one option, and all other constants stay as they are.
So an instance outside the assumptions comes inside, and an instance inside comes to the largest
step that it may take, or to the fewest rounds.

An equality is kept first. A tuned step is a function of constants, eta = 4/(sqrt L + sqrt mu)^2: a
move of the loss alone breaks it, and then every instance but the checks would lie outside. So the
option that the equality ties is set to the solution that is nearest to its value.
"""

from __future__ import annotations

import contextlib
import functools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray

from theorylab.falsify.instances import Instance, Path, numbers_in, replaced, with_rounds
from theorylab.falsify.score import FAILURES
from theorylab.falsify.screen import Limit, Screen
from theorylab.falsify.sweep_moves import sweep_times, values_of
from theorylab.falsify.time_limit import at_most
from theorylab.known import How, Known
from theorylab.symbols import T, meaning_of, name_of
from theorylab.verdicts import guarded
from theorylab.verdicts.judge import subject_of
from theorylab.verdicts.sweep import KEY
from theorylab.verdicts.swept import Swept

_TURNS = 3  # how often all equalities are solved: the option of one may stand in another
_DIGITS = 30
_SAME = 1e-15  # of a number: half an ulp of it, which is what an equality leaves
Factors = NDArray[Any]
Group = Mapping[sp.Symbol, Path]
Constants = Mapping[sp.Symbol, Known]
_ROUNDS = "rounds"
_LOOK = 1.0  # seconds for the constants at one value of a sweep
SHARE = 0.999  # an option is set to this share of its limit
_DECADES = 15  # how far up and down a limit is looked for
_PARTS, _PASSES = 64, 5  # a decade is cut into parts, and the part with the limit again
_STEP = (-1, 2)  # the units of a step size


def tied(
    rules: Sequence[sp.Basic | None],
    instance: Mapping[str, object],
    options: Mapping[sp.Symbol, Path],
    constants: Mapping[sp.Symbol, Known],
) -> Instance | None:
    """The instance with every equality kept; None where that changes nothing, or none can be.

    Args:
        rules: of the assumptions. options: where the instance has the symbols that may move.
    """
    values = {s: known.value for s, known in constants.items() if known.finite}
    ties = [rule for rule in rules if isinstance(rule, sp.Eq) and rule.free_symbols <= set(values)]
    made, moved = dict(instance), False
    for _ in range(_TURNS):
        settled = True
        for rule in ties:
            follower = _follower(rule, options)
            value = None if follower is None else _solution(rule, follower, values)
            if follower is None or value is None:
                continue
            if abs(value - values[follower]) > _SAME * abs(value):
                made = replaced(made, options[follower], value)
                values[follower], settled, moved = value, False, True
        if settled:
            break
    return made if moved else None


def _follower(rule: sp.Eq, options: Mapping[sp.Symbol, Path]) -> sp.Symbol | None:
    """The option that follows: one that stands alone on a side, else the first by its name."""
    sides = [side for side in (rule.lhs, rule.rhs) if side in options]
    inside = sorted((s for s in rule.free_symbols if s in options), key=name_of)
    return next(iter([*sides, *inside]), None)


def _solution(rule: sp.Eq, symbol: sp.Symbol, values: Mapping[sp.Symbol, float]) -> float | None:
    """Above 0, as an option that was there is, and nearest to what it was by its logarithm."""
    found = []
    for root in _roots(rule, symbol):
        here = {s: sp.Rational(repr(float(values[s]))) for s in root.free_symbols}
        value = sp.N(root.subs(here), _DIGITS)
        if value.is_Float and 0 < value < sp.Float("1e300"):
            found.append(float(value))
    return min(found, key=lambda v: abs(math.log(v / values[symbol])), default=None)


@functools.lru_cache(maxsize=256)
def _roots(rule: sp.Eq, symbol: sp.Symbol) -> tuple[sp.Expr, ...]:
    for one, other in ((rule.lhs, rule.rhs), (rule.rhs, rule.lhs)):
        if one == symbol and symbol not in other.free_symbols:
            return (other,)
    try:
        return tuple(sp.solve(rule, symbol))
    except (NotImplementedError, ValueError, TypeError):  # no closed form
        return ()


def edges(screen: Screen, instance: Mapping[str, Any]) -> Iterator[tuple[str, Instance]]:
    """The instance that ``screen`` saw last, moved to each limit of its assumptions. No screen sees
    an instance with a sweep: there, the least value of the sweep is moved."""
    constants = screen.constants
    if constants is None and values_of(instance):
        quiet = np.errstate(all="ignore")
        with contextlib.suppress(*FAILURES), guarded(), quiet, at_most(_LOOK, processor=True):
            constants = _at_least(screen, instance)
    return touching(screen.assumes, instance, constants) if constants else iter(())


def _at_least(screen: Screen, instance: Mapping[str, Any]) -> Constants | None:
    """The constants at the least value of a sweep; None where the instance has no sweep."""
    swept = subject_of(screen.case(instance))
    if not isinstance(swept, Swept):
        return None
    least = int(np.argmin(swept.sweep.values))
    return swept.subjects[least].constants(swept.cases[least])


def sign_changes(screen: Screen, instance: Mapping[str, Any]) -> Iterator[tuple[str, Instance]]:
    """The limits at which a term of the bound that is positive for the instance that ``screen`` saw
    last is no longer positive: a cap on a step may let the term's denominator fall below 0."""
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
    """Labels and instances at the limits: first the instance that keeps a broken equality, then all
    step sizes moved together, then every option moved alone, then the fewest rounds."""
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
    """A label, the symbols that move together, and the factor that brings them to their limit."""
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
    """The fewest rounds from which on every assumption about them holds; a sweep over rounds begins
    there."""
    swept = values_of(instance)
    values = swept if swept and instance[KEY]["parameter"] == _ROUNDS else []
    rounds = min(values) if values else instance.get(_ROUNDS)
    if type(rounds) is not int or rounds < 1:
        return
    told = {**constants, T: Known(float(rounds), How.EXACT, "of the run")}
    limits = [test for test in tests if test.sides is not None and T in test.free <= set(told)]
    if values:  # options that the sweep sets follow the rounds: only limits that hold far out count
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
    """The smallest factor from which on all limits hold; None where nothing limits it."""
    least = _largest(lambda factors: inside(1 / factors))
    return None if least is None else 1 / least


def _largest(inside: Callable[[Factors], NDArray[np.bool_]]) -> float | None:
    """The largest factor up to which all limits hold; None where there is no such factor."""
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
