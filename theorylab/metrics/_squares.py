"""Metrics that are expectations of squared vectors, at round T or on average over the rounds."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from theorylab.algorithms import State
from theorylab.known import no_less
from theorylab.metrics._base import Metric
from theorylab.own import is_own
from theorylab.problems import exact_batches
from theorylab.runs import Moment, Moments, Row

Floats = NDArray[Any]
_WAITING = 1 << 12  # entries of models of the rounds that wait to be squared together


class Squares(Metric):
    """A left side E ||vector||^2, beside symbols of the right side that are such squares, too.

    Where a round is affine with additive noise the law is "moments": exact for any T, up to 1e12
    where rounds repeat; a look at "sampled" or "enumerated" runs is the same metric.

    Args:
        setting, known: as of ``Metric``.

    Attributes:
        value: the vector whose square is measured.
        symbols: constant -> the vector that makes it.
        average: means over t = first .. first + T - 1; else round T itself.
        first: the first round of a mean, 0 or 1. With 1, or without ``average``, a row at T is
            about round T, too: an instance with one has T + 1 rounds.

    Rows stand at the T of ``at``; without one at the last T that the instance has.

    >>> class Spread(Squares):  # with a name, name="mine.spread", a claim finds it
    ...     value = "spread"
    ...
    ...     def vectors(self, before, after):
    ...         away = before.z - before.z.mean(axis=1, keepdims=True)
    ...         return {"spread": away.reshape(len(away), -1)}
    """

    axis = "T"
    value: ClassVar[str]
    symbols: ClassVar[Mapping[str, str]] = {}
    average: ClassVar[bool] = True
    first: ClassVar[int] = 0

    @abstractmethod
    def vectors(self, before: State, after: State) -> Mapping[str, Floats]:
        """Every vector (R, m) of the round from ``before`` to ``after``; weights are in it."""

    def off(self, before: State, after: State) -> Mapping[str, Any]:
        """How far rounding puts each vector off, in norm, as the round is played in float64: a
        number, or (B,) of B rounds whose runs stand below one another, with t (B,)."""
        return {}

    def start(self, state: State) -> None:
        self._sums: dict[str, Floats] = {}
        self._rooms: dict[str, float] = {}
        self._waiting: list[tuple[State, State]] = []
        # a stranger's step may write its next state into arrays that it gave before
        own = is_own(type(self)) and is_own(type(self.setting.algorithm))
        own = own and exact_batches(self.setting.problem)
        self._most = _WAITING if own and isinstance(state.x, np.ndarray) else 0

    def rows(self, before: State, after: State) -> Iterator[Row]:
        t = before.t
        if not self.average:
            ((squares, off),) = self._squared([(before, after)])
            yield self._row(t, squares, off)
            return
        if t and not self.first:
            yield self._mean(t)
        self._add(before, after)
        if t and self.first:  # the row at T = t: who asks for round T is told of it
            yield self._mean(t)

    def passed(self, before: State, after: State) -> None:
        if not is_own(type(self)):  # its rows may remember what they like
            super().passed(before, after)
        elif self.average:
            self._add(before, after)

    def _add(self, before: State, after: State) -> None:
        """Count the round in the means: with those that wait, where they are many."""
        if before.t < self.first:
            return
        self._waiting.append((before, after))
        if len(self._waiting) * before.x.size >= self._most:
            self._settle()

    def _settle(self) -> None:
        waiting, self._waiting = self._waiting, []
        for squares, off in self._squared(waiting):
            for name, square in squares.items():
                self._sums[name] = self._sums.get(name, 0.0) + square
                # by Minkowski a mean of squares is off by no more than the largest vector
                self._rooms[name] = max(self._rooms.get(name, 0.0), off[name])

    def _squared(
        self, rounds: Sequence[tuple[State, State]]
    ) -> Iterator[tuple[dict[str, Floats], dict[str, float]]]:
        """Every vector's squares (R,), and its room, round by round; computed all at once."""
        if not rounds:
            return
        B, pair = len(rounds), rounds[0]
        if B > 1:
            pair = _stacked([before for before, _ in rounds]), _stacked([end for _, end in rounds])
        vectors = self.vectors(*pair)
        squares = {name: (v**2).sum(axis=1).reshape(B, -1) for name, v in vectors.items()}
        told = {name: np.atleast_1d(room) for name, room in self.off(*pair).items()}
        off = dict.fromkeys(squares, np.zeros(B)) | told
        for k in range(B):
            yield {n: s[k] for n, s in squares.items()}, {n: float(r[k]) for n, r in off.items()}

    def last(self, state: State) -> Iterator[Row]:
        if self.average and not self.first and state.t:
            yield self._mean(state.t)

    def _mean(self, T: int) -> Row:
        self._settle()
        return self._row(T, {name: s / T for name, s in self._sums.items()}, self._rooms)

    def _row(self, T: int, squares: Mapping[str, Floats], off: Mapping[str, float]) -> Row:
        at: dict[str, Any] = {"T": float(T)}
        at |= {constant: squares[name] for constant, name in self.symbols.items()}
        return Row(squares[self.value], at, f"T={T}", off=off[self.value])

    def exactly(self, counts: Sequence[int]) -> list[Row]:
        """The rows at T = ``counts``, increasing, by exact moments.

        Raises NotAffineError where a round is not affine with additive noise.
        """
        return self._rows_of(self._moments(), counts)

    def _moments(self) -> Moments:
        """Exact expectations of every vector's square."""

        def look(before: State, after: State) -> list[Floats]:
            vectors = self.vectors(before, after)
            self._names = list(vectors)
            return list(vectors.values())

        # a user's vectors may count rounds
        own = is_own(type(self))
        return Moments(self.setting, look, self.first, repeats=own)

    def _rows_of(self, moments: Moments, counts: Sequence[int]) -> list[Row]:
        """The rows at T = ``counts``, increasing."""
        rows = []
        for T in counts:
            every = moments.at(T)  # ``look`` has told the names by then
            found = dict(zip(self._names, every, strict=True))
            value, room = self._of(found[self.value])
            at: dict[str, Any] = {"T": float(T)}
            for constant, name in self.symbols.items():
                at[constant] = no_less(*self._of(found[name]), f"exact moment of {name}", 0.0)
            rows.append(Row(np.array([max(value, 0.0)]), at, f"T={T}", rounding=room))
        return rows

    def _of(self, moment: Moment) -> tuple[float, float]:
        if self.average:
            return moment.mean, moment.mean_room
        return moment.last, moment.last_room


def _stacked(states: Sequence[State]) -> State:
    """The states of B rounds as one, their runs below one another and t (B,)."""

    def all_of(name: str) -> Any:
        parts = [getattr(state, name) for state in states]
        return None if parts[0] is None else np.concatenate(parts)

    arrays = {name: all_of(name) for name in ("x", "w", "z", "v")}
    t: Any = np.array([state.t for state in states])
    return replace(states[0], t=t, **arrays)
