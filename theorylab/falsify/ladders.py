"""Ladders: several numbers of an instance that move together by one factor, and how one is climbed.

What a statement's order is about moves along a ladder: many small local steps that go as far as few
large ones, many short rounds that last as long as few, the same losses in other units. A ladder is
a function of the instance and a number of decades, and gives None where it has nothing to move.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from theorylab.falsify.costs import COUNTS as COUNTED
from theorylab.falsify.instances import (
    Instance,
    copied,
    is_run,
    last_seen,
    moves_of,
    with_clients,
    with_rounds,
)
from theorylab.falsify.sweep_moves import sweep_times, values_of
from theorylab.verdicts.sweep import KEY as SWEEP

Ladder = Callable[[Mapping[str, Any], float], Instance | None]
STEPS = ("eta", "eta_u", "eta_v", "beta", "server_eta")
COUNTS = ("local_steps", "steps_u", "steps_v", "tau")
_NOISES = ("sigma", "sigma_u", "sigma_v")
_TO_ONE = "1 - "
LONGER = {  # judging costs in proportion to what grows
    *("local steps", "local steps at fixed eta K", "rounds", "rounds at fixed eta T", "clients"),
}


def times(data: Any, factor: float) -> Any:
    """Every number in it, times ``factor``."""
    if isinstance(data, list):
        return [times(each, factor) for each in data]
    return data * factor if isinstance(data, int | float) and not isinstance(data, bool) else data


def _options(instance: Mapping[str, Any]) -> dict[str, Any]:
    given = instance.get("algorithm")
    return dict(given) if isinstance(given, Mapping) else {}


def _is_step(options: Mapping[str, Any], key: str) -> bool:
    return (key in STEPS or _is_of_heads(options, key)) and isinstance(options[key], float)


def _is_of_heads(options: Mapping[str, Any], key: str) -> bool:
    """Whether it is deprl's step of the heads; elsewhere alpha is momentum."""
    return key == "alpha" and "tau" in options


def _steps(instance: Mapping[str, Any], factor: float, only: str = "") -> Instance | None:
    options = _options(instance)
    moved = [key for key in options if _is_step(options, key) and only in ("", key)]
    if not moved:
        return None
    options |= {key: options[key] * factor for key in moved}
    return {**instance, "algorithm": options}


def _counts(instance: Mapping[str, Any], factor: float, only: str = "") -> Instance | None:
    options = _options(instance)
    moved = [k for k in COUNTS if isinstance(options.get(k), int) and only in ("", k)]
    changed = {key: max(1, round(options[key] * factor)) for key in moved}
    if not moved or all(options[key] == value for key, value in changed.items()):
        return None
    return {**instance, "algorithm": options | changed}


def _rounds(instance: Mapping[str, Any], factor: float) -> Instance | None:
    rounds = max(1, round(instance["rounds"] * factor))
    if rounds == instance["rounds"]:
        return None
    made = with_rounds(instance, rounds)
    if isinstance(made.get("at"), list) and made["at"]:
        last = last_seen(instance, made["rounds"])
        made["at"] = sorted({max(1, min(round(t * factor), last)) for t in instance["at"]})
    return made


def _scaled(instance: Mapping[str, Any], kind: str, factor: float) -> Instance | None:
    """The options of the loss that are of one kind: its ``curvature``, or a ``length``."""
    made = copied(instance)
    options = made["problem"]
    inner = options["base"] if isinstance(options.get("base"), Mapping) else options
    moved = [key for key in getattr(moves_of(inner), kind) if key in inner]
    for key in moved:
        inner[key] = times(inner[key], factor)
    return made if moved else None


def _noise(instance: Mapping[str, Any], factor: float) -> Instance | None:
    made = copied(instance)
    moved = [key for key in _NOISES if made["problem"].get(key)]
    for key in moved:
        made["problem"][key] *= factor
    return made if moved else None


def _both(one: Instance | None, then: Callable[[Instance], Instance | None]) -> Instance | None:
    return None if one is None else then(one)


def _radius(instance: Mapping[str, Any], factor: float) -> Instance | None:
    options = _options(instance)
    if not options.get("rho"):
        return None
    return {
        **instance,
        "algorithm": {**options, "rho": options["rho"] * factor},
    }


def _gap(instance: Mapping[str, Any], factor: float) -> Instance | None:
    """1 - momentum falls."""
    options = _options(instance)
    key = "momentum" if "momentum" in options else "alpha"
    value = options.get(key)
    if not isinstance(value, float) or _is_step(options, key) or not 0 <= value < 1:
        return None
    return {
        **instance,
        "algorithm": {**options, key: 1 - (1 - value) / factor},
    }


def with_option(instance: Mapping[str, Any], key: str, value: float) -> Instance | None:
    """Another momentum, SAM radius or count of the algorithm; None where it has no such thing."""
    options = _options(instance)
    given = options.get(key)
    if type(given) not in (int, float) or given == value or _is_of_heads(options, key):
        return None
    return {**instance, "algorithm": {**options, key: value}}


