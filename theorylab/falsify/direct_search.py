"""All numbers of an instance, moved together to where its score is largest near it.

Hooke and Jeeves's direct search, "Direct search" solution of numerical and statistical problems
(1961): every ladder and every real number has a step of its own over its logarithm, and is moved
up or down where that helps; what a pass over all of them moved is then moved again, as far as that
helps. It needs no derivative, and goes along a cap or another kink of a bound.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator, Mapping
from typing import Any

from theorylab.falsify.instances import Instance, Path, is_run, numbers_in, replaced
from theorylab.falsify.ladders import climbed, is_longer, ladders
from theorylab.falsify.population import Member
from theorylab.falsify.search_state import SearchState

_FIRST, _LAST = 0.5, 0.03  # decades of a step, in the first pass and below which there is none
_PASSES = 4
_FINE = 0.1  # decades: where no step is larger, a pass that brings little is the last
_GAIN = 0.02  # of the score in a pass, below which it ends
_MOST = 16  # real numbers that have a step of their own
_WORTH = 0.1  # above the last top of a cell, from which on it is ascended again
_STILL = 1e-9  # a change of the score that is rounding

Axis = str | Path


class Ascents:
    """From the best instance of every cell of the population, one after the other."""

    def __init__(self, state: SearchState) -> None:
        self.state = state
        self._tops: dict[tuple[str, ...], float] = {}  # of a cell, where its ascents ended
        self._from: Instance | None = None
        self._going: Iterator[None] = iter(())

    def look(self) -> bool:
        """One look; False where all cells are at a top."""
        if self._from is None:
            self._begin()
        if self._from is None:
            return False
        self.state.after(self._from, "all numbers together")
        if next(self._going, self) is self:
            self._from = None
        return True

    def _begin(self) -> None:
        for member in self.state.population.ranked():
            above = member.score > self._tops.get(member.cell, -math.inf) + _WORTH
            if above and not self.state.is_frozen(member.instance):
                self._from, self._going = member.instance, self._climbed(member)
                return

    def _climbed(self, member: Member) -> Iterator[None]:
        top = yield from ascent(self.state, member.instance, member.score)
        self._tops[member.cell] = max(top, self._tops.get(member.cell, -math.inf))


def ascent(state: SearchState, instance: Instance, score: float) -> Generator[None, None, float]:
    """The way up from an instance with ``score``, a look at a time; it returns the last score."""
    here, best = instance, score
    steps = dict.fromkeys(_axes(instance), _FIRST)
    for _ in range(_PASSES):  # its steps are a quarter where they did not help
        before, moved = best, dict[Axis, float]()
        for axis in list(steps):
            for sign in (1, -1):
                made = _along(here, axis, sign * steps[axis])
                if made is None:
                    continue
                reached = state.look(made)
                yield
                if reached > best + _STILL:
                    here, best, moved[axis] = made, reached, sign * steps[axis]
                    steps[axis] *= 2
                    break
            else:
                steps[axis] /= 4
                if abs(steps[axis]) < _LAST:
                    del steps[axis]
        while len(moved) > 1:
            made = here
            for axis, decades in moved.items():
                made = _along(made, axis, decades) or made
            reached = state.look(made)
            yield
            if not reached > best + _STILL:
                break
            here, best = made, reached
            moved = {axis: 2 * decades for axis, decades in moved.items()}
        finest = max(steps.values(), default=0.0) < _FINE
        if finest and not best > before + _GAIN:
            break
    return best


def _axes(instance: Mapping[str, Any]) -> list[Axis]:
    """All ladders but what makes an instance larger, which would make every look dearer; of a run
    the first ``_MOST`` real numbers, too."""
    found: list[Axis] = [name for name in ladders(instance) if not is_longer(name)]
    if is_run(instance):
        numbers = [at for at, value in numbers_in(instance) if _is_real(at, value)]
        found += numbers[:_MOST]
    return found


def _is_real(at: Path, value: Any) -> bool:
    return isinstance(value, float) and value != 0 and at[0] not in ("constants", "sweep")


def _along(instance: Instance, axis: Axis, decades: float) -> Instance | None:
    if isinstance(axis, str):
        return climbed(axis, instance, decades)
    here: Any = instance
    for key in axis:
        here = here[key]
    try:
        return replaced(instance, axis, here * 10.0**decades)
    except OverflowError:
        return None
