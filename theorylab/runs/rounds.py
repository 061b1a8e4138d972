"""The rounds of R runs: what surrounds each, and the one place where ``step`` is played."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.algorithms import Algorithm, Audits, Context, Recorder, Samples, State, play
from theorylab.problems import Problem
from theorylab.runs.faults import Faults
from theorylab.topologies import Topology


@dataclass(frozen=True)
class Rounds:
    """Rounds of ``algorithm`` on ``problem`` over ``topology`` for the runs ``ids`` (R,).

    graph_run: the run whose edges every run sees; None gives each run its own edges.
    faults: what goes wrong. samples: a law that hands out the samples, ``seed`` is then
    ``UNSEEDED``.
    """

    problem: Problem
    topology: Topology
    algorithm: Algorithm
    ids: NDArray[np.int64]
    seed: int
    graph_run: int | None = 0
    faults: Faults | None = None
    samples: Samples | None = None
    audits: Audits = field(default_factory=Audits)
    uploaded: dict[int, Any] = field(default_factory=dict)

    def play(self, state: State, record: Recorder | None = None) -> State:
        """The state after round ``state.t``."""
        return play(self.algorithm, state, self.context(state.t, record))

    def context(self, t: int, record: Recorder | None = None) -> Context:
        """The surroundings of round t."""
        faults, conserves = self.faults, self.topology.column_stochastic
        averages, effort, mixing = not conserves, None, self._mixing(t)
        if faults is not None:
            averages = averages and faults.keep_rows
            mixing, effort, conserves = faults.apply(mixing, self.seed, self.ids, t, conserves)
        return Context(
            self.problem,
            mixing,
            self.seed,
            self.ids,
            record,
            effort,
            conserves,
            audits=self.audits,
            uploaded=self.uploaded,
            samples=self.samples,
            averages=averages,
        )

    def _mixing(self, t: int) -> Any:
        if self.graph_run is not None:
            return self.topology.matrix(t, self.graph_run)
        if self.topology.period is not None:
            return self.topology.matrix(t)
        return [self.topology.matrix(t, int(run)) for run in self.ids]
