"""A law hands out every outcome of the noise, and of the coins, that an algorithm's ``step`` reads.

Run number r stands for outcome number r. What the step reads is not guessed: a dry run tells, for
every round and minibatch, which parts of the gradient are asked for, and which coins are tossed.
Only the draws that can move these are outcomes. Expectations are then finite sums in a fixed order,
with no sampling error. Where the outcomes are too many, the likeliest of them have a known share of
the chance (``likeliest``).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.algorithms import UNSEEDED, Coin
from theorylab.problems import Problem
from theorylab.runs.likeliest import RARE, likeliest
from theorylab.runs.rounds import states
from theorylab.runs.setting import Setting
from theorylab.runs.simulate import algorithm_draws

FEW = 1 << 14  # outcomes that are listed rather than sampled where nothing else is asked for
CHUNK = 1 << 14  # outcomes that are played together
MOST = 1 << 16  # outcomes in all

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class _Unit:
    """An independent draw: of one client, or the same one for all clients.

    number: among all units. An outcome's number // ``stride`` % m is its own. place: what of a
    sample, or which entry of a coin, has its ``values``.
    """

    clients: int | slice
    values: Floats
    chances: Floats
    place: Any
    number: int
    stride: int


@dataclass(frozen=True)
class Chunk:
    """Outcomes (R,) of a law with their chances ``weights`` (R,).

    numbers: (R,), those of the outcomes; ``table``: (R, units), which outcome of each unit, where
    the law has too many outcomes for a number.
    """

    law: Enumeration
    numbers: Ints
    weights: Floats
    table: Ints | None = None

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
        return self.law.assembled(t, number, self)

    def coins(self, t: int, number: int, coin: Coin) -> Any:
        """The draws of that coin in every outcome; ValueError as of ``sample``."""
        if self.law.tossed.get((t, number)) != coin:
            raise ValueError(
                f"law 'enumerated': round {t} tosses coin {number} in one outcome, and another or "
                "none in another; need a step that always tosses the same"
            )
        return self.law.faces(t, number, coin, self)

    def chosen(self, unit: _Unit) -> Ints:
        """Which outcome of that unit each outcome has, (R,)."""
        if self.table is not None:
            return self.table[:, unit.number]
        return self.numbers // unit.stride % len(unit.chances)


class _DryRun:
    """Notes which minibatch is asked for, which draws of it matter, and which coins are tossed;
    hands out outcome 0."""

    def __init__(self, law: Enumeration) -> None:
        self.law, self.first = law, Chunk(law, np.zeros(1, np.int64), np.ones(1))

    def sample(self, t: int, number: int, part: str) -> Any:
        known = self.law.asked.setdefault((t, number), set())
        for k in self.law.reads(part) - known:
            self.law.grown(t, self.law.draws[k].chances, self.law.clients)
            known.add(k)
        return self.law.assembled(t, number, self.first)

    def coins(self, t: int, number: int, coin: Coin) -> Any:
        clients = 1 if coin.shared else self.law.clients
        if coin.outcomes > self.law.most:  # more than there may be are not written down
            raise self.law.too_many(t)
        self.law.tossed[t, number] = coin
        self.law.grown(t, coin.listed()[1], clients * coin.entries)
        return self.law.faces(t, number, coin, self.first)


class Enumeration:
    """Every outcome of the noise of ``problem``, and of the coins, that ``play`` reads.

    Args:
        play: runs the algorithm once, one run, with the samples that it is given.
        most: the number of outcomes up to which they are listed.
        alone: for claims about one client at a time. In every outcome all clients draw the same, so
            that each has its own law and there are no more outcomes than one client has.
        rare: more outcomes are no error where one of them has a good share of the chance; their
            law is not ``whole`` then.

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
        rare: bool = False,
    ) -> None:
        draws = problem.finite_noise() if problem.stochastic else ()
        if draws is None:
            raise ValueError(
                f"law 'enumerated': the noise of {problem.name} has no outcomes that could be "
                "listed; need noise such as rademacher, state, two-point or coordinate"
            )
        self.problem, self.draws, self.most = problem, draws, most
        self.clients = 1 if alone else problem.clients
        self._like = problem.sample(0, np.arange(1), 0, 0)  # its shape and kind; None: no noise
        self.asked: dict[tuple[int, int], set[int]] = {}
        self.tossed: dict[tuple[int, int], Coin] = {}
        self._units: dict[tuple[int, int], list[_Unit]] = {}
        self._faces: dict[tuple[int, int], list[_Unit]] = {}
        self.units: list[_Unit] = []
        self.total, self._count, self._mode, self._rare = 1, 0.0, 0.0, rare
        play(_DryRun(self))
        everyone: list[int | slice] = [slice(None)] if alone else list(range(problem.clients))
        for key, wanted in self.asked.items():
            self._units[key] = [
                self._unit(client, draws[k].values, draws[k].chances, draws[k].place)
                for client in everyone
                for k in sorted(wanted)
            ]
        for key, coin in self.tossed.items():
            self._faces[key] = [
                self._unit(client, *coin.listed(), entry)
                for client in ([slice(None)] if coin.shared else everyone)
                for entry in range(coin.entries)
            ]

    def _unit(self, clients: int | slice, values: Floats, chances: Floats, place: Any) -> _Unit:
        unit = _Unit(clients, values, chances, place, len(self.units), self.total)
        self.units.append(unit)
        self.total *= len(chances)
        return unit

    @property
    def whole(self) -> bool:
        """Whether all outcomes are few enough to be listed."""
        return self.total <= self.most

    def grown(self, t: int, chances: Floats, copies: int) -> None:
        """``copies`` more independent draws are read; ValueError where they are too many."""
        self._count += copies * math.log2(len(chances))
        self._mode += copies * math.log(float(chances.max()))
        if self._count > math.log2(self.most) + 1e-9 and not (self._rare and self._mode > RARE):
            raise self.too_many(t)

    def too_many(self, t: int) -> ValueError:
        """The error of more outcomes than are listed, by round t."""
        return ValueError(
            f"law 'enumerated': more than {self.most} outcomes by round {t}; need fewer "
            "rounds, steps, clients, coordinates or coins"
        )

    def reads(self, part: str) -> set[int]:
        """The draws that can move that part of a gradient."""
        ends = {"u": (0, self.problem.shared), "v": (self.problem.shared, self.problem.dim)}
        low, high = ends.get(part, (0, self.problem.dim))
        return {k for k, d in enumerate(self.draws) if d.moves[0] < high and low < d.moves[1]}

    def assembled(self, t: int, number: int, chunk: Chunk) -> Any:
        """The sample of a minibatch in these outcomes: (R, n, width), or (R, n)."""
        if self._like is None:
            return None
        runs = len(chunk.numbers)
        sample = np.zeros((runs, *self._like.shape[1:]), self._like.dtype)
        read = self.asked[t, number]
        for k, draw in enumerate(self.draws):
            if k not in read and draw.place is not None:  # who reads it all the same is told
                sample[..., slice(*draw.place)] = np.nan
        for unit in self._units.get((t, number), ()):
            chosen = unit.values[chunk.chosen(unit)]
            if isinstance(unit.clients, slice):
                chosen = chosen[:, None]
            if unit.place is None:
                sample[:, unit.clients] = chosen
            else:
                sample[:, unit.clients, slice(*unit.place)] = chosen
        return sample

    def faces(self, t: int, number: int, coin: Coin, chunk: Chunk) -> Any:
        """What that coin shows in these outcomes: (R, n, *shape), or (R, 1, *shape)."""
        values, runs = coin.listed()[0], len(chunk.numbers)
        clients = 1 if coin.shared else self.problem.clients
        shown = np.zeros((runs, clients, coin.entries, *values.shape[1:]), values.dtype)
        shown[:] = values[0]
        for unit in self._faces.get((t, number), ()):
            chosen = values[chunk.chosen(unit)]
            shown[:, unit.clients, unit.place] = (
                chosen[:, None] if isinstance(unit.clients, slice) else chosen
            )
        return shown.reshape((runs, clients, *coin.shape))

    def chunks(self) -> Iterator[Chunk]:
        """All outcomes in order, at most ``CHUNK`` at a time."""
        for first in range(0, self.total, CHUNK):
            numbers = np.arange(first, min(first + CHUNK, self.total), dtype=np.int64)
            weights = np.ones(len(numbers))
            for unit in self.units:
                chances = unit.chances
                if (chances == chances[0]).all():
                    weights *= 1 / len(chances)
                else:
                    weights *= chances[numbers // unit.stride % len(chances)]
            yield Chunk(self, numbers, weights)

    def likeliest(self, count: int) -> Chunk | None:
        """The ``count`` outcomes of the largest chances; None where they are next to nothing."""
        found = likeliest([unit.chances for unit in self.units], count)
        if found is None:
            return None
        table, weights = found
        # no more than each chance is, and neither is their sum: what is left over is not too small
        weights = weights * (1 - self.off - len(weights) * 2.0**-53)
        return Chunk(self, np.arange(len(weights), dtype=np.int64), weights, table)

    @property
    def off(self) -> float:
        """Relative error of a weight: a product of as many factors, each rounded."""
        return 4 * len(self.units) * 2.0**-53


def enumeration(setting: Setting, most: int, *, rare: bool = False) -> Enumeration:
    """The law of a setting's rounds. Raises ValueError, one line, where it cannot be listed."""
    if algorithm_draws(setting.algorithm):
        raise ValueError(
            f"law 'enumerated': {setting.algorithm.name} draws by itself; need law 'sampled'"
        )

    def dry(samples: Any) -> None:
        for _ in states(setting, np.zeros(1, np.int64), UNSEEDED, samples, None):
            pass

    return Enumeration(setting.problem, dry, most, rare=rare)
