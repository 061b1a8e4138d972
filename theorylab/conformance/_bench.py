"""Small instances on which algorithms and metrics are tried: losses, networks, states."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from theorylab.algorithms import UNSEEDED, Algorithm, State, numbers
from theorylab.conformance._compare import Floats, same
from theorylab.problems import Problem, problem
from theorylab.runs import Faults, Rounds
from theorylab.topologies import Topology, topology

CLIENTS, SEED = 6, 3
_LOSSES = (
    ("quadratic", {"dim": 3, "sigma": 0.1}),
    ("coupled-quadratic", {"sigma_u": 0.1, "sigma_v": 0.1}),
    ("mixture", {"batch": 4}),
)
_UNKNOWN = re.compile(r"has no network '([^']+)'")
_PULLS = (
    "pull",
    "row",
    "r",
    "in",
    "a",
)  # of two networks, how the one is called whose rows sum to 1


@dataclass(frozen=True)
class Bench:
    """Losses and a network of ``CLIENTS`` clients."""

    problem: Problem
    topology: Topology

    @property
    def name(self) -> str:
        network = self.topology
        parts = ", ".join(f"{k}: {v.name}" for k, v in network.networks.items())
        return f"{self.problem.name} over {parts or network.name}"

    def start(self, runs: int = 3) -> Floats:
        """Models (R, n, d), another one for every client."""
        shape = (runs, self.problem.clients, self.problem.dim)
        return np.random.Generator(np.random.Philox(5)).standard_normal(shape)

    def rounds(
        self,
        method: Algorithm,
        ids: Sequence[int],
        faults: Faults | None = None,
        samples: Any = None,
    ) -> Rounds:
        """What plays the runs ``ids``; with ``samples`` the step is handed its draws."""
        seed = SEED if samples is None else UNSEEDED
        runs = np.asarray(ids, np.int64)
        return Rounds(self.problem, self.topology, method, runs, seed, 0, faults, samples)

    def played(self, method: Algorithm, x: Floats, ids: Sequence[int], rounds: int) -> State:
        """The state after some rounds from the models ``x`` (R, n, d)."""
        return last(self.rounds(method, ids), self.first(method, x), rounds)

    def first(self, method: Algorithm, x: Floats) -> State:
        """The first state from ``x``."""
        return method.init(self.problem.points(x.copy()), self.problem)


def last(play: Rounds, state: State, rounds: int) -> State:
    """The state ``rounds`` rounds later."""
    for _ in range(rounds):
        state = play.play(state)
    play.audits.settle()
    return state


def benches() -> Iterator[Bench]:
    """From the plainest losses on, each over a directed network and over a symmetric one."""
    for name, options in _LOSSES:
        losses = problem(name, CLIENTS, **options)
        for network in ("random-out", "ring"):
            options = {"degree": 2, "seed": 1} if network == "random-out" else {}
            yield Bench(losses, topology(network, CLIENTS, **options))


def with_network(bench: Bench, error: Exception) -> Bench | None:
    """The bench with the network that a step asked for by name; None where it asked for none."""
    asked = _UNKNOWN.search(str(error))
    if asked is None:
        return None
    of = {name: part.describe() for name, part in bench.topology.networks.items()}
    if asked[1] in of or len(of) > 3:
        return None
    kind = "random-in" if asked[1].lower().startswith(_PULLS) else "random-out"
    of[asked[1]] = {"name": kind, "degree": 2, "seed": 1 + len(of)}
    return replace(bench, topology=topology("networks", CLIENTS, of=of))


def arrays(state: State) -> dict[str, Any]:
    """Every array of a state, by name, as NumPy."""
    found: dict[str, Any] = {}
    for each in fields(state):
        value = getattr(state, each.name)
        if each.name in ("x", "w", "z", "v") and value is not None:
            found[each.name] = numbers(value)
    found |= {f"flight {k}": numbers(a) for k, a in enumerate(state.flight or ())}
    found |= {name: numbers(a) for name, a in state.memory.items()}
    return found


def first_difference(a: dict[str, Any], b: dict[str, Any]) -> str:
    """The name of the first array that is not the same, "" where all are."""
    if a.keys() != b.keys():
        return ", ".join(sorted(a.keys() ^ b.keys()))
    return next((name for name, value in a.items() if not same(value, b[name])), "")
