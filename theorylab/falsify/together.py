"""Two and three parts of a check moved at once, from the check as it is.

Many a false claim holds wherever one part alone is moved: a bias may show after many rounds alone,
with much noise and small steps. The pool goes on from what is nearest to the bound, and half of
such a move may look worse than what it began from. So all pairs and triples of the numbers and the
ladders of a check have their turn, pairs first.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from theorylab.falsify.clients import is_run
from theorylab.falsify.moves import Instance, Move, Path, numbers_in, replaced
from theorylab.falsify.origins import Searching
from theorylab.falsify.products import climbed, ladders
from theorylab.falsify.starts import starts

_DECADES = (1, -1, 2, -2)
_MOST = 10  # axes of one check
_BESIDE = ("constants", "sweep", "at")  # what is no part of a run, or follows its rounds
_COUPLED = ("rounds at fixed eta T", "local steps at fixed eta K")
_FIRST = "rounds"  # what many claims break along
_MOST_ROUNDS = 3000  # of an instance made here: a longer one has its turn elsewhere
Axis = str | Path


class Together:
    """Of all checks in turns, each as it is."""

    def __init__(self) -> None:
        self._groups: list[tuple[Instance, Iterator[Move]]] | None = None

    def look(self, hunt: Searching) -> bool:
        """One instance; False where all are made."""
        if self._groups is None:
            judge = hunt.judge
            draw = np.random.Generator(np.random.Philox(judge.seed + 1))
            checks = starts(judge.statement, judge.version, cut=False)
            free = [check for check in checks if not hunt.is_frozen(check)]
            self._groups = [(check, together(check, draw)) for check in free]
        while self._groups:
            check, turn = self._groups.pop(0)
            made = next(turn, None)
            if made is not None:
                self._groups.append((check, turn))
                hunt.after(check, made[0])
                hunt.look(made[1])
                return True
        return False


def together(instance: Mapping[str, Any], draw: np.random.Generator) -> Iterator[Move]:
    """Labels and instances: pairs of axes, and then triples. Those first that have more rounds, of
    these the ones that move least, and then in a drawn order."""
    axes = _axes(instance)
    steps = [(axis, decades) for axis in axes for decades in _DECADES]
    groups = [
        group
        for count in (2, 3)
        for group in itertools.combinations(steps, count)
        if len({_name(axis) for axis, _ in group}) == count and _is_new(group)
    ]
    drawn = draw.permutation(len(groups))
    order = sorted(range(len(groups)), key=lambda k: (_far(groups[k]), drawn[k]))
    for k in order:
        made = _moved(instance, groups[k])
        if made is not None:
            label = ", ".join(f"{_told(axis)} {decades:+d}" for axis, decades in groups[k])
            yield f"together: {label}", made


def _axes(instance: Mapping[str, Any]) -> list[Axis]:
    """The numbers, of a list the first alone, and of a run what moves two of them."""
    found: dict[str, Axis] = {}
    for at, value in numbers_in(instance):
        if at[0] not in _BESIDE and at[-1] != "seed" and type(value) in (int, float):
            found.setdefault(".".join(key for key in at if isinstance(key, str)), at)
    axes = list(found.values())
    axes.sort(key=lambda at: at[-1] != _FIRST)  # of many the rounds stay
    coupled = [name for name in _COUPLED if is_run(instance) and name in ladders(instance)]
    return [*axes[: _MOST - len(coupled)], *coupled]


def _name(axis: Axis) -> str:
    return axis if isinstance(axis, str) else str(axis[-1])


def _told(axis: Axis) -> str:
    """The option, and the place in its list: ``eta[0]``."""
    if isinstance(axis, str):
        return axis
    last = max(k for k, key in enumerate(axis) if isinstance(key, str))
    return f"{axis[last]}{''.join(f'[{key}]' for key in axis[last + 1 :])}"


def _is_new(group: Sequence[tuple[Axis, int]]) -> bool:
    """Whether no two of them move the same number."""
    return sum(_FIRST in _name(axis) for axis, _ in group) < 2


def _far(group: Sequence[tuple[Axis, int]]) -> tuple[int, bool, int]:
    longer = any(_FIRST in _name(axis) and decades > 0 for axis, decades in group)
    return len(group), not longer, sum(abs(decades) for _, decades in group)


def _moved(instance: Mapping[str, Any], group: Sequence[tuple[Axis, int]]) -> Instance | None:
    """None where one of them has nothing to move."""
    made: Instance | None = dict(instance)
    for axis, decades in group:
        if made is None:
            return None
        made = (
            climbed(axis, made, decades) if isinstance(axis, str) else _scaled(made, axis, decades)
        )
    counts = [] if made is None else numbers_in(made)  # of an experiment there may be several
    return None if any(at[0] == _FIRST and n > _MOST_ROUNDS for at, n in counts) else made


def _scaled(instance: Instance, at: Path, decades: int) -> Instance | None:
    """A count stays one, a share comes nearer to 1 before it goes beyond, and what is 0 becomes a
    power of ten."""
    here: Any = instance
    for key in at:
        here = here[key]
    if at == (_FIRST,):
        return climbed(_FIRST, instance, decades)
    if type(here) is int:
        value: float = max(0, round(here * 10.0**decades)) if here else max(0, decades)
    elif here == 0:
        value = 10.0**decades
    elif here < 1 <= here * 10.0**decades and decades == 1:
        value = 1 - (1 - here) / 10
    else:
        value = here * 10.0**decades
    return None if value == here else replaced(instance, at, value)
