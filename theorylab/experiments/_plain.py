"""How an experiment's number is written in plain NumPy: lines, and what their names stand for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol


class UnwrittenError(ValueError):
    """Nothing writes this number in plain NumPy; the text is one line that says why."""


class Spot(Protocol):
    """Which number is written: a column of the row that a result shows.

    seed: that it was measured with. long: whether the lines are played and not read, so that there
    may be many. result: as judged. quantity: what the claim is about.
    """

    @property
    def seed(self) -> int: ...
    @property
    def long(self) -> bool: ...
    @property
    def column(self) -> str: ...
    @property
    def result(self) -> Any: ...
    @property
    def quantity(self) -> Any: ...

    def at(self, name: str) -> int:
        """A whole number in the label of the row, as T of "T=600, 0 to 1"."""

    def worst_run(self) -> int:
        """The run whose value the result shows."""


@dataclass(frozen=True)
class Plain:
    """Lines of NumPy that end by assigning ``measured``, and what they may read.

    text: the lines, each of them whole. numbers: numbers and arrays by name; of "P = mean" two
    names have it. pieces: lines that assign more names, each before what reads it. What nothing
    reads is left out of a script. about: comments for its top; the first whose name is read stands
    there. told: comments beside arrays, by name. problem: whose gradients the lines call grad(x),
    of each client's loss at its row, and heads(U, V), in each personal part.

    >>> Plain("measured = 2 * half", pieces=("half = a / 2",)).of("measured = half", a=3).numbers
    {'a': 3}
    """

    text: str = ""
    numbers: Mapping[str, Any] = field(default_factory=dict)
    pieces: tuple[str, ...] = ()
    about: Mapping[str, str] = field(default_factory=dict)
    told: Mapping[str, str] = field(default_factory=dict)
    problem: Any = None

    def of(self, text: str, *pieces: str, **numbers: Any) -> Plain:
        """These lines, with more that they may read."""
        more = {**self.numbers, **numbers}
        return replace(self, text=text.strip("\n"), pieces=self.pieces + pieces, numbers=more)

    def __or__(self, other: Plain) -> Plain:
        """What either of them has, with the lines of the second."""
        return Plain(
            other.text,
            {**self.numbers, **other.numbers},
            self.pieces + other.pieces,
            {**self.about, **other.about},
            {**self.told, **other.told},
            self.problem or other.problem,
        )


@dataclass(frozen=True)
class AsRun(Plain):
    """A metric of a run, whose lines stand beside it. instance: of the run, with its method's
    name."""

    metric: str = ""
    instance: Mapping[str, Any] = field(default_factory=dict)
