"""What a stranger's step does that its class does not say, seen in a few rounds of one instance.

Nothing is proved: where a probe raises, or could be read in two ways, it says nothing. A class that
means it declares it: ``shared_draws = True``, ``keeps_mass = False``, ``server = True``.
"""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.algorithms import Algorithm, Coin, LocalStep, State, numbers
from theorylab.algorithms._server import Centralised
from theorylab.algorithms._travel import Exchange
from theorylab.own import is_own
from theorylab.problems import Problem, problem
from theorylab.runs.generators import global_draws, other_generators
from theorylab.runs.rounds import Rounds
from theorylab.runs.setting import Setting
from theorylab.runs.simulate import algorithm_draws
from theorylab.topologies import Topology, topology

Floats = NDArray[Any]

LARGEST = 4096  # numbers of all models
_RUNS, _ROUNDS, _SEEDS = 8, 3, (11, 12, 13)
_NEAR = 1e-9  # of sums in another order
_CLIENTS = 4  # whose influence is looked at


@dataclass(frozen=True)
class Notice:
    """kind: "shared draws", "global draws", "mass", "server" or "step size". text: what was seen.

    fools: runs are no sample then, so that limits of their mean mean nothing.
    """

    kind: str
    text: str
    fools: bool = False


def noticed(setting: Setting) -> tuple[Notice, ...]:
    """What is seen of the setting's algorithm; nothing of theorylab's own, or of large models."""
    method = setting.algorithm
    if is_own(type(method)) or setting.start.size > LARGEST:
        return ()
    found: list[Notice] = []
    for probe in (_global_draws, _shared_draws, _mass, _server, _step_size):
        with contextlib.suppress(Exception), np.errstate(all="ignore"):
            seen = probe(setting, method)
            if seen is not None:
                found.append(seen)
                if probe is _global_draws:  # two plays of one round differ by that alone
                    break
    return tuple(found)


class _Same:
    """Every run gets the minibatches of run 0, so that runs differ by what the step draws alone."""

    def __init__(self, problem: Problem, seed: int, runs: int) -> None:
        self.problem, self.seed, self.runs = problem, seed, runs

    def sample(self, t: int, number: int, part: str) -> Any:
        one = self.problem.sample(0, np.zeros(1, np.int64), t, number)
        return None if one is None else np.repeat(one, self.runs, axis=0)

    def coins(self, t: int, number: int, coin: Coin) -> Any:
        ids = np.arange(self.runs)
        return coin.drawn(self.seed, ids, self.problem.clients, t, number, np.zeros(0))


def _start(setting: Setting, runs: int, seed: int = 0) -> Floats:
    """Models (R, n, d), another one for every client, the same in all runs."""
    away = np.random.Generator(np.random.Philox(seed)).standard_normal(setting.start.shape)
    x = setting.start + (1 + np.abs(setting.start).max()) * away
    return np.repeat(x[None], runs, axis=0)


def _first(setting: Setting, x: Floats) -> State:
    return setting.algorithm.init(setting.problem.points(x), setting.problem)


def _ends(setting: Setting, seed: int) -> list[Floats]:
    """The states' arrays after some rounds of runs that start alike, of that seed."""
    state = _first(setting, _start(setting, _RUNS))
    same = _Same(setting.problem, seed, _RUNS)
    ids = np.arange(_RUNS)
    play = Rounds(setting.problem, setting.topology, setting.algorithm, ids, seed, samples=same)
    for _ in range(_ROUNDS):
        state = play.play(state)
    return _arrays(state)


def _arrays(state: State) -> list[Floats]:
    parts = [state.x, state.w, state.z, state.v, *state.memory.values()]
    return [numbers(part) for part in parts if part is not None]


def _alike(a: list[Floats], b: list[Floats]) -> bool:
    return all(np.array_equal(x, y, equal_nan=True) for x, y in zip(a, b, strict=True))


