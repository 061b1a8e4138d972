"""How an instance changes: every number in it, and which network or loss it names.

An instance is plain data, so the search needs no space of its own: the checks of a statement show
which options matter, each number moves over the scales that its kind allows, and each part (a name,
a switch, a network) over what is known at its place: ``choices``. A change that makes no instance
(an option out of range, a network that cannot be built) is refused by whatever builds it, and the
search goes on.

Which losses a search tries is said by the problems themselves (``Problem.moves``).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from theorylab.falsify.instances import (
    Instance,
    Path,
    copied,
    in_rotation,
    moves_of,
    numbers_in,
    replaced,
)
from theorylab.own import is_own
from theorylab.problems import PROBLEMS

Choices = Mapping[Path, Sequence[Any]]  # what else may stand at a path

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
# Boldest first, up and down in turn: a search may have time for the first few only.
_FACTORS = (1e3, 1e-3, 10.0, 0.1, 1e6, 1e-6, 100.0, 1e-2, 2.0, 0.5)
_SHARES = (0.0, 0.999, 0.5, 0.9, 0.01, 0.99, 0.1)
_COUNTS = (1, 2, 16, 4, 64, 3, 8, 512, 6, 32, 128, 2048)


def choices(instances: Sequence[Mapping[str, Any]]) -> dict[Path, list[Any]]:
    """The values of every part that is no number, over all ``instances``; True and False for one.

    Numbers move by themselves, and lists of numbers are theirs. A network or a loss, under any key
    of that name, can also be one of ``NETWORKS``, or a loss that fits any number of clients.
    """
    found: dict[Path, list[Any]] = {}
    for instance in instances:
        for at, value in _parts(instance):
            known = found.setdefault(at, [])
            others: Sequence[Any] = (value,)
            if isinstance(value, bool):
                others = (value, not value)
            elif isinstance(value, Mapping) and "name" in value:
                others = (value, *_swaps(str(at[-1]), value))
            known.extend(copied(o) for o in others if o not in known)
    return {at: known for at, known in found.items() if len(known) > 1}


def _swaps(key: str, value: Any) -> Sequence[dict[str, Any]]:
    if key in ("topology", "network"):
        return NETWORKS
    return anywhere(is_field(value)) if key == "problem" else ()


def _parts(data: Any, at: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Names, switches, and everything that holds other things, with their paths; lists whole."""
    if isinstance(data, Mapping):
        if at:
            yield at, data
        for key, value in data.items():
            yield from _parts(value, (*at, key))
    elif isinstance(data, bool | str | list) and at[-1] != "name":
        yield at, data


def sweeps(instance: Mapping[str, Any], others: Choices | None = None) -> Iterator[Instance]:
    """Every number at each scale of its kind, and every part at its other choices, one at a time.

    In turns: the first scale of every number and the first choice of every part, then the second.
    """
    others = choices([instance]) if others is None else others
    turns = [_at_scales(instance, at, value) for at, value in numbers_in(instance)]
    turns += [_at_choices(instance, at, value, others) for at, value in _parts(instance)]
    yield from in_rotation(turns)


def _at_scales(instance: Mapping[str, Any], at: Path, value: int | float) -> Iterator[Instance]:
    for scaled in _scales(at, value, _range(instance, at)):
        if scaled != value:
            yield replaced(instance, at, scaled)


def _at_choices(
    instance: Mapping[str, Any], at: Path, value: Any, others: Choices
) -> Iterator[Instance]:
    for other in others.get(at, ()):
        if other != value and not _same_name(other, value):
            yield replaced(instance, at, other)


def _same_name(one: Any, two: Any) -> bool:
    maps = isinstance(one, Mapping) and isinstance(two, Mapping)
    same = maps and "name" in one and one.get("name") == two.get("name")
    return same and (one in NETWORKS or is_anywhere(one))


def worded(instance: Mapping[str, Any], others: Choices) -> Iterator[tuple[str, Instance]]:
    """Labels and instances: every option that is one word, at its other choices."""
    for at, value in _parts(instance):
        for other in others.get(at, ()) if isinstance(value, str) else ():
            if isinstance(other, str) and other != value:
                yield f"{at[-1]}: {other}", replaced(instance, at, other)


def moves(
    instance: Mapping[str, Any],
    draw: np.random.Generator,
    count: int = 2,
    others: Choices | None = None,
) -> Instance:
    """A copy with about ``count`` random changes; a function of the generator's state."""
    made: Instance = dict(instance)
    others = choices([instance]) if others is None else others
    for _ in range(1 + int(draw.poisson(max(count - 1, 0)))):
        swaps = [at for at, _ in _parts(made) if at in others]
        if swaps and draw.random() < 0.15:
            at = swaps[int(draw.integers(len(swaps)))]
            known = others[at]
            made = replaced(made, at, known[int(draw.integers(len(known)))])
            continue
        found = numbers_in(made)
        if not found:
            return made
        where, value = found[int(draw.integers(len(found)))]
        made = replaced(made, where, _moved(where, value, draw, _range(made, where)))
    return made


