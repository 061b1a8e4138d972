"""Rounds between two that are recorded, in one call of a kernel, where all parts are its own.

An algorithm declares its ``round_phases``; a subclass that writes one of them anew is not what was
declared, and neither are a problem or a network with methods of their own: then ``step`` is played.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.algorithms import Algorithm, Audits, Phases, State, declared_phases, step_counts
from theorylab.kernels import ClientLosses, DrawnNetwork, Mixing, rounds
from theorylab.problems import Problem, kernel_losses
from theorylab.topologies import Topology

LONGEST = 256  # rounds of a call, so that progress is told
_PERIOD = 64  # matrices that are kept


@dataclass(frozen=True)
class Fused:
    """Plays rounds of one run; see ``fused``."""

    phases: Phases
    losses: ClientLosses
    network: DrawnNetwork | Mixing
    seed: int
    runs: NDArray[np.int64]
    graphs: NDArray[np.int64]
    steps: int
    counts: NDArray[np.int64] | None
    conserves: bool
    audits: Audits

    def play(self, state: State, end: int) -> State:
        """The state at round ``end``. Raises what the audits of single rounds raise."""
        x, w, z, fault = rounds(
            self.losses, self.network, np.ascontiguousarray(state.x), state.w,
            seed=self.seed, first=state.t,
            etas=np.array([self.phases.eta(t) for t in range(state.t, end)]),
            runs=self.runs, graphs=self.graphs, steps=self.steps, counts=self.counts,
            alpha=self.phases.alpha, rho=self.phases.rho,
            push_sum=self.phases.push_sum, conserves=self.conserves,
        )  # fmt: skip
        if fault is not None:
            self.audits.found(fault.what, fault.t, fault.number)
        if not self.phases.push_sum:
            return replace(state, t=end, x=x, z=x)
        return State(end, x, w, z, state.v, None, state.memory)


def fused(
    problem: Problem,
    topology: Topology,
    algorithm: Algorithm,
    state: State,
    *,
    seed: int,
    runs: NDArray[np.int64],
    graph_run: int | None,
    audits: Audits,
) -> Callable[[State, int], State] | None:
    """What plays rounds by a kernel, or None where only ``step`` does.

    Its states have the bits of ``step`` played round by round.
    """
    phases = declared_phases(algorithm)
    if phases is None or topology.networks:
        return None
    if type(state.x) is not np.ndarray or state.flight is not None:
        return None
    losses = kernel_losses(problem, state.x.dtype)
    cycle = topology.cycle(_PERIOD)
    network: Any = topology.drawn if cycle is None else Mixing(cycle)
    if losses is None or network is None:
        return None
    graphs = runs if graph_run is None else np.array([graph_run], np.int64)
    steps, counts = step_counts(phases.steps, len(runs), problem.clients)
    conserves = topology.column_stochastic
    return Fused(phases, losses, network, seed, runs, graphs, steps, counts, conserves, audits).play
