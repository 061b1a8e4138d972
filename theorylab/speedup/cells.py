"""The error of a protocol at one number of clients: exact, or run by run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.algorithms import Algorithm, State
from theorylab.problems import Problem
from theorylab.runs import (
    Moments,
    NotAffineError,
    Setting,
    initial_models,
    simulate,
)
from theorylab.runs.gradients import counted_gradients
from theorylab.runs.messages import sent_by_round
from theorylab.speedup.protocol import MAIN, Arm, Protocol

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Errors:
    """values: (R, S), run by run at the rounds of the grid. room: (S,), what rounding can do.

    exact: there is one row, and it is the expectation.
    """

    values: Floats
    room: Floats
    exact: bool


class Measure:
    """Vectors (R, m) of a state whose squared norm is the error."""

    def __init__(self, protocol: Protocol, losses: Problem, method: Algorithm) -> None:
        self.protocol, self.losses, self.method = protocol, losses, method

    def vectors(self, state: State) -> Floats:
        x, reference = state.x, self.protocol.reference
        if state.v is not None:
            if self.protocol.measure == "mean":
                return self._shared(x.mean(axis=1), state)
            if self.protocol.measure == "deprl":
                return self._printed(state)
            each = [self._shared(z, state) for z in np.swapaxes(state.z, 0, 1)]
            return np.asarray(np.concatenate(each, axis=1) / np.sqrt(len(each)))
        if self.protocol.measure == "mean":
            return np.asarray(reference.mean_gradient(np.ascontiguousarray(x.mean(axis=1))))
        runs, n, d = state.z.shape
        slopes = reference.mean_gradient(np.ascontiguousarray(state.z.reshape(runs * n, d)))
        return np.asarray(slopes.reshape(runs, n * d) / np.sqrt(n))

    def _shared(self, u: Floats, state: State) -> Floats:
        """The mean over clients of the gradient in the shared part, at u (R, d_u) and own parts."""
        every = np.broadcast_to(u[:, None], state.x.shape)
        slopes = self.losses.gradient(np.concatenate([every, state.v], axis=2)).mean(axis=1)
        return np.asarray(slopes[:, : self.losses.shared])

    def _printed(self, state: State) -> Floats:
        """DePRL's M(k) as squares: (12) of its Theorem 1, the heads' weight alpha tau / beta."""
        given, losses = self.method.options(), self.losses
        weight = given["alpha"] * given["tau"] / given["beta"] / losses.clients
        own = losses.gradient(np.concatenate([state.z, state.v], axis=2))[..., losses.shared :]
        heads = np.sqrt(weight) * own.reshape(len(own), -1)
        shared = self._shared(state.x.mean(axis=1), state)
        return np.asarray(np.concatenate([shared, heads], axis=1))

    def squares(self, state: State) -> Floats:
        made = self.vectors(state)
        return np.asarray((made * made).sum(axis=1), np.float64)


def exact_errors(protocol: Protocol, clients: int, arm: Arm) -> Errors:
    """Expectations at the rounds of the grid, from the moments of affine rounds.

    Raises NotAffineError where a round is no affine map with additive noise.
    """
    losses, network = protocol.losses(clients, arm), protocol.topology(clients, arm)
    made = protocol.algorithm(clients, arm)
    measure = Measure(protocol, losses, made)

    def look(before: State, after: State) -> Sequence[Any]:
        return [measure.vectors(before)]

    start = initial_models(losses, 1)[0]
    moments = Moments(Setting(losses, network, made, {}, protocol.rounds, start), look)
    with np.errstate(all="ignore"):
        found = [moments.at(t)[0] for t in protocol.grid]
    values = np.array([[each.last for each in found]])
    return Errors(values, np.array([each.last_room for each in found]), True)


def sampled_errors(
    protocol: Protocol, clients: int, arm: Arm, runs: Sequence[int], seed: int
) -> Errors:
    """The errors of the runs with these ids; the same ids draw the same at every n.

    Raises ValueError, one line, where a run diverges.
    """
    losses, network = protocol.losses(clients, arm), protocol.topology(clients, arm)
    method, rows = protocol.algorithm(clients, arm), dict[int, Floats]()
    measure = Measure(protocol, losses, method)

    def watch(states: State, count: int) -> None:
        for k, row in enumerate(measure.squares(states).reshape(count, -1)):
            rows[states.t + k * protocol.every] = row

    with np.errstate(all="ignore"):
        trace = simulate(
            losses,
            network,
            method,
            rounds=protocol.rounds,
            runs=runs,
            seed=seed,
            columns=(),
            every=protocol.every,
            watch=watch,
        )
    values = np.stack([rows[t] for t in protocol.grid], axis=1)
    return Errors(values, np.zeros(values.shape[1]), trace.exact)


def errors(
    protocol: Protocol, clients: int, arm: Arm, runs: Sequence[int], seed: int, exact: bool
) -> Errors:
    """Either of the two; ValueError, one line, where the error leaves float64."""
    if exact:
        made = exact_errors(protocol, clients, arm)
    else:
        made = sampled_errors(protocol, clients, arm, runs, seed)
    if not np.isfinite(made.values).all():
        raise ValueError(
            f"speedup: {protocol.method} diverges at {clients} clients; need a smaller step size"
        )
    return made


def has_moments(protocol: Protocol, clients: int) -> bool:
    """Whether rounds are affine with additive noise, so that nothing need be sampled."""
    try:
        exact_errors(replace(protocol, rounds=1), clients, Arm())
    except NotAffineError:
        return False
    return True


def gradients_a_round(protocol: Protocol, clients: int) -> int | None:
    """Gradient evaluations of all clients in a round; None where they are not counted."""
    method = protocol.algorithm(clients, MAIN)
    return counted_gradients(
        protocol.losses(clients, MAIN), protocol.topology(clients, MAIN), method
    )


def messages_a_round(protocol: Protocol, clients: int, rounds: int) -> float | None:
    """Messages of all clients in a round, on average over the first ones; None where the edges of
    P(t) are not what is sent."""
    network = protocol.topology(clients, MAIN)
    several = min(rounds, network.period or 64)
    sent = sent_by_round(protocol.algorithm(clients, MAIN), network, several)
    return None if sent is None else float(sent.mean())
