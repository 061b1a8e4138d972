"""What judging an instance costs, by the counts in it, and the largest counts that are searched."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from theorylab.algorithms import ALGORITHMS
from theorylab.falsify.instances import Instance, numbers_in
from theorylab.falsify.sweep_moves import at_values
from theorylab.metrics import METRICS
from theorylab.own import is_own
from theorylab.statements import Statement

LONGEST = 4096  # rounds of a searched instance: longer runs cost more than they show
LARGEST = 24  # clients
COUNTS = {
    *("rounds", "clients", "terms", "local_steps", "tau", "dim", "hyper", "size", "outputs"),
    *("probes", "powers", "last", "steps", "population", "batch", "at", "sizes"),
    *("steps_u", "steps_v"),
}
_SWEPT, _CLOSED = "swept", "closed"  # of what limits hold
_MOST_SWEPT = 64 * LONGEST * LARGEST  # counts multiplied, at one value of a sweep


def cost(instance: Mapping[str, Any]) -> tuple[int, int]:
    """Orders instances by what they cost: losses on data last, before them what is sampled or has
    a drawn network (whose constants need every pair of rounds), then by ``bulk``."""
    options = instance.get("problem")
    if isinstance(options, Mapping) and ("batch" in options or "partition" in options):
        kind = 2
    else:
        drawn = str(name_in(instance, "topology")).startswith(("random", "sto-", "erdos"))
        noisy = isinstance(options, Mapping) and bool(options.get("sigma"))
        kind = int(drawn or noisy)
    return kind, bulk(instance)


def bulk(instance: Mapping[str, Any]) -> int:
    """What judging costs, up to a factor: all counts multiplied, of a list its largest."""
    largest: dict[tuple[str | int, ...], int] = {}
    for at, value in numbers_in(instance):
        named = tuple(key for key in at if isinstance(key, str))
        if isinstance(value, int) and named[-1] in COUNTS:
            largest[named] = max(value, largest.get(named, 1))
    return math.prod(largest.values())


def limits(statement: Statement, version: str) -> dict[str, int]:
    """Most rounds and clients of a searched instance, and most of all counts multiplied where a
    sweep sets them: at least those of the version's checks."""
    checks = statement.versions[version].checks
    given = [check.instance for check in checks if not check.control]
    at = [one for instance in given for one in at_values(instance)]
    least = {"rounds": LONGEST, "clients": LARGEST}
    most = {key: max([few, *(_count(i, key) for i in (*given, *at))]) for key, few in least.items()}
    quantity = statement.quantity_of(statement.versions[version])
    made = METRICS.get(quantity.column), ALGORITHMS.get(statement.algorithm)
    if all(kind is not None and is_own(kind) for kind in made):  # moments may have a closed form
        most[_CLOSED] = 1
    most[_SWEPT] = max([_MOST_SWEPT, *(bulk(_followed(one, most)) for one in at)])
    return most


def too_large(instance: Mapping[str, Any], most: Mapping[str, int]) -> bool:
    """Whether a count of the instance is above its limit, at any value of its sweep."""
    at = [_followed(one, most) for one in at_values(instance)]
    counts = ((_count(i, key), most[key]) for i in (instance, *at) for key in ("rounds", "clients"))
    return any(count > limit for count, limit in counts) or any(bulk(i) > most[_SWEPT] for i in at)


def _followed(instance: Instance, most: Mapping[str, int]) -> Instance:
    """Without the rounds where moments are followed in closed form: many cost no more than few."""
    if _CLOSED not in most or instance.get("law") != "moments":
        return instance
    return {key: value for key, value in instance.items() if key not in ("rounds", "at")}


def _count(instance: Mapping[str, Any], key: str) -> int:
    value = instance.get(key)
    return value if isinstance(value, int) else 0


def name_in(instance: Mapping[str, Any], part: str) -> Any:
    options = instance.get(part)
    return options.get("name") if isinstance(options, Mapping) else None
