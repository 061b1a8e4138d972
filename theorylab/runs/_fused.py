"""Rounds between two that are recorded, in one call of a kernel, where all parts are its own.

An algorithm declares its ``round_phases``; a subclass that writes one of them anew is not what was
declared, and neither are a problem or a network with methods of their own: then ``step`` is played.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from array_api_compat import array_namespace
from numpy.typing import NDArray

from theorylab.algorithms import (
    Algorithm,
    Audits,
    Phases,
    State,
    declared_phases,
    step_counts,
)
from theorylab.kernels import (
    ClientLosses,
    DeviceRounds,
    DrawnNetwork,
    Mixing,
    on_device,
    rounds,
)
from theorylab.problems import Problem, kernel_losses
from theorylab.topologies import Topology

LONGEST = 256  # rounds of a call, so that progress is told
_PERIOD = 64  # matrices that are kept
_APART = 4  # rounds between two records on a GPU; closer ones cost more copies than is won
_SMALL = 64 << 20  # bytes on a GPU; the kernels of larger models take longer than launches


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

    def play(self, state: State, ends: NDArray[np.int64]) -> tuple[State | None, State]:
        """The states at the starts of rounds ``ends`` (K,): those before the last, one below
        another (None if there are none), and the last. Raises what the audits of single rounds
        raise."""
        end = int(ends[-1])
        x, w, z, fault = rounds(
            self.losses, self.network, np.ascontiguousarray(state.x), state.w,
            seed=self.seed, first=state.t, ends=ends - state.t,
            etas=np.array([self.phases.eta(t) for t in range(state.t, end)]),
            runs=self.runs, graphs=self.graphs, steps=self.steps, counts=self.counts,
            alpha=self.phases.alpha, rho=self.phases.rho,
            push_sum=self.phases.push_sum, conserves=self.conserves,
        )  # fmt: skip
        if fault is not None:
            self.audits.found(fault.what, fault.t, fault.number)
        if not self.phases.push_sum:
            z = x
        before = None
        if len(ends) > 1:
            some = [part[:-1].reshape(-1, *part.shape[2:]) for part in (x, w, z)]
            before = replace(state, t=int(ends[0]), x=some[0], w=some[1], z=some[2])
        return before, replace(state, t=end, x=x[-1], w=w[-1], z=z[-1])


@dataclass(frozen=True)
class FusedThere:
    """Plays rounds on a GPU, whose launches are put together once."""

    phases: Phases
    rounds: DeviceRounds
    conserves: bool
    audits: Audits

    def play(self, state: State, ends: NDArray[np.int64]) -> tuple[None, State]:
        """The state at round ``ends`` (1,). Raises what the audits of single rounds raise."""
        (end,) = ends.tolist()
        first, played, push_sum = state.t, self.rounds, self.phases.push_sum
        etas = np.array([self.phases.eta(t) for t in range(first, end)])
        looked = [
            push_sum and self.conserves and self.audits.models_of(t) for t in range(first, end)
        ]
        # A round whose models are audited stands alone: the next one writes over them.
        cuts = [k for k in range(1, end - first) if looked[k] or looked[k - 1]]
        played.start(state.x, state.w)
        for begin, stop in pairwise([0, *cuts, end - first]):
            played.play(first + begin, etas[begin:stop], begin)
            if looked[begin]:
                self.audits.sums(first + begin, "x", played.half, played.x)
        xp = array_namespace(played.x)
        x, z = (xp.asarray(a, copy=True) for a in (played.x, played.z))
        if not push_sum:
            return None, replace(state, t=end, x=x, z=x)
        self.audits.rounds(first, played.weights[: end - first + 1], self.conserves)
        self.audits.settle()
        w = xp.asarray(played.weights[end - first], copy=True)
        return None, State(end, x, w, z, state.v, None, state.memory)


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
    every: int = LONGEST,
) -> Callable[[State, NDArray[np.int64]], tuple[State | None, State]] | None:
    """What plays rounds by a kernel, or None where only ``step`` does.

    Its states have the bits of ``step`` played round by round. every: rounds between two records.
    """
    phases = declared_phases(algorithm)
    if phases is None or topology.networks:
        return None
    host = type(state.x) is np.ndarray
    if state.flight is not None or not (host or _pays_there(state, every)):
        return None
    kind = np.dtype(str(state.x.dtype).removeprefix("torch."))
    losses = kernel_losses(problem, kind) if host else _losses_there(problem, kind)
    cycle = topology.cycle(_PERIOD)
    network: Any = topology.drawn if cycle is None else cycle
    if losses is None or network is None:
        return None
    graphs = runs if graph_run is None else np.array([graph_run], np.int64)
    steps, counts = step_counts(phases.steps, len(runs), problem.clients)
    conserves = topology.column_stochastic
    if not host:
        if cycle is not None:
            network = [Mixing(P) for P in cycle]
        try:
            there = DeviceRounds(
                losses, network, state.x, seed=seed, runs=runs, graphs=graphs, steps=steps,
                counts=counts, alpha=phases.alpha, rho=phases.rho, push_sum=phases.push_sum,
                longest=min(every, LONGEST) if phases.push_sum else 1,
            )  # fmt: skip
        except NotImplementedError:
            return None
        return FusedThere(phases, there, conserves, audits).play
    if cycle is not None:
        network = Mixing(cycle)
    return Fused(phases, losses, network, seed, runs, graphs, steps, counts, conserves, audits).play


def _losses_there(problem: Problem, kind: np.dtype[Any]) -> ClientLosses | None:
    from theorylab.problems import placed_losses  # every problem's form comes along

    return placed_losses(problem, kind)


def _pays_there(state: State, every: int) -> bool:
    """Whether the models are on a GPU, and few enough that launches take a part of the time."""
    if not on_device(state.x) or every < _APART:
        return False
    kept = (1 + min(every, LONGEST)) * state.w.nbytes
    return bool(0 < state.x.nbytes <= _SMALL - kept)
