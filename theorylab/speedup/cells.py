"""The error of a protocol at one number of clients: exact, or run by run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.algorithms import Algorithm, State, numbers
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
ENDS = ("mean", "clients")  # measures of which the end is always known


@dataclass(frozen=True)
class Errors:
    """values: (R, S), run by run at the rounds of the grid. room: (S,), what rounding can do.

    ends: (R, 2), at the end the error at the mean model, and the clients' own, with ends_room (2,).
    exact: there is one row, and it is the expectation.
    """

    values: Floats
    room: Floats
    ends: Floats
    ends_room: Floats
    exact: bool

    def __add__(self, more: Errors) -> Errors:
        """The runs of both."""
        values, ends = (
            np.concatenate(pair) for pair in ((self.values, more.values), (self.ends, more.ends))
        )
        return Errors(values, more.room, ends, more.ends_room, False)


class Measure:
    """Vectors (R, m) of a state whose squared norm is the error."""

    def __init__(self, protocol: Protocol, losses: Problem, method: Algorithm) -> None:
        self.protocol, self.losses, self.method = protocol, losses, method

    def vectors(self, state: State, measure: str = "") -> Floats:
        """Of the protocol's measure, or of another one."""
        made = self._vectors(state, measure or self.protocol.measure)
        return np.asarray(numbers(made), np.float64)

    def _vectors(self, state: State, measure: str) -> Any:
        x, reference = state.x, self.protocol.reference
        if state.v is not None:
            if measure == "mean":
                return self._shared(x.mean(axis=1), state)
            if measure == "deprl":
                return self._printed(state)
            each = [self._shared(z, state) for z in state.z.swapaxes(0, 1)]
            return _joined(each, 1) / len(each) ** 0.5
        if measure == "mean":
            return reference.mean_gradient(_whole(x.mean(axis=1)))
        runs, n, d = state.z.shape
        if bool((state.z == state.z[:, :1]).all()):  # over a complete network: n times less work
            return _joined([reference.mean_gradient(_whole(state.z[:, 0]))] * n, 1) / n**0.5
        slopes = reference.mean_gradient(_whole(state.z.reshape(runs * n, d)))
        return slopes.reshape(runs, n * d) / n**0.5

    def _shared(self, u: Any, state: State) -> Any:
        """The mean over clients of the gradient in the shared part, at u (R, d_u) and own parts."""
        every = _every(u, state.x.shape[1])
        slopes = self.losses.gradient(_joined([every, state.v], 2)).mean(axis=1)
        return slopes[:, : self.losses.shared]

    def _printed(self, state: State) -> Any:
        """DePRL's M(k) as squares: (12) of its Theorem 1, the heads' weight alpha tau / beta."""
        given, losses = self.method.options(), self.losses
        weight = given["alpha"] * given["tau"] / given["beta"] / losses.clients
        own = losses.gradient(_joined([state.z, state.v], 2))[..., losses.shared :]
        heads = weight**0.5 * own.reshape(len(own), -1)
        return _joined([self._shared(state.x.mean(axis=1), state), heads], 1)

    def squares(self, state: State, measure: str = "") -> Floats:
        made = self.vectors(state, measure)
        return np.asarray((made * made).sum(axis=1), np.float64)


def _joined(parts: Sequence[Any], axis: int) -> Any:
    """Arrays of NumPy or of torch, one behind the other."""
    if isinstance(parts[0], np.ndarray):
        return np.concatenate(parts, axis=axis)
    import torch

    return torch.cat(list(parts), dim=axis)


def _every(u: Any, clients: int) -> Any:
    """u (R, d) for each client, (R, n, d)."""
    shape = (len(u), clients, u.shape[1])
    if isinstance(u, np.ndarray):
        return np.broadcast_to(u[:, None], shape)
    return u[:, None].expand(shape)


def _whole(x: Any) -> Any:
    return np.ascontiguousarray(x) if isinstance(x, np.ndarray) else x.contiguous()