def _global_draws(setting: Setting, method: Algorithm) -> Notice | None:
    drawn: list[str] = []
    with global_draws(drawn, method):
        _ends(setting, _SEEDS[0])
    if not drawn:
        return None
    return Notice(
        "global draws",
        f"a round draws from {drawn[0]}, which no seed of a run reaches; need net.coins",
        True,
    )


def _shared_draws(setting: Setting, method: Algorithm) -> Notice | None:
    if not algorithm_draws(method) or getattr(method, "shared_draws", False):
        return None
    each = [_ends(setting, seed) for seed in _SEEDS]
    if any((part != part[:1]).any() for ends in each for part in ends):
        return None
    if all(_alike(each[0], other) for other in each[1:]):
        with other_generators(type(method)):  # a generator of its own, whatever the seed
            other = _ends(setting, _SEEDS[0])
        if _alike(each[0], other):
            return None
    return Notice(
        "shared draws",
        "what the step draws is the same in every run, so that runs are no sample; need net.coins, "
        "draws that differ by net.runs, or shared_draws = True on the class",
        True,
    )


def _mass(setting: Setting, method: Algorithm) -> Notice | None:
    network = setting.topology
    told = not getattr(method, "keeps_mass", True) or isinstance(method, Centralised)
    if told or network.networks or not network.column_stochastic or algorithm_draws(method):
        return None
    still = _without_gradients(setting.problem)
    sums: list[list[Floats]] = []
    for factor in (1.0, 2.0):
        state = _first(setting, factor * _start(setting, 1))
        play = Rounds(still, network, method, np.arange(1), _SEEDS[0])
        each = []
        for _ in range(_ROUNDS + 1):
            state = play.play(state)
            each.append(numbers(state.x).sum(axis=1)[0])
        if play.tosses:
            return None
        sums.append(each)
    ratios = []
    for k in range(_ROUNDS):
        before, after, doubled = sums[0][k], sums[0][k + 1], sums[1][k + 1]
        size = float(np.abs(before).max())
        kept = np.abs(after - before).max() <= _NEAR * size
        linear = np.abs(doubled - 2 * after).max() <= _NEAR * size
        ratio = float(after @ before / (before @ before))
        if kept or not linear or not np.abs(after - ratio * before).max() <= _NEAR * size:
            return None
        ratios.append(ratio)
    return Notice(
        "mass",
        f"without gradients the sum of x over the clients becomes {ratios[0]:.4g} times what it "
        "was in a round; keeps_mass = False on the class says that it is meant",
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
            x = _start(setting, 1, seed)
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
    state = _first(setting, x)
    play = Rounds(setting.problem, setting.topology, setting.algorithm, np.arange(1), _SEEDS[0])
    exchange = Exchange(state.t, state.flight, state.x)
    after = setting.algorithm.step(state, play.context(state.t).during(exchange))
    return _arrays(after), exchange.calls


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
    x = np.concatenate([_start(small, 1, seed) for seed in range(_ROUNDS)])
    state, seen = _first(small, x), _Gradients()
    play = Rounds(losses, alone, method, np.arange(len(x)), _SEEDS[0])
    after = play.play(state, seen)
    if play.tosses or np.ndim(seen.total) != 3:
        return None
    way, slope = (x - numbers(after.x))[:, 0], np.asarray(seen.total)[:, 0]
    steps = (way * slope).sum(axis=1) / (slope * slope).sum(axis=1)
    straight = np.abs(way - steps[:, None] * slope).max() <= _NEAR * np.abs(way).max()
    step, told = float(steps.mean()), float(said(0))
    if not straight or np.abs(steps - step).max() > _NEAR * abs(step):
        return None
    if abs(step - told) <= 1e-6 * max(abs(step), abs(told)):
        return None
    return Notice("step size", f"step_size(0) is {told:.6g}, and the step that is taken {step:.6g}")
