"""The columns of a run in the outcomes of its law: in all of them, or in the likeliest.

What all outcomes show is the expectation itself. What a few hundred of them show is a limit that no
chance of error goes with: where X is never below a, E X >= a + sum_k p_k (x_k - a) over any
outcomes k of chances p_k. So a mean that lies in rare outcomes is seen where runs are all alike.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.algorithms import UNSEEDED
from theorylab.runs._columns import Table, check_first_state, record_state
from theorylab.runs.generators import undrawn
from theorylab.runs.laws import FEW, Chunk, enumeration
from theorylab.runs.rounds import states
from theorylab.runs.setting import Setting
from theorylab.runs.trace import WORK_COLUMNS, Trace
from theorylab.runs.way import Way

Floats = NDArray[Any]

LIKELIEST = 512  # outcomes, where all are too many
_LEAST = 32  # fewer tell nothing that runs do not
_WORK = 1 << 20  # numbers of all models, over all rounds and outcomes


@dataclass(frozen=True)
class Listed:
    """A column in K outcomes: (K, T) in ``trace``, which has their chances as its ``weights``.

    whole: they are all outcomes. mass: the sum of their chances, at most that, but for rounding.
    """

    trace: Trace
    whole: bool

    @property
    def mass(self) -> float:
        assert self.trace.weights is not None
        return float(self.trace.weights.sum())

    def expectation(self) -> Trace:
        """One row of expectations, of a law that is ``whole``."""
        trace, weights = self.trace, self.trace.weights
        assert weights is not None
        columns = {k: (weights[:, None] * v).sum(axis=0)[None] for k, v in trace.columns.items()}
        last = {k: (weights * v).sum(keepdims=True) for k, v in trace.last.items()}
        one = np.zeros(1, np.int64)
        return replace(trace, columns=columns, last=last, runs=one, weights=None)


def outcomes_for(setting: Setting) -> int:
    """How many of the likeliest outcomes are played: as many as their work allows, or 0."""
    most = min(LIKELIEST, _WORK // (setting.rounds * setting.start.size))
    return most if most >= _LEAST else 0


def listed(setting: Setting, column: str, average: Floats | None = None) -> Listed | None:
    """That column of every run in the outcomes of what is drawn; None where nothing can be listed,
    or where it would cost more than a sample.

    average: the weights (T,) of the average iterate, where the column is asked for there, too.
    """
    if column in WORK_COLUMNS:
        return None
    most = _WORK // (setting.rounds * setting.start.size)
    if not outcomes_for(setting):
        return None
    try:
        with undrawn(setting.algorithm):
            law = enumeration(setting, min(FEW, most), rare=True)
            if law.whole:
                chunks = list(law.chunks())
            else:
                chunk = law.likeliest(outcomes_for(setting))
                chunks = [] if chunk is None else [chunk]
            traces = [_played(setting, column, chunk, average) for chunk in chunks]
    except ValueError:  # nothing to list, too many outcomes, or no budget for them
        return None
    if not traces or not all(_finite(trace) for trace in traces):
        return None  # a sample says which run overflows, and when
    trace = traces[0]
    for other in traces[1:]:
        trace = trace.joined(other)
    return Listed(replace(trace, weights=np.concatenate([c.weights for c in chunks])), law.whole)


def _played(setting: Setting, column: str, chunk: Chunk, average: Floats | None) -> Trace:
    runs = len(chunk.numbers)
    table: Table = {column: np.full((runs, setting.rounds), np.nan)}
    way, last = Way(np.zeros(0) if average is None else average), None
    with np.errstate(all="ignore"):
        for before, after in states(setting, chunk.numbers, UNSEEDED, chunk, None):
            if before is None:
                check_first_state([column], after, setting.problem)
            else:
                record_state(table, before.t, setting.problem, before)
                way.see(before, 1)
            last = after
        assert last is not None
        way.see(last, 1)
        end: Table = {column: np.full((runs, 1), np.nan)}
        record_state(end, 0, setting.problem, last)
        there = {} if average is None else way.columns(setting.problem, column)
    return Trace(
        table,
        chunk.numbers,
        True,
        last={column: end[column][:, 0]},
        size=way.size,
        iterate=there,
    )


def _finite(trace: Trace) -> bool:
    tables = (trace.columns, trace.last, trace.iterate)
    return all(np.isfinite(values).all() for table in tables for values in table.values())