def _far(instance: Mapping[str, Any], factor: float) -> Instance | None:
    x0 = instance.get("x0", 0.0)
    made = times(x0, factor)
    return None if made == x0 else {**instance, "x0": made}


def _crowd(instance: Mapping[str, Any], factor: float) -> Instance | None:
    clients = max(1, round(instance["clients"] * factor))
    return None if clients == instance["clients"] else with_clients(instance, clients)


def _other_units(instance: Mapping[str, Any], factor: float) -> Instance | None:
    """f times the factor, and the steps by its inverse: the same path."""
    return _both(_scaled(instance, "curvature", factor), lambda made: _steps(made, 1 / factor))


def _other_lengths(instance: Mapping[str, Any], factor: float) -> Instance | None:
    """x times the factor."""
    one = _scaled(instance, "length", factor)
    return _far(instance, factor) if one is None else (_far(one, factor) or one)


LADDERS: dict[str, Ladder] = {
    "steps": lambda i, k: _steps(i, 10.0**k),
    "eta_u": lambda i, k: _steps(i, 10.0**k, "eta_u"),
    "eta_v": lambda i, k: _steps(i, 10.0**k, "eta_v"),
    "head step": lambda i, k: _steps(i, 10.0**k, "alpha"),
    "shared step": lambda i, k: _steps(i, 10.0**k, "beta"),
    "local steps at fixed eta K": lambda i, k: _both(
        _counts(i, 10.0**k), lambda made: _steps(made, 10.0**-k)
    ),
    "local steps": lambda i, k: _counts(i, 10.0**k),
    "rounds at fixed eta T": lambda i, k: _both(
        _rounds(i, 10.0**k), lambda made: _steps(made, 10.0**-k)
    ),
    "rounds": lambda i, k: _rounds(i, 10.0**k),
    "clients": lambda i, k: _crowd(i, 2.0**k),
    "start": lambda i, k: _far(i, 10.0**k),
    "centres": lambda i, k: _scaled(i, "length", 10.0**k),
    "curvature": lambda i, k: _scaled(i, "curvature", 10.0**k),
    "units of f": lambda i, k: _other_units(i, 10.0**k),
    "units of x": lambda i, k: _other_lengths(i, 10.0**k),
    "noise": lambda i, k: _noise(i, 10.0**k),
    "radius": lambda i, k: _radius(i, 10.0**k),
    "momentum to 1": lambda i, k: _gap(i, 10.0**k),
    SWEEP: lambda i, k: sweep_times(i, 10.0**k),
}


def ladders(instance: Mapping[str, Any]) -> list[str]:
    """The names of the ladders that an instance may be on.

    An experiment has one for every number and every list of numbers, and one for what a number
    between 0 and 1 leaves to 1.

    >>> ladders({"terms": [1, 2], "place": {"step": 0.3}})
    ['terms', 'place.step', '1 - place.step']
    """
    if not is_run(instance):
        return list(_numbers(instance))
    return [name for name in LADDERS if name != SWEEP or values_of(instance)]


def climbed(name: str, instance: Mapping[str, Any], decades: float) -> Instance | None:
    """The instance some decades along a ladder; None where it has nothing to move there."""
    try:
        if is_run(instance):
            return LADDERS[name](instance, decades)
        return _moved(instance, name, 10.0**decades)
    except (ValueError, TypeError, KeyError, OverflowError):
        return None


def is_longer(name: str) -> bool:
    """Whether judging costs more, the farther one is along the ladder."""
    return name in LONGER or is_count(name)


def is_count(name: str) -> bool:
    """Whether it is the ladder of something that an experiment counts: ten times of it are much."""
    return name.rpartition(".")[2] in COUNTED


def _numbers(data: Mapping[str, Any], at: str = "") -> Iterator[str]:
    for key, value in data.items():
        name = f"{at}{key}"
        if isinstance(value, Mapping) and key not in ("sweep", "constants"):
            yield from _numbers(value, f"{name}.")
        elif key != "seed" and times(value, 2.0) != value:
            yield name
            if isinstance(value, float) and 0 < value < 1:
                yield f"{_TO_ONE}{name}"


def _moved(instance: Mapping[str, Any], name: str, factor: float) -> Instance | None:
    made = copied(instance)
    inner, *keys = made, *name.removeprefix(_TO_ONE).split(".")
    for key in keys[:-1]:
        inner = inner[key]
    before, key = inner[keys[-1]], keys[-1]
    if name.startswith(_TO_ONE):
        inner[key] = 1 - (1 - before) / factor
    else:
        inner[key] = _whole(before, factor)
    return None if inner[key] == before else made


def _whole(data: Any, factor: float) -> Any:
    """Every number in it, times the factor; a count stays one."""
    if isinstance(data, list):
        return [_whole(each, factor) for each in data]
    return max(1, round(data * factor)) if type(data) is int else times(data, factor)
