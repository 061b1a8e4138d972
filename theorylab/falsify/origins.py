"""What is near a check is near, however much better an instance was made of it since.

The pool goes on from its best, and a search finds better ones all the time, so that none of them
comes to all of its structural moves. The checks do: until they had all, a share of the time is
theirs.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from theorylab.falsify.ascent import Climbing
from theorylab.falsify.boundary import turned
from theorylab.falsify.moves import Choices, Instance, worded
from theorylab.falsify.pool import words_of
from theorylab.falsify.score import Judge
from theorylab.falsify.screen import OUTSIDE
from theorylab.falsify.sizes import bulk
from theorylab.falsify.starts import starts

_QUICK = 1 / 200  # of the budget, that one move may take: what is dearer has its turn elsewhere


class Searching(Climbing, Protocol):
    """A search, as far as the moves of its checks need one; see ``Hunt``."""

    judge: Judge
    budget: float
    others: Choices

    def look(self, instance: Instance, inside: bool = False) -> float: ...

    def neighbours(self, instance: Instance) -> dict[str, Instance]: ...

    def attempt(self, move: tuple[str, str], score: float, made: Callable[[], float]) -> None: ...


class Origins:
    """All structural moves of every check as it is, and of its smallest copy, in turns over the
    checks and over the kinds of move; and those of both with other words of their algorithm. The
    four share the time."""

    def __init__(self) -> None:
        self._groups: dict[str, Iterator[None]] | None = None
        self._spent: dict[str, float] = {}

    def look(self, hunt: Searching) -> bool:
        """One move; False where all are made."""
        if self._groups is None:
            self._groups = _groups(hunt)
            self._spent = dict.fromkeys(self._groups, 0.0)
        while self._groups:
            name, began = min(self._groups, key=self._spent.__getitem__), hunt.judge.clock()
            if next(self._groups[name], self) is not self:
                self._spent[name] += hunt.judge.clock() - began
                return True
            del self._groups[name]
        return False


def _groups(hunt: Searching) -> dict[str, Iterator[None]]:
    of = hunt.judge.statement, hunt.judge.version
    whole = [check for check in starts(*of, cut=False) if not hunt.is_frozen(check)]
    copies = [made for made in starts(*of) if made not in whole and not hunt.is_frozen(made)]
    small = sorted(copies, key=bulk)[: len(whole)]
    found = {"checks": whole, "copies": small}
    found |= {f"{name}, said": _said(hunt, group) for name, group in found.items()}
    return {name: _in_turns(hunt, group) for name, group in found.items()}


def _said(hunt: Searching, group: Sequence[Instance]) -> list[Instance]:
    """The same with other words of their algorithm."""
    return [
        made
        for instance in group
        for _, made in worded(instance, hunt.others)
        if words_of(made) != words_of(instance)
    ]


def _in_turns(hunt: Searching, group: Sequence[Instance]) -> Iterator[None]:
    turns = [_of_one(hunt, instance) for instance in group]
    while turns:
        for turn in list(turns):
            if next(turn, hunt) is hunt:
                turns.remove(turn)
            else:
                yield


def _of_one(hunt: Searching, check: Instance) -> Iterator[None]:
    hunt.after(check, "a word")
    score = hunt.look(check)
    if score == -math.inf:
        return
    words = words_of(check)
    for label, made in hunt.neighbours(check).items():
        hunt.after(check, label)
        hunt.judge.longest = _QUICK * hunt.budget
        try:
            hunt.attempt((label, words), score, functools.partial(hunt.look, made))
            if hunt.judge.fresh and hunt.judge.known(made) > OUTSIDE:
                for cap, touching in list(turned(hunt.judge.screen, made)):
                    hunt.after(check, f"{label}, then {cap}")
                    hunt.look(touching, inside=True)
        finally:
            hunt.judge.longest = math.inf
        yield
