"""The launches of a round, put together once and played for many rounds.

Checking arrays, choosing a cut and packing words cost Python more than a small kernel takes. What
changes from round to round is few words of the launches: a ``Moving`` stands in their place, and
each round gives them by a row of its moments.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.kernels._schedule import Grid, Schedule, packed

Player = Callable[[int, NDArray[np.uint64], int], None]
"""(phase of the first round, moments (rounds, columns), stream): every launch of every round."""


class Moving(enum.Enum):
    """A word that each round has of its own, and its column of the moments.

    It is no number, so that code which would compute with it, and keep the first round's value for
    all rounds, raises TypeError.
    """

    ROUND, ETA, W, NEXT_W = range(4)


@dataclass(frozen=True)
class Launch:
    """A schedule, its cut, and its words; ``moving``: (word, column that takes its place)."""

    schedule: Schedule
    grid: Grid
    words: tuple[int | float, ...]
    moving: tuple[tuple[int, int], ...]


@dataclass
class Tape:
    """What is launched while it records, which is then not launched.

    moving: (array, what its address is). kept: what must live as long as the launches are played.
    """

    moving: Sequence[tuple[Any, Moving]] = ()
    launches: list[Launch] = field(default_factory=list)
    kept: list[Any] = field(default_factory=list)

    def add(self, call: Any, schedule: Schedule, grid: Grid, words: Sequence[Any]) -> None:
        """Keep a launch. ``words``: numbers, ``Taken`` arrays, and ``Moving``."""
        plain: list[int | float] = []
        moving = []
        for number, word in enumerate(words):
            array = getattr(word, "array", None)
            one = next((what for own, what in self.moving if own is array), None)
            if isinstance(word, Moving) or one is not None:
                moving.append((number, (one or word).value))
                plain.append(0)
            else:
                plain.append(word if array is None else word.address)
        self.launches.append(Launch(schedule, grid, tuple(plain), tuple(moving)))
        self.kept.append((call, words))


_recording: ContextVar[Tape | None] = ContextVar("recording", default=None)


def recording() -> Tape | None:
    """The tape that takes the launches of this thread, or None: they are launched."""
    return _recording.get()


@contextmanager
def recorded(moving: Sequence[tuple[Any, Moving]] = ()) -> Iterator[Tape]:
    """Inside, launches go on a tape and nowhere else."""
    tape = Tape(moving)
    before = _recording.set(tape)
    try:
        yield tape
    finally:
        _recording.reset(before)


def played_by(
    tape: Any, prepared: Callable[[Schedule, Grid], Any], phases: Sequence[Sequence[Launch]]
) -> Player:
    """Plays by csrc/core/tape.hpp, as ``tape`` of an extension, with that one's ``Prepared``."""
    for phase, launches in enumerate(phases):
        for each in launches:
            kernel = prepared(each.schedule, each.grid)
            tape.add(phase, kernel, packed(each.words), each.moving)

    def play(phase: int, moments: NDArray[np.uint64], stream: int) -> None:
        tape.play(phase, moments.tobytes(), moments.shape[1], stream)

    return play


def player_of(
    launch: Callable[..., None], phases: Sequence[Sequence[Launch]], device: int
) -> Player:
    """Plays by a ``Path.launch``, one after the other."""

    def play(phase: int, moments: NDArray[np.uint64], stream: int) -> None:
        for k, row in enumerate(moments.tolist()):
            for each in phases[(phase + k) % len(phases)]:
                words = list(each.words)
                for word, column in each.moving:
                    words[word] = row[column]
                launch(each.schedule, each.grid, words, device, stream)

    return play
