"""Moves from the instances of the population: to the limits of assumptions, along ladders, and
structural ones. Those come first that gained most elsewhere."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator

from theorylab.falsify.instances import Instance
from theorylab.falsify.ladders import climbed, is_count, is_longer, ladders
from theorylab.falsify.moves import Choices, worded
from theorylab.falsify.population import Member, words_of
from theorylab.falsify.ranking import Ranking, gained
from theorylab.falsify.score import text_of
from theorylab.falsify.screen import OUTSIDE
from theorylab.falsify.search_state import SearchState
from theorylab.falsify.structural_moves import structural

_LEAST = 0.02  # seconds that an instance counts as having had before its first move
_FARTHEST = 100  # decades that a ladder is climbed at once
_LONGER = 2  # decades of a ladder along which judging takes longer
_GAIN = 0.02  # of the score: less ends a climb


class NeighbourMoves:
    """The moves of every instance of the population, in turns over the instances.

    The k-th best instance has its turn when the best has had k times as long, so that an instance
    that is dear to judge waits.
    """

    def __init__(self, state: SearchState) -> None:
        self.state, self.ranking = state, Ranking()
        self._turns: dict[str, Iterator[None]] = {}
        self._spent: dict[str, float] = {}
        self._done: set[str] = set()

    def look(self) -> bool:
        """One move of the instance whose turn it is; False where all moves are made."""
        state = self.state
        waiting = [
            (self._spent.get(key, _LEAST) * rank, rank, key, member)
            for rank, member in enumerate(state.population.ranked(), start=1)
            if (key := text_of(member.instance)) not in self._done
            and not state.is_frozen(member.instance)
        ]
        if not waiting:
            return False
        *_, key, member = min(waiting, key=lambda each: each[:2])
        if key not in self._turns:
            self._turns[key] = self._of(member)
        began = state.judge.clock()
        if next(self._turns[key], self) is self:
            self._done.add(key)
            del self._turns[key]
        self._spent[key] = self._spent.get(key, _LEAST) + state.judge.clock() - began
        return True

    def _of(self, member: Member) -> Iterator[None]:
        """The limits of an instance first, then its ladders and structural moves by their rank."""
        state, instance, score = self.state, member.instance, member.score
        words = words_of(instance)  # what a move brings depends on them, as on a batch a round
        for label, made in state.limits.pop(text_of(instance), ()):
            state.after(instance, label)
            self.attempt((label, words), score, functools.partial(state.look, made))
            yield
        made_of = neighbours(instance, state.others).items()
        waiting = {label: functools.partial(state.look, made) for label, made in made_of}
        for name in ladders(instance):
            for sign in (1, -1):
                ends = functools.partial(climb, state, name, sign, instance, score)
                waiting[f"ladder: {name} {sign:+d}"] = ends
        while waiting:
            label = self.ranking.next(waiting, words, member.cell)
            state.after(instance, label)
            self.attempt((label, words), score, waiting.pop(label))
            yield

    def attempt(self, move: tuple[str, str], score: float, made: Callable[[], float]) -> None:
        """Make a move from an instance with ``score``, and remember what it gained."""
        began, top = self.state.judge.clock(), self.state.population.top
        reached = made()
        self.ranking.put(move, gained(score, reached, top), self.state.judge.clock() - began)


def neighbours(instance: Instance, others: Choices) -> dict[str, Instance]:
    """By its label, what one structural move or one other word makes of the instance."""
    return dict((*structural(instance), *worded(instance, others)))


def climb(state: SearchState, name: str, sign: int, instance: Instance, score: float) -> float:
    """The best score on the way up (``sign`` 1) or down (-1) the ladder from an instance with
    ``score``.

    What the score grows by a decade says how many decades it takes to 0. They are gone at once,
    and half as many where that was too far.
    """

    def at(decades: float) -> float:
        made = climbed(name, instance, sign * decades)
        return -math.inf if made is None else state.look(made)

    here, best = 0.0, score
    for first in (1.0,) if is_count(name) else (1.0, 3.0):
        reached = at(first)
        if not math.isfinite(reached) and first == 1.0:
            return reached
        if reached > best + _GAIN and best > OUTSIDE:
            here, best, growth = first, reached, (reached - best) / first
            break
    else:
        return max(best if best > score else -math.inf, reached)
    while best <= 0 and state.going():
        most = _LONGER if is_longer(name) else _FARTHEST
        leap = min(max(1.0, math.ceil(-best / growth)), most)
        while leap >= 1 and state.going():
            reached = at(here + leap)
            if reached > best + _GAIN:
                break
            leap = leap // 2
        else:
            return best
        here, growth, best = here + leap, (reached - best) / leap, reached
    return best
