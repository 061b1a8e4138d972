"""A counterexample made small: fewer clients, rounds and options, and rounder numbers.

First comes the smallest instance with several clients in which all is on that the claim is about
(``features``), as far as there is one. What is smaller without that comes second.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from theorylab.falsify.features import Features
from theorylab.falsify.instances import (
    Instance,
    copied,
    is_run,
    numbers_in,
    replaced,
    shape_of,
    with_clients,
)
from theorylab.falsify.rounding import shortened
from theorylab.falsify.scope import Scope
from theorylab.falsify.score import FINAL_SEEDS, Judge, proven
from theorylab.scripts.base import NAMES
from theorylab.verdicts import Result

_COUNTS = ("clients", "rounds", "terms", "T", "M")
_PLAIN = ("complete", "ring", "directed-ring")
_ROOM = 1.02  # a smaller instance must still exceed its bound by 2 %, or it teaches nothing
_WRITTEN = 16  # numbers of a drawn instance that are written out
Allowed = Callable[[Instance], bool]


def shrunk(
    instance: Instance,
    result: Result,
    judge: Judge,
    allowed: Callable[[Instance], bool] = lambda made: True,
) -> tuple[Instance, Result]:
    """The smallest ``allowed`` instance that one change at a time reaches and still is VIOLATED.

    Stops at ``judge``'s deadline with the smallest one so far.
    """
    best, shown = instance, result
    room = min(_ROOM, result.ratio or _ROOM)
    going = True
    while going and not judge.over:
        going = False
        for smaller in candidates(best):
            if judge.over:
                break
            if not allowed(smaller):
                continue
            _, found = judge(smaller)
            if found is None or not proven(found) or not (found.ratio or 0) >= room:
                continue
            best, shown, going = smaller, found, True
            break
    return best, shown


def size(instance: Mapping[str, Any]) -> tuple[int, int, int]:
    """What shrinking makes smaller, first things first: clients times rounds times coordinates,
    entries, digits."""
    counts = _dim(instance)
    for key in ("clients", "rounds"):
        value = instance.get(key, 1)
        counts *= value if isinstance(value, int) else 1
    return counts, len(numbers_in(instance)), len(json.dumps(instance))


def _dim(instance: Mapping[str, Any]) -> int:
    """Coordinates of a model; 1 where the instance is no run's, or has no problem like this."""
    try:
        return shape_of(instance).dim if is_run(instance) else 1
    except (ValueError, TypeError, KeyError):
        return 1


def candidates(instance: Instance) -> Iterator[Instance]:
    """Simpler instances, boldest first."""
    own = size(instance)
    for made in _simpler(instance):
        if size(made) < own:
            yield made


