"""Make a counterexample small: fewer clients, rounds and options, rounder numbers."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from theorylab.falsify.clients import is_run, shape_of, with_clients
from theorylab.falsify.moves import Instance, copied, numbers_in, replaced
from theorylab.falsify.score import Judge, proven
from theorylab.verdicts import Result

_COUNTS = ("clients", "rounds", "terms", "T", "M")
_PLAIN = ("complete", "ring", "directed-ring")
_ROOM = 1.02  # a smaller instance must still exceed its bound by 2 %, or it teaches nothing


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
    return counts, len(list(numbers_in(instance))), len(json.dumps(instance))


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