def exact_errors(protocol: Protocol, clients: int, arm: Arm) -> Errors:
    """Expectations at the rounds of the grid, from the moments of affine rounds.

    Raises NotAffineError where a round is no affine map with additive noise.
    """
    losses, network = protocol.losses(clients, arm), protocol.topology(clients, arm)
    made = protocol.algorithm(clients, arm)
    measure = Measure(protocol, losses, made)

    try:
        start = initial_models(losses, 1)[0]
    except ValueError as error:  # another start in every run: its moments are no numbers
        raise NotAffineError(str(error)) from None
    setting = Setting(losses, network, made, {}, protocol.rounds, start)

    def expected(name: str, rounds: Sequence[int]) -> Floats:
        """(2, S): the error and what rounding can do to it."""

        def look(before: State, after: State) -> Sequence[Any]:
            return [measure.vectors(before, name)]

        moments = Moments(setting, look)
        with np.errstate(all="ignore"):
            found = [moments.at(t)[0] for t in rounds]
        return np.array(
            [(e.mean, e.mean_room) if protocol.average else (e.last, e.last_room) for e in found]
        ).T

    values, room = expected(protocol.measure, protocol.grid)
    ends, ends_room = np.transpose(
        [
            [values[-1], room[-1]] if name == protocol.measure
            else expected(name, [protocol.rounds])[:, 0]
            for name in ENDS
        ]
    )  # fmt: skip
    return Errors(values[None], room, ends[None], ends_room, True)


def sampled_errors(
    protocol: Protocol, clients: int, arm: Arm, runs: Sequence[int], seed: int
) -> Errors:
    """The errors of the runs with these ids; the same ids draw the same at every n.

    Raises ValueError, one line, where a run diverges.
    """
    losses, network = protocol.losses(clients, arm), protocol.topology(clients, arm)
    method, rows = protocol.algorithm(clients, arm), dict[int, Floats]()
    measure, last = Measure(protocol, losses, method), set(protocol.grid[-protocol.end :])
    ends = {name: dict[int, Floats]() for name in ENDS}

    def watch(states: State, count: int) -> None:
        def squares(name: str = "") -> Iterator[tuple[int, Floats]]:
            for k, row in enumerate(measure.squares(states, name).reshape(count, -1)):
                yield states.t + k * protocol.every, row

        rows.update(squares())
        for name, seen in ends.items():
            if name != protocol.measure and states.t + (count - 1) * protocol.every in last:
                seen.update(squares(name))

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
    late = [
        np.mean([(rows if name == protocol.measure else seen)[t] for t in last], axis=0)
        for name, seen in ends.items()
    ]
    room = np.zeros(values.shape[1])
    return Errors(values, room, np.stack(late, axis=1), np.zeros(len(late)), trace.exact)


def errors(
    protocol: Protocol, clients: int, arm: Arm, runs: Sequence[int], seed: int, exact: bool
) -> Errors:
    """Either of the two; ValueError, one line, where the error leaves float64."""
    if exact:
        made = exact_errors(protocol, clients, arm)
    else:
        made = sampled_errors(protocol, clients, arm, runs, seed)
    if not (np.isfinite(made.values).all() and np.isfinite(made.ends).all()):
        raise ValueError(
            f"speedup: {protocol.method} diverges at {clients} clients; need a smaller step size"
        )
    return made


@dataclass(frozen=True)
class Cell:
    """Some runs of an arm at one number of clients; ``exact``: its expectation, one row."""

    protocol: Protocol
    clients: int
    arm: Arm
    runs: tuple[int, ...]
    seed: int
    exact: bool

    @property
    def document(self) -> dict[str, Any]:
        """All that decides its numbers, as JSON."""
        return {
            **self.protocol.document(self.clients, self.arm),
            "exact": self.exact,
            "seed": self.seed,
            "runs": [self.runs[0], self.runs[-1] + 1],
        }

    def errors(self) -> Errors:
        """Raises ValueError, one line, where a run diverges."""
        return errors(self.protocol, self.clients, self.arm, self.runs, self.seed, self.exact)


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