def _simpler(instance: Instance) -> Iterator[Instance]:
    # Few clients on a plain network at once: an edge list rarely survives losing one client.
    if isinstance(instance.get("topology"), Mapping) and isinstance(instance.get("clients"), int):
        for few in (1, 2, 3, 4):
            for network in _PLAIN:
                yield {**_of_clients(instance, few), "topology": {"name": network}}
    for key in _COUNTS:
        value = instance.get(key)
        if isinstance(value, int):
            least = {value - 1} if value <= 16 else set()  # or thousands of steps by one
            for other in sorted({1, 2, value // 8, value // 2, 3 * value // 4, *least}):
                if 0 < other < value and key == "clients":
                    yield _of_clients(instance, other)
                elif 0 < other < value:
                    yield {**copied(instance), key: other}
    if _dim(instance) > 1:
        base = isinstance(instance["problem"].get("base"), Mapping)
        for few in (1, 2):
            yield replaced(instance, ("problem", *(["base"] if base else []), "dim"), few)
    for at in list(_keys(instance)):
        if at[-1] != "name":
            yield _without(instance, at)
    for at, number in numbers_in(instance):
        if at[0] in _COUNTS:
            continue
        rounder: list[int | float] = [float(f"{number:.{digits}g}") for digits in (1, 2, 3)]
        if isinstance(number, int):
            rounder = [o for o in (0, 1, 2, number // 2, number - 1) if 0 <= o < number]
        for made in rounder:
            if made != number:
                yield replaced(instance, at, made)


def _of_clients(instance: Instance, few: int) -> Instance:
    """Of a run, lists with an entry a client follow."""
    made: Instance = {**copied(instance), "clients": few}
    try:
        return with_clients(instance, few) if is_run(instance) else made
    except (ValueError, TypeError, KeyError, AttributeError):
        return made


def _keys(data: Any, at: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Paths of everything that could be left out: options and list entries."""
    if isinstance(data, Mapping):
        for key, value in data.items():
            yield (*at, key)
            yield from _keys(value, (*at, key))
    elif isinstance(data, list) and at and len(data) > 1:
        for index in range(len(data)):
            yield (*at, index)


def _without(instance: Instance, at: tuple[str | int, ...]) -> Instance:
    made: Any = copied(instance)
    inner = made
    for key in at[:-1]:
        inner = inner[key]
    del inner[at[-1]]
    return dict(made)


class Small(NamedTuple):
    """An instance that breaks the claim, its result, and the seed of that."""

    instance: Instance
    result: Result
    seed: int


def smallest(
    found: Small, judge: Judge, scope: Scope, allowed: Allowed, seconds: float
) -> tuple[Small, Small | None]:
    """(The smallest in which all is on that can be, the smallest of all or None where that is it).

    Args:
        judge: of the search. allowed: says of an instance whether it may be told. seconds: of the
            judge's clock that each of the two may take: a small example is the point.
    """
    features = Features(scope)

    def sure(seed: int) -> Judge:
        ends = judge.clock() + seconds
        return Judge(judge.statement, judge.version, FINAL_SEEDS, seed, ends, clock=judge.clock)

    asked = sure(found.seed)
    try:
        whole = _with_all_on(found, asked, features, allowed)
    except Exception as error:
        whole = _stands(found, error)
    have = features.on(whole.instance)
    told = _made_small(whole, asked, sure, lambda i: allowed(i) and features.on(i) >= have)
    asked.deadline = judge.clock() + seconds
    least = _made_small(told, asked, sure, allowed) if have else told
    lost = features.on(told.instance) - features.on(least.instance)
    return told, least if lost and size(least.instance) < size(told.instance) else None


def _with_all_on(found: Small, judge: Judge, features: Features, allowed: Allowed) -> Small:
    """The same with more on, move by move, for as long as it breaks the claim."""
    instance, result, seed = found
    going = True
    while going:
        going = False
        for made in features.with_more(instance):
            if judge.over:
                break
            again = judge(made)[1] if allowed(made) else None
            if again is not None and proven(again):
                instance, result, going = made, again, True
                break
    return Small(instance, result, seed)


def _made_small(
    found: Small, judge: Judge, sure: Callable[[int], Judge], allowed: Allowed
) -> Small:
    """The smallest ``allowed`` instance; of what is sampled with runs of its own, as the smallest
    of many that the same runs refute may owe it to them. Its few drawn numbers are written out."""
    statement, version = judge.statement, judge.version
    try:
        instance, result = shrunk(found.instance, found.result, judge, allowed)
    except Exception as error:
        return _stands(found, error)
    small = Small(instance, result, found.seed)
    one_is_enough = statement.quantity_of(statement.versions[version]).pathwise
    if result.runs > 1 and not one_is_enough and instance != found.instance:
        again = sure(found.seed + 1)(instance)[1]
        kept = again is not None and proven(again)
        small = Small(instance, again, found.seed + 1) if again and kept else found
    return _rounded(small, judge, allowed)


def _stands(found: Small, error: Exception) -> Small:
    """What was found: it stands, however large it is."""
    told = f"{type(error).__name__}: {error}"
    warnings.warn(f"falsify: it could not be made smaller ({told})", stacklevel=2)
    return found


def _rounded(small: Small, judge: Judge, allowed: Allowed) -> Small:
    """With few drawn numbers written out, in as few digits as it stands with."""
    result, digits = shortened(
        judge.statement, small.result, small.seed, seeds=FINAL_SEEDS, most=_WRITTEN
    )
    parts = result.instance.items()
    instance = {key: part for key, part in parts if key not in NAMES and part != {}}
    return Small(instance, result, small.seed) if digits and allowed(instance) else small
