"""Moves of an instance's sweep: its values by decades, more of them, and one of them alone.

An assumption that holds from some size on is met only far out, and a claim that holds nearby may be
false there. The sweep of an order is part of the claim, so that no order has these moves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from theorylab.falsify.instances import Instance, Move, replaced
from theorylab.verdicts.sweep import KEY, Sweep

_VALUES = KEY, "values"
_FIRST = (10**3, 10**5, 10**7, 10**9)  # values of a count that a sweep may begin with


def values_of(instance: Mapping[str, Any]) -> list[Any]:
    """The values of its sweep; none where there is no sweep."""
    sweep = instance.get(KEY)
    if not isinstance(sweep, Mapping) or not isinstance(sweep.get("parameter"), str):
        return []  # none, or an option of that name that an experiment has for itself
    values = sweep.get("values")
    numbers = isinstance(values, list) and all(type(v) in (int, float) and v > 0 for v in values)
    return list(values) if numbers and values else []


def at_values(instance: Mapping[str, Any]) -> list[Instance]:
    """The instance at every value of its sweep; none where there is no sweep, or none that can
    be followed."""
    if not values_of(instance):
        return []
    try:
        sweep, rest = Sweep.of("search", instance, least=1)
        return [sweep.at("search", rest, value) for value in sweep.values]
    except (ValueError, TypeError, KeyError, OverflowError):
        return []


def sweep_times(instance: Mapping[str, Any], factor: float) -> Instance | None:
    """The same with all values of the sweep times ``factor``; None where that is no other one.

    >>> sweep_times({"sweep": {"parameter": "rounds", "values": [10, 40]}}, 10.0)
    {'sweep': {'parameter': 'rounds', 'values': [100, 400]}}
    """
    values = values_of(instance)
    made = [max(1, round(v * factor)) if type(v) is int else v * factor for v in values]
    return replaced(instance, _VALUES, made) if made != values else None


def sweep_moves(instance: Mapping[str, Any]) -> Iterator[Move]:
    """The structural moves of the sweep."""
    values = values_of(instance)
    if not values or instance[KEY].get("each"):  # which has a part for each value
        return
    first = values[0]
    for other in _FIRST if type(first) is int else ():
        made = sweep_times(instance, other / first)
        if made is not None:
            yield f"sweep: from {other:g} on", made
    if type(first) is int:
        yield "sweep: five decades", replaced(instance, _VALUES, [first * 10**k for k in range(5)])
    for factor in () if type(first) is int else (1e-3, 1e3):
        made = sweep_times(instance, factor)
        if made is not None:
            yield f"sweep: times {factor:g}", made
    if len(values) > 1:
        yield "sweep: the last alone", replaced(instance, _VALUES, values[-1:])
    for made in at_values(instance)[-1:]:  # an instance by itself, where the claim is no order
        yield "sweep: none, at its last value", made
