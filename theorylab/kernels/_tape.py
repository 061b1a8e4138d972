"""The launches of a round, put together once and played for many rounds.

Checking arrays, choosing a cut and packing words cost Python more than a small kernel takes. What
changes from round to round is few words of the launches: a ``Moving`` stands in their place, and
each round gives them by a row of its moments.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from theorylab.kernels._schedule import Grid, Schedule, packed

_WORD = 8  # bytes
Player = Callable[[int, bytes, int, int], None]
"""(phase of the first round, moments as rows of words, columns of a row, stream): every launch."""


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

    @classmethod
    def of(
        cls, schedule: Schedule, grid: Grid, words: Sequence[Any], number: Mapping[int, int]
    ) -> Launch:
        """Of numbers and ``Taken`` arrays, all of which move. number: their columns, by ``id``."""
        plain, moving = list(words), []
        for k, one in enumerate(words):
            if hasattr(one, "array"):
                plain[k] = 0
                moving.append((k, number[id(one)]))
        return cls(schedule, grid, tuple(plain), tuple(moving))


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
    """Plays by ``tape``: that of csrc/core/tape.hpp, or ``PlainTape``, with ``Prepared`` for it."""
    for phase, launches in enumerate(phases):
        for each in launches:
            kernel = prepared(each.schedule, each.grid)
            tape.add(phase, kernel, packed(each.words), each.moving)

    play: Player = tape.play
    return play


class PlainTape:
    """csrc/core/tape.hpp in Python, for kernels that Python launches."""

    def __init__(self) -> None:
        self._phases: list[list[tuple[Any, bytes, Sequence[tuple[int, int]]]]] = []

    def add(self, phase: int, kernel: Any, words: bytes, moving: Sequence[tuple[int, int]]) -> None:
        while len(self._phases) <= phase:
            self._phases.append([])
        self._phases[phase].append((kernel, words, moving))

    def play(self, phase: int, moments: bytes, columns: int, stream: int) -> None:
        for k, begin in enumerate(range(0, len(moments), _WORD * columns)):
            for kernel, fixed, moving in self._phases[(phase + k) % len(self._phases)]:
                words = bytearray(fixed)
                for word, column in moving:
                    first = begin + _WORD * column
                    words[_WORD * word : _WORD * (word + 1)] = moments[first : first + _WORD]
                kernel.launch(bytes(words), stream)
