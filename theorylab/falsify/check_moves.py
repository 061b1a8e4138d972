"""The moves that belong to the checks: all structural ones, and two and three numbers at once.

A search goes on from the best instances so far, and finds better ones all the time, so that few
come to all of their moves. The checks do: a share of the time is theirs until all moves are made.

Many a false claim holds wherever one part alone is moved: a bias may show only after many rounds
with much noise and small steps. Half of such a move may look worse than the check itself. So all
pairs and triples of the numbers and the ladders of a check are moved at once, pairs first.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from theorylab.falsify.assumption_limits import sign_changes
from theorylab.falsify.checks import starts
from theorylab.falsify.costs import bulk
from theorylab.falsify.instances import (
    Instance,
    Move,
    Path,
    in_rotation,
    is_run,
    numbers_in,
    replaced,
)
from theorylab.falsify.ladders import climbed, ladders
from theorylab.falsify.moves import worded
from theorylab.falsify.neighbour_moves import NeighbourMoves, neighbours
from theorylab.falsify.population import words_of
from theorylab.falsify.screen import OUTSIDE
from theorylab.falsify.search_state import SearchState

_QUICK = 1 / 200  # of the budget, that one move may take: what is dearer has its turn elsewhere
_DECADES = (1, -1, 2, -2)
_MOST_AXES = 10  # axes of one check
_BESIDE = ("constants", "sweep", "at")  # what is no part of a run, or follows its rounds
_COUPLED = ("rounds at fixed eta T", "local steps at fixed eta K")
_FIRST = "rounds"  # what many claims break along
_MOST_ROUNDS = 3000  # of an instance made here: a longer one has its turn elsewhere
Axis = str | Path


class CheckMoves:
    """All structural moves of every check as it is, and of its smallest copy, in turns over the
    checks and over the kinds of move; and those of both with other words of their algorithm. The
    four groups share the time."""

    def __init__(self, state: SearchState, moves: NeighbourMoves) -> None:
        self.state, self.moves = state, moves
        self._groups: dict[str, Iterator[None]] | None = None
        self._spent: dict[str, float] = {}

    def look(self) -> bool:
        """One move; False where all are made."""
        clock = self.state.judge.clock
        if self._groups is None:
            groups = _groups(self.state)
            self._groups = {
                name: in_rotation(map(self._of, checks)) for name, checks in groups.items()
            }
            self._spent = dict.fromkeys(self._groups, 0.0)
        while self._groups:
            name, began = min(self._groups, key=self._spent.__getitem__), clock()
            if next(self._groups[name], self) is not self:
                self._spent[name] += clock() - began
                return True
            del self._groups[name]
        return False

    def _of(self, check: Instance) -> Iterator[None]:
        """The moves of one check; after each that comes inside, the limits at which a term of the
        bound changes its sign."""
        state = self.state
        state.after(check, "a word")
        score = state.look(check)
        if score == -math.inf:
            return
        words = words_of(check)
        for label, made in neighbours(check, state.others).items():
            state.after(check, label)
            state.judge.longest = _QUICK * state.budget
            try:
                self.moves.attempt((label, words), score, functools.partial(state.look, made))
                if state.judge.fresh and state.judge.known(made) > OUTSIDE:
                    for cap, touching in list(sign_changes(state.judge.screen, made)):
                        state.after(check, f"{label}, then {cap}")
                        state.look(touching, repeated=True)
            finally:
                state.judge.longest = math.inf
            yield


def _groups(state: SearchState) -> dict[str, list[Instance]]:
    """The checks, as many of their smallest copies, and both with other words."""
    of = state.judge.statement, state.judge.version
    whole = [check for check in starts(*of, cut=False) if not state.is_frozen(check)]
    copies = [made for made in starts(*of) if made not in whole and not state.is_frozen(made)]
    groups = {"checks": whole, "copies": sorted(copies, key=bulk)[: len(whole)]}
    return groups | {f"{name}, said": _reworded(state, group) for name, group in groups.items()}


def _reworded(state: SearchState, group: Sequence[Instance]) -> list[Instance]:
    """The same with other words of their algorithm."""
    return [
        made
        for instance in group
        for _, made in worded(instance, state.others)
        if words_of(made) != words_of(instance)
    ]


class JointMoves:
    """Two and three parts of a check moved at once, from all checks in turns."""

    def __init__(self, state: SearchState) -> None:
        self.state = state
        self._groups: list[tuple[Instance, Iterator[Move]]] | None = None

    def look(self) -> bool:
        """One instance; False where all are made."""
        if self._groups is None:
            judge = self.state.judge
            draw = np.random.Generator(np.random.Philox(judge.seed + 1))
            checks = starts(judge.statement, judge.version, cut=False)
            free = [check for check in checks if not self.state.is_frozen(check)]
            self._groups = [(check, joint_moves(check, draw)) for check in free]
        while self._groups:
            check, turn = self._groups.pop(0)
            made = next(turn, None)
            if made is not None:
                self._groups.append((check, turn))
                self.state.after(check, made[0])
                self.state.look(made[1])
                return True
        return False


def joint_moves(instance: Mapping[str, Any], draw: np.random.Generator) -> Iterator[Move]:
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
    return [*axes[: _MOST_AXES - len(coupled)], *coupled]


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
