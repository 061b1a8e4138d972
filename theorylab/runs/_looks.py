"""Looks at the states of a run: those of several rounds at once, where a look costs more than a
round."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.algorithms import Algorithm, State
from theorylab.own import is_own
from theorylab.problems import Problem, exact_batches
from theorylab.runs._columns import (
    LocalGradients,
    Table,
    record_after,
    record_local,
    record_state,
)
from theorylab.runs._fused import LONGEST
from theorylab.runs.trace import LOCAL_COLUMNS

NUMBERS = 1 << 15  # of the states that are looked at together: they stay in a core's cache
Watch = Callable[[State, int], None]  # (states below one another, of how many rounds)


class DivergedError(ValueError):
    """A recorded column overflowed: the run before that round is sound, the rest does not exist."""


def lost(values: NDArray[Any]) -> str:
    """What numbers of which some are not finite did: a nan that comes of no infinity is no growth.

    >>> lost(np.array([1.0, np.nan])), lost(np.array([np.inf, np.nan]))
    ('is nan', 'overflowed')
    """
    return "overflowed" if np.isinf(values).any() or not np.isnan(values).any() else "is nan"


def left_float64(name: str, values: NDArray[Any], t: int) -> DivergedError:
    """What is wrong with a column that is not finite at round ``t``: a start out of range, growth,
    or a nan that no infinity explains.

    >>> str(left_float64("loss", np.array([np.nan]), 3))
    'simulate: loss is nan at round 3; need an update without 0/0, or a smaller step size'
    """
    where = "at the start" if t == 0 else f"at round {t}"
    if lost(values) == "is nan":
        cure = "an update without 0/0, or a smaller step size" if t else "a start where it is none"
        return DivergedError(f"simulate: {name} is nan {where}; need {cure}")
    cure = "a smaller step size" if t else "a start nearer to 0, or other units"
    return DivergedError(f"simulate: {name} overflowed {where}; need {cure}")


class Looks:
    """Writes the columns of a run's states, at rounds 0, every, 2 every, ..., into ``table``.

    States wait until there are ``most``, and are then looked at as one batch of runs. A batch has
    the bits of its runs, so the numbers are those of one look a round.

    Args:
        first: the state of some round. watch: is given the states after they were recorded.
    """

    def __init__(
        self,
        table: Table,
        problem: Problem,
        algorithm: Algorithm,
        every: int,
        first: State,
        watch: Watch | None = None,
    ) -> None:
        self.table, self.problem, self.algorithm = table, problem, algorithm
        self.every, self.watch = every, watch
        self.local = any(name in LOCAL_COLUMNS for name in table)
        self.most = 1
        own = is_own(type(algorithm))  # its steps change no state
        if own and not self.local and type(first.x) is np.ndarray and exact_batches(problem):
            size = first.z.size + (0 if first.v is None else first.v.size)
            self.most = min(LONGEST, max(1, NUMBERS // max(1, size)))
        self.heard = False  # ``watch`` has raised: that is the caller's, and nothing is tried again
        self._waiting: list[State] = []
        self._after: list[State] = []  # the states one round later, where a column asks for them
        self._count = 0  # rounds that wait

    def ends(self, t: int, rounds: int) -> NDArray[np.int64]:
        """The rounds after round t at whose starts whoever plays many hands out a state."""
        last = min(rounds, t + LONGEST)
        wanted = np.arange(t // self.every + 1, last // self.every + 1)[: self.most] * self.every
        if len(wanted) < self.most and last not in wanted[-1:]:
            wanted = np.append(wanted, last)
        return wanted

    def at(self, states: State, count: int = 1) -> None:
        """The states, one below another, of ``count`` rounds that are recorded."""
        if self._waiting and self._waiting[0].memory.keys() != states.memory.keys():
            self.finish()  # an own model is kept from the first round on
        if self.most == 1:  # before the round is played: a step may change what it is given
            record_state(self.table, states.t // self.every, self.problem, states)
        self._waiting.append(states)
        self._count += count

    def played(self, after: State, record: LocalGradients | None = None) -> None:
        """The round that was recorded last has led to ``after``; ``record`` saw its local steps."""
        if "gradient_u" in self.table:
            self._after.append(after)
        if self._count >= self.most:
            self.finish(record)

    def finish(self, record: LocalGradients | None = None) -> None:
        """Look at what waits. Raises DivergedError at the first round that overflowed."""
        count, self._count = self._count, 0
        if not count:
            return
        states = together(self._waiting)
        s, after = states.t // self.every, together(self._after) if self._after else None
        self._waiting, self._after = [], []
        if self.most > 1:
            with np.errstate(all="ignore"):  # rounds after one that overflowed are looked at, too
                record_state(self.table, s, self.problem, states, count)
        if after is not None:
            record_after(self.table, s, self.problem, states, after, count)
        if record is not None:
            record_local(self.table, s, states, record, self.algorithm)
        self._check(states.t, count)
        if self.watch is not None:
            self.heard = True
            self.watch(states, count)
            self.heard = False

    def alone(self, recorded: bool) -> None:
        """Look at what waits, but for the round at hand where it is ``recorded``: it has failed.
        From here on every round is looked at by itself."""
        if recorded and self._waiting:  # none waits where looking at them failed
            self._waiting.pop()
            self._count -= 1
        self.finish()
        self.most = 1

    def _check(self, t: int, count: int) -> None:
        first = t // self.every
        parts = {name: values[:, first : first + count] for name, values in self.table.items()}
        if all(math.isfinite(np.add.reduce(part, axis=None)) for part in parts.values()):
            return
        for k in range(count):
            for name, part in parts.items():
                if not math.isfinite(np.add.reduce(part[:, k])):
                    raise left_float64(name, part[:, k], t + k * self.every)


def together(states: Sequence[State]) -> State:
    """The states of all runs of all of them, one below another."""
    first = states[0]
    if len(states) == 1:
        return first
    parts: dict[str, Any] = {
        name: np.concatenate([getattr(state, name) for state in states])
        for name in ("x", "w", "z", "v")
        if getattr(first, name) is not None
    }
    own = [state.memory["own"] for state in states if "own" in state.memory]
    memory = {"own": np.concatenate(own)} if own else {}
    return replace(first, **parts, flight=None, memory=memory)
