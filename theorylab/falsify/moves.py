"""How an instance changes: every number in it, and which network or loss it names.

An instance is plain data, so the search needs no space of its own: the checks of a statement show
which options matter, and each number moves over the scales that its kind allows. A change that
makes no instance (an option out of range, a network that cannot be built) is refused by whatever
builds it, and the search goes on.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

Path = tuple[str | int, ...]
Instance = dict[str, Any]

NETWORKS: tuple[dict[str, Any], ...] = (
    {"name": "complete"},
    {"name": "ring"},
    {"name": "directed-ring"},
    {"name": "directed-exponential"},
    {"name": "one-peer-exponential"},
    {"name": "star"},
    {"name": "path"},
    {"name": "random-out", "degree": 1, "seed": 0},
    {"name": "sto-u", "seed": 0},
    {"name": "sto-d", "seed": 0},
)
LOSSES: tuple[dict[str, Any], ...] = (
    {"name": "quadratic", "dim": 1, "mu": 1.0, "L": 1.0, "seed": 0},
    {"name": "log-cosh", "dim": 1, "center": 4.0},
    {"name": "clipped-linear", "dim": 1},
    {"name": "coupled-quadratic", "seed": 0},
    {"name": "sin-sin", "seed": 0},
)
_FACTORS = (1e-6, 1e-3, 1e-2, 0.1, 0.5, 2.0, 10.0, 100.0, 1e3, 1e6)
_SHARES = (0.0, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999)
_COUNTS = (1, 2, 3, 4, 6, 8, 16, 32, 64, 128, 512, 2048)


def numbers_in(data: Any, at: Path = ()) -> Iterator[tuple[Path, int | float]]:
    """Every number of the instance with its path, depth first; bools and names are none."""
    if isinstance(data, bool) or data is None or isinstance(data, str):
        return
    if isinstance(data, int | float):
        yield at, data
    elif isinstance(data, Mapping):
        for key, value in data.items():
            yield from numbers_in(value, (*at, key))
    else:
        for index, value in enumerate(data):
            yield from numbers_in(value, (*at, index))


def replaced(instance: Mapping[str, Any], at: Path, value: Any) -> Instance:
    """A copy with another value at ``at``."""
    made: Any = copy.deepcopy(dict(instance))
    inner = made
    for key in at[:-1]:
        inner = inner[key]
    inner[at[-1]] = value
    return dict(made)


def sweeps(instance: Mapping[str, Any]) -> Iterator[Instance]:
    """Every number at each scale of its kind, one at a time; then other networks and losses."""
    for at, value in numbers_in(instance):
        for scaled in _scales(at, value):
            if scaled != value:
                yield replaced(instance, at, scaled)
    for key, others in (("topology", NETWORKS), ("problem", LOSSES)):
        if isinstance(instance.get(key), Mapping):
            for other in others:
                if other["name"] != instance[key].get("name"):
                    yield {**copy.deepcopy(dict(instance)), key: dict(other)}


def moves(instance: Mapping[str, Any], draw: np.random.Generator, count: int = 2) -> Instance:
    """A copy with about ``count`` random changes; a function of the generator's state."""
    made = copy.deepcopy(dict(instance))
    for _ in range(1 + int(draw.poisson(max(count - 1, 0)))):
        swaps = [key for key in ("topology", "problem") if isinstance(made.get(key), Mapping)]
        if swaps and draw.random() < 0.15:
            key = swaps[int(draw.integers(len(swaps)))]
            others: Sequence[Mapping[str, Any]] = NETWORKS if key == "topology" else LOSSES
            made[key] = dict(others[int(draw.integers(len(others)))])
            continue
        found = list(numbers_in(made))
        if not found:
            return made
        at, value = found[int(draw.integers(len(found)))]
        made = replaced(made, at, _moved(at, value, draw))
    return made


def _scales(at: Path, value: int | float) -> Iterator[int | float]:
    if at[-1] == "seed":
        yield from range(4)
    elif isinstance(value, int):
        yield from _COUNTS
    else:
        if 0 <= value < 1:
            yield from _SHARES
        if value == 0:
            yield from (1e-3, 0.1, 1.0, 10.0)
        yield from (value * factor for factor in _FACTORS)


def _moved(at: Path, value: int | float, draw: np.random.Generator) -> int | float:
    if at[-1] == "seed":
        return int(draw.integers(1 << 16))
    if isinstance(value, int):
        if draw.random() < 0.5:
            return max(0, value + int(draw.choice([-2, -1, 1, 2])))
        return max(1, round(value * 2 ** float(draw.normal())))
    if 0 < value < 1 and draw.random() < 0.5:  # a share: its logit moves, so 1 - value does too
        logit = math.log(value / (1 - value)) + float(draw.normal(scale=1.5))
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, logit))))
    if value == 0:
        return float(10 ** draw.uniform(-4, 1))
    if draw.random() < 0.05:
        return 0.0
    return float(value * 10 ** draw.normal(scale=0.5))
