"""Whether a method's step is its own, and whether its models meet: probes without noise."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from theorylab.algorithms import State, numbers
from theorylab.speedup.alike import Alike, Flat, Floats, Ramp, states_of
from theorylab.speedup.protocol import ALONE, MAIN, Arm, Protocol
from theorylab.verdicts.growth import slope_weights

LOOKED_AT, ON_A_RAMP = 8, 4096  # first rounds that are played, on the losses and on a ramp
ROUNDING = 1e-4  # of a model: beside a move far below it, float32 is seen and no step


def step_apart(protocol: Protocol, clients: int) -> float | None:
    """By how much rounds over the network move the mean unlike those with P = I do.

    It is the largest part over the first rounds, and, where every gradient is 1, over each of the
    first 4096. All clients are alike and start at one model, and nothing is random, so that the
    network has nothing to mix: a method whose steps are its own moves the mean alike, whichever P
    keeps sums. None where P does not, or where nothing moves.
    """
    if not protocol.topology(clients, MAIN).column_stochastic:
        return None
    over, alone = (_moves(protocol, clients, arm) for arm in (MAIN, ALONE))
    sizes = np.linalg.norm(alone, axis=1)
    if not sizes.all():
        return None
    first = float((np.linalg.norm(over - alone, axis=1) / sizes).max())
    return max(first, _later_apart(protocol, clients))


def _later_apart(protocol: Protocol, clients: int) -> float:
    """The largest part by which one round of all moves the mean of a ramp unlike with P = I."""
    losses = Ramp(protocol.reference, clients)
    over, alone = (
        np.diff(_moves(protocol, clients, arm, losses, ON_A_RAMP), axis=0, prepend=0)
        for arm in (MAIN, ALONE)
    )
    far = np.linalg.norm(np.cumsum(alone, axis=0), axis=1)
    sizes = np.linalg.norm(alone, axis=1) + ROUNDING * far
    away = np.linalg.norm(over - alone, axis=1)
    return float((away[sizes > 0] / sizes[sizes > 0]).max(initial=0.0))


def shrinking(protocol: Protocol, clients: Sequence[int]) -> float | None:
    """The least power of n like which a first round moves the mean with P = I, as in
    ``step_apart``.

    A step that does not know n has the power 0. None where nothing moves, or at a single n.
    """
    if len(clients) < 2:
        return None
    sizes = [np.linalg.norm(_moves(protocol, n, ALONE), axis=1) for n in clients]
    if not np.all(sizes):
        return None
    return float((slope_weights(np.log(clients)) @ np.log(sizes)).min())


def disagreement(protocol: Protocol, clients: int) -> tuple[float, float]:
    """The part of the models' disagreement, in squares, that half of the rounds leave, and all.

    The loss is 0 and the models start apart, so that only the exchange moves them. Of models that
    are handed round or never sent both parts are 1. Of one client they are 0.
    """
    if clients == 1:
        return 0.0, 0.0
    losses = Flat(protocol.reference, clients)
    start = np.random.default_rng(0).standard_normal((clients, losses.dim))
    network, method = protocol.topology(clients, MAIN), protocol.algorithm(clients, MAIN)
    found = states_of(losses, network, method, start, protocol.rounds)
    shared = numbers(found[1].x).shape[2]
    first = _spread(start[:, :shared])
    half = found[max(1, protocol.rounds // 2)]
    parts = [_spread(np.asarray(numbers(at.z), np.float64)[0]) for at in (half, found[max(found)])]
    return parts[0] / first, parts[1] / first


def _spread(z: Floats) -> float:
    return float(((z - z.mean(axis=0)) ** 2).sum())


def _moves(
    protocol: Protocol,
    clients: int,
    arm: Arm,
    losses: Alike | None = None,
    rounds: int = LOOKED_AT,
) -> Floats:
    """(rounds, d): how far the mean is from its start after each of the first rounds."""
    losses = Alike(protocol.reference, clients) if losses is None else losses
    start = losses.moving_start()
    method, network = protocol.algorithm(clients, arm), protocol.topology(clients, arm)
    rounds = min(rounds, protocol.rounds)
    found = states_of(losses, network, method, start, rounds)
    means = [_mean(found[t]) for t in range(1, rounds + 1)]
    return np.stack(means) - start[0, : means[0].shape[0]]


def _mean(state: State) -> Floats:
    x, w = numbers(state.x), numbers(state.w)
    return np.asarray((x.sum(axis=1) / w.sum(axis=1)[:, None])[0], np.float64)
