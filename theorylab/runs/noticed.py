"""What a stranger's step or problem does and its class does not say, seen in a few rounds.

Nothing is proved: where a probe raises, or could be read in two ways, it says nothing. A class that
means it declares it: ``shared_draws = True``, ``keeps_mass = False``, ``server = True``.
"""

from __future__ import annotations

import contextlib
import copy
import functools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.algorithms import Algorithm, LocalStep, numbers
from theorylab.algorithms._server import Centralised
from theorylab.algorithms._travel import Exchange
from theorylab.own import is_own
from theorylab.problems import Problem, problem
from theorylab.runs.generators import global_draws
from theorylab.runs.rounds import Rounds
from theorylab.runs.setting import Setting
from theorylab.runs.shared import (
    ROUNDS,
    SEEDS,
    Notice,
    arrays_of,
    ends,
    first_of,
    shared_draws,
    shared_samples,
    start_of,
)
from theorylab.runs.simulate import algorithm_draws
from theorylab.topologies import Topology, topology

Floats = NDArray[Any]

LARGEST = 4096  # numbers of all models
_RUNS = 8
_NEAR = 1e-9  # of sums in another order
_CLIENTS = 4  # whose influence is looked at


def noticed(setting: Setting) -> tuple[Notice, ...]:
    """What is seen of the setting's algorithm and problem; nothing of theorylab's own, or of large
    models."""
    method, losses = setting.algorithm, setting.problem
    if setting.start.size > LARGEST:
        return ()
    probes: list[Callable[[], Notice | None]] = []
    if not is_own(type(losses)):
        probes.append(lambda: shared_samples(setting, losses))
    if not is_own(type(method)):
        each = (_global_draws, shared_draws, _mass, _server, _step_size)
        probes += [functools.partial(probe, setting, method) for probe in each]
    found: list[Notice] = []
    for probe in probes:
        with contextlib.suppress(Exception), np.errstate(all="ignore"):
            seen = probe()
            if seen is not None:
                found.append(seen)
                if seen.kind == "global draws":  # two plays of one round differ by that alone
                    break
    return tuple(found)


def _global_draws(setting: Setting, method: Algorithm) -> Notice | None:
    drawn: list[str] = []
    with global_draws(drawn, method):
        ends(setting, SEEDS[0], range(_RUNS))
    if not drawn:
        return None
    return Notice(
        "global draws",
        f"a round draws from {drawn[0]}, which no seed of a run reaches; need net.coins",
        True,
    )


def _mass(setting: Setting, method: Algorithm) -> Notice | None:
    network = setting.topology
    told = not getattr(method, "keeps_mass", True) or isinstance(method, Centralised)
    if told or network.networks or not network.column_stochastic or algorithm_draws(method):
        return None
    still, positive = _without_gradients(setting.problem), np.abs(start_of(setting, 1))
    sums: list[list[Floats]] = []
    for factor in (1.0, 2.0):
        state = first_of(setting, factor * positive)
        play = Rounds(still, network, method, np.arange(1), SEEDS[0])
        each = []
        for _ in range(ROUNDS + 1):
            state = play.play(state)
            each.append(numbers(state.x).sum(axis=1)[0])
        if play.tosses:
            return None
        sums.append(each)
    less, more = [], []
    for k in range(ROUNDS):
        before, after, doubled = sums[0][k], sums[0][k + 1], sums[1][k + 1]
        room = _NEAR * float(np.abs(before).max())
        linear = np.abs(doubled - 2 * after).max() <= room
        if not linear or not (before > room).all():
            return None
        less.append(bool((after < before - room).all()))
        more.append(bool((after > before + room).all()))
    if not all(less) and not all(more):  # a coordinate is kept, or one is lost and another won
        return None
    sizes = " becomes ".join(f"{float(each.sum()):.4g}" for each in sums[0][:2])
    return Notice(
        "mass",
        f"without gradients the sum of x over the clients is not kept: of positive models, {sizes} "
        "in a round; keeps_mass = False on the class says that it is meant",
    )


def _without_gradients(losses: Problem) -> Problem:
    """The same problem, whose gradients are all 0."""
    made: Any = copy.copy(losses)
    made.gradient = lambda x: 0 * x
    made.stochastic_gradient = lambda x, sample: 0 * x
    made.partial_gradient = lambda x, sample, part: (
        0 * (x[..., : losses.shared] if part == "u" else x[..., losses.shared :])
    )
    made.local_steps = lambda *_, **__: None
    return made  # type: ignore[no-any-return]