def leaps(
    instance: Mapping[str, Any], draw: np.random.Generator, count: int, others: Choices
) -> Instance:
    """A copy with ``count`` things, one after the other, set to another scale or choice."""
    made = dict(instance)
    for _ in range(count):
        swaps = [at for at, _ in _parts(made) if at in others]
        found = numbers_in(made)
        pick = int(draw.integers(len(swaps) + len(found))) if swaps or found else -1
        if 0 <= pick < len(swaps):
            known = others[swaps[pick]]
            made = replaced(made, swaps[pick], known[int(draw.integers(len(known)))])
        elif pick >= 0:
            at, value = found[pick - len(swaps)]
            scales = list(_scales(at, value, _range(made, at)))
            made = replaced(made, at, scales[int(draw.integers(len(scales)))])
    return made


def _range(instance: Mapping[str, Any], at: Path) -> tuple[float, float] | None:
    """From where to where the loss says that its option moves."""
    inner: Any = instance
    found = None
    for key, then in itertools.pairwise((*at, None)):
        inner = inner[key]
        if key in ("problem", "base") and isinstance(inner, Mapping):
            found = moves_of(inner).ranges.get(str(then))
    return found


def _within(low: float, high: float) -> list[float]:
    """The ends, and between them a few numbers: of one sign by equal factors, else equally far."""
    shares = (0.0, 1.0, 0.5, 0.25, 0.75)
    if low > 0:
        return [low * (high / low) ** share for share in shares]
    return [low + (high - low) * share for share in shares]


def _scales(
    at: Path, value: int | float, ends: tuple[float, float] | None = None
) -> Iterator[int | float]:
    if ends is not None:
        yield from _within(*ends)
    elif at[-1] == "seed":
        yield from range(4)
    elif isinstance(value, int):
        yield from _COUNTS
    else:
        if 0 <= value < 1:
            yield from _SHARES
        if value == 0:
            yield from (1e-3, 0.1, 1.0, 10.0)
        yield from (value * factor for factor in _FACTORS)


def _moved(
    at: Path,
    value: int | float,
    draw: np.random.Generator,
    ends: tuple[float, float] | None = None,
) -> int | float:
    if ends is not None:
        low, high = ends
        share = float(draw.random())
        return low * (high / low) ** share if low > 0 else low + (high - low) * share
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


def in_passes(turns: Sequence[Iterator[Instance]]) -> Iterator[Instance]:
    """The k-th of them in every k-th pass, until all are at their end."""
    left = list(enumerate(turns, start=1))
    for count in itertools.count(1):
        for k, turn in list(left):
            changed = next(turn, None) if count % k == 0 else {}
            if changed is None:
                left.remove((k, turn))
            elif changed:
                yield changed
        if not left:
            return


def is_field(options: Any) -> bool:
    """Whether it is a saddle problem, whose field is no gradient: a claim about the one says
    nothing about the other."""
    while isinstance(options, Mapping) and isinstance(options.get("base"), Mapping):
        options = options["base"]
    name = str(options.get("name")) if isinstance(options, Mapping) else ""
    return name in PROBLEMS and PROBLEMS[name].is_field is True  # one with a base asks that


def first_losses(clients: int, personal: bool) -> Iterator[tuple[str, dict[str, Any]]]:
    """What problems begin with, in turns over them: a user's own first, then who has most."""
    found = []
    for name, kind in PROBLEMS.items():
        tries = [
            (f"{name}, {label}", {"name": name, **options})
            for label, options in kind.moves.starts(clients, personal)
        ]
        found.append((is_own(kind), -len(tries), name, iter(tries)))
    yield from in_rotation(tries for *_, tries in sorted(found, key=lambda each: each[:3]))


def anywhere(field: bool = False) -> list[dict[str, Any]]:
    """The losses that fit any number of clients; of saddle problems alone, or of none of these."""
    each = ((name, PROBLEMS[name].moves.anywhere) for name in PROBLEMS)
    made = [{"name": name, **options} for name, options in each if options is not None]
    return [options for options in made if is_field(options) == field]


def is_anywhere(options: Any) -> bool:
    """Whether it is one of these."""
    name = str(options.get("name"))
    known = PROBLEMS[name].moves.anywhere if name in PROBLEMS else None
    return known is not None and options == {"name": name, **known}
