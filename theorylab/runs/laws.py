"""A law hands out every outcome of the noise that an algorithm's own ``step`` reads.

Run number r stands for outcome number r. What the step reads is not guessed: a dry run tells, for
every round and minibatch, which parts of the gradient are asked for, and only the draws that can
move these are outcomes. Expectations are then finite sums in a fixed order, with no sampling error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.problems import Draw, Problem

CHUNK = 1 << 14  # outcomes that are played together
MOST = 1 << 16  # outcomes in all

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class _Unit:
    """A client's draw of one minibatch, or the same one for all clients; an outcome's number //
    ``stride`` % m is its own."""

    clients: int | slice
    draw: Draw
    stride: int


@dataclass(frozen=True)
class Chunk:
    """Outcomes ``numbers`` (R,) of a law with their chances ``weights`` (R,)."""

    law: Enumeration
    numbers: Ints
    weights: Floats

    def sample(self, t: int, number: int, part: str) -> Any:
        """The sample of that minibatch in every outcome.

        Raises ValueError where the dry run did not ask for it: a step that looks at its samples to
        decide what to read next has no law that a dry run could list.
        """
        asked = self.law.asked.get((t, number))
        if asked is None or not self.law.reads(part) <= asked:
            raise ValueError(
                f"law 'enumerated': round {t} asks for minibatch {number} in one outcome and not "
                "in another; need a step that always reads the same"
            )
        return self.law.assembled(t, number, self.numbers)


class _DryRun:
    """Notes which minibatch is asked for, and which draws of it matter; hands out outcome 0."""

    def __init__(self, law: Enumeration) -> None:
        self.law = law

    def sample(self, t: int, number: int, part: str) -> Any:
        known = self.law.asked.setdefault((t, number), set())
        known |= self.law.reads(part)
        return self.law.assembled(t, number, np.zeros(1, np.int64))


class Enumeration:
    """Every outcome of the noise of ``problem`` that ``play`` reads.

    Args:
        play: runs the algorithm once, one run, with the samples that it is given.
        most: the number of outcomes up to which they are listed.
        alone: for claims about one client at a time. In every outcome all clients draw the same, so
            that each has its own law and there are no more outcomes than one client has.

    Raises:
        ValueError: one line, where the noise has no finite law, or too many outcomes.
    """

    def __init__(
        self,
        problem: Problem,
        play: Callable[[Any], None],
        most: int = MOST,
        *,
        alone: bool = False,
    ) -> None:
        draws = problem.finite_noise()
        if draws is None:
            raise ValueError(
                f"law 'enumerated': the noise of {problem.name} has no outcomes that could be "
                "listed; need noise such as rademacher, state, two-point or coordinate"
            )
        self.problem, self.draws = problem, draws
        self._like = problem.sample(0, np.arange(1), 0, 0)  # its shape and kind; None: no noise
        self.asked: dict[tuple[int, int], set[int]] = {}
        self._units: dict[tuple[int, int], list[_Unit]] = {}
        self.total = 1
        play(_DryRun(self))
        for key, wanted in self.asked.items():
            units = []
            for client in [slice(None)] if alone else range(problem.clients):
                for k in sorted(wanted):
                    units.append(_Unit(client, draws[k], self.total))
                    self.total *= len(draws[k].chances)
            self._units[key] = units
            if self.total > most:
                raise ValueError(
                    f"law 'enumerated': more than {most} outcomes by round {key[0]}; need fewer "
                    "rounds, steps, clients or coordinates"
                )

    def reads(self, part: str) -> set[int]:
        """The draws that can move that part of a gradient."""
        ends = {"u": (0, self.problem.shared), "v": (self.problem.shared, self.problem.dim)}
        low, high = ends.get(part, (0, self.problem.dim))
        return {k for k, d in enumerate(self.draws) if d.moves[0] < high and low < d.moves[1]}

    def assembled(self, t: int, number: int, outcomes: Ints) -> Any:
        """The sample of a minibatch in these outcomes: (R, n, width), or (R, n)."""
        if self._like is None:
            return None
        runs = len(outcomes)
        sample = np.zeros((runs, *self._like.shape[1:]), self._like.dtype)
        read = self.asked[t, number]
        for k, draw in enumerate(self.draws):
            if k not in read and draw.place is not None:  # who reads it all the same is told
                sample[..., slice(*draw.place)] = np.nan
        for unit in self._units.get((t, number), ()):
            chosen = unit.draw.values[outcomes // unit.stride % len(unit.draw.chances)]
            if isinstance(unit.clients, slice):
                chosen = chosen[:, None]
            if unit.draw.place is None:
                sample[:, unit.clients] = chosen
            else:
                sample[:, unit.clients, slice(*unit.draw.place)] = chosen
        return sample

    def chunks(self) -> Iterator[Chunk]:
        """All outcomes in order, at most ``CHUNK`` at a time."""
        for first in range(0, self.total, CHUNK):
            numbers = np.arange(first, min(first + CHUNK, self.total), dtype=np.int64)
            weights = np.ones(len(numbers))
            for units in self._units.values():
                for unit in units:
                    chances = unit.draw.chances
                    if (chances == chances[0]).all():
                        weights *= 1 / len(chances)
                    else:
                        weights *= chances[numbers // unit.stride % len(chances)]
            yield Chunk(self, numbers, weights)

    @property
    def off(self) -> float:
        """Relative error of a weight: a product of as many factors, each rounded."""
        return 4 * sum(len(units) for units in self._units.values()) * 2.0**-53