def _server(setting: Setting, method: Algorithm) -> Notice | None:
    if getattr(method, "server", False) or isinstance(method, Centralised):
        return None
    clients = setting.problem.clients
    pick = np.unique(np.linspace(0, clients - 1, _CLIENTS).astype(int))
    seen = None
    for i in pick:
        pairs = []
        for seed in (1, 2):
            x = start_of(setting, 1, seed)
            moved = x.copy()
            moved[0, i] += 0.5 + np.abs(x[0, i])
            (one, hops), (other, _) = _round(setting, x), _round(setting, moved)
            reached = _reached(setting.topology, hops)[:, i]
            size = max(float(np.abs(part).max(initial=0.0)) for part in one)
            far = [_moved(a, b, clients, size) & ~reached for a, b in zip(one, other, strict=True)]
            pairs.append(np.logical_or.reduce(far))
        both = pairs[0] & pairs[1]
        if both.any():
            seen = int(i), int(np.argmax(both))
            break
    if seen is None:
        return None
    return Notice(
        "server",
        f"client {seen[1]} moves in the same round as client {seen[0]}'s model, and no edges of "
        "the network lead there; server = True on the class says that it is meant",
    )


def _round(setting: Setting, x: Floats) -> tuple[list[Floats], int]:
    """The arrays after the first round from x, and how many arrays were exchanged in it."""
    state = first_of(setting, x)
    play = Rounds(setting.problem, setting.topology, setting.algorithm, np.arange(1), SEEDS[0])
    exchange = Exchange(state.t, state.flight, state.x)
    after = setting.algorithm.step(state, play.context(state.t).during(exchange))
    return arrays_of(after), exchange.calls


def _reached(network: Topology, hops: int) -> NDArray[np.bool_]:
    """[j, i]: whether something of client i may come to client j, (n, n)."""
    parts = network.networks.values() if network.networks else (network,)
    edges = sum(abs(part.matrix(0, 0).toarray()) for part in parts) > 0
    reached = np.eye(len(edges), dtype=bool)
    for _ in range(max(hops, 1)):
        reached = reached | (edges.astype(float) @ reached.astype(float) > 0)
    return reached


def _moved(a: Floats, b: Floats, clients: int, size: float) -> NDArray[np.bool_]:
    """Which clients' part of an array (1, n, ...) differs, (n,)."""
    if a.ndim < 2 or a.shape[:2] != (1, clients) or a.shape != b.shape:
        return np.zeros(clients, bool)
    away = np.abs(a - b)[0].reshape(clients, -1).max(axis=1)
    return np.asarray(away > _NEAR * size)


class _Gradients:
    """The sum of the gradients that a round used, (R, n, d)."""

    def __init__(self) -> None:
        self.total: Any = 0.0

    def see(self, step: LocalStep) -> None:
        self.total = self.total + numbers(step.used)


def _step_size(setting: Setting, method: Algorithm) -> Notice | None:
    said: Callable[[int], Any] | None = getattr(method, "step_size", None)
    if not callable(said) or algorithm_draws(method):
        return None
    losses, alone = problem("quadratic", 1, dim=3, mu=0.5, L=2.0, seed=7), topology("complete", 1)
    small = replace(setting, problem=losses, topology=alone, start=np.ones((1, 3)))
    x = np.concatenate([start_of(small, 1, seed) for seed in range(ROUNDS)])
    state, play = first_of(small, x), Rounds(losses, alone, method, np.arange(len(x)), SEEDS[0])
    for t in range(ROUNDS):
        seen, before = _Gradients(), numbers(state.x)
        state = play.play(state, seen)
        if play.tosses or np.ndim(seen.total) != 3:
            return None
        way, slope = (before - numbers(state.x))[:, 0], np.asarray(seen.total)[:, 0]
        steps = (way * slope).sum(axis=1) / (slope * slope).sum(axis=1)
        straight = np.abs(way - steps[:, None] * slope).max() <= _NEAR * np.abs(way).max()
        step, told = float(steps.mean()), float(said(t))
        if not straight or np.abs(steps - step).max() > _NEAR * abs(step):
            return None
        if abs(step - told) > 1e-6 * max(abs(step), abs(told)):
            return Notice(
                "step size", f"step_size({t}) is {told:.6g}, and the step that is taken {step:.6g}"
            )
    return None
