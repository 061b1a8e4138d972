"""Whether runs share what they draw: a stranger's step its own draws, a stranger's problem its
samples. Runs that do are no sample. A class that means it declares ``shared_draws = True``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.algorithms import Algorithm, Coin, State, numbers
from theorylab.problems import Problem
from theorylab.runs._sealed import Watched
from theorylab.runs.generators import global_draws, other_generators
from theorylab.runs.rounds import Rounds
from theorylab.runs.seedings import seedings
from theorylab.runs.setting import Setting
from theorylab.runs.simulate import algorithm_draws

Floats = NDArray[Any]

SEEDS, ROUNDS = (11, 12, 13), 3
_RUNS = 32  # of one batch; the next runs are another
_STEPS = 2
_NEAR = 1e-6  # of a gradient that is added in another order
# runs that a remainder or a quotient of the run's number may give the draws of another
_LONE = (*range(32), 64, 100, 128, 256, 500, 512, 1000, 1024, 4096, 10_000, 65_536)
_NEED = "need {need}draws that differ by the run, or shared_draws = True on the class"


@dataclass(frozen=True)
class Notice:
    """kind: "shared draws", "global draws", "mass", "server" or "step size". text: what was seen.

    fools: runs are no sample then, so that limits of their mean mean nothing.
    """

    kind: str
    text: str
    fools: bool = False


class Same(Watched):
    """Every run gets the minibatches and coins of run 0, whatever the seed, so that runs differ by
    what the step draws alone."""

    def __init__(self, problem: Problem, runs: int) -> None:
        super().__init__(problem)
        self.runs = runs

    def sample(self, t: int, number: int, part: str) -> Any:
        one = self.problem.sample(0, np.zeros(1, np.int64), t, number)
        return None if one is None else np.repeat(one, self.runs, axis=0)

    def coins(self, t: int, number: int, coin: Coin) -> Any:
        ids = np.zeros(self.runs, np.int64)
        return coin.drawn(0, ids, self.problem.clients, t, number, np.zeros(0))


def start_of(setting: Setting, runs: int, seed: int = 0) -> Floats:
    """Models (R, n, d), another one for every client, the same in all runs."""
    away = np.random.Generator(np.random.Philox(seed)).standard_normal(setting.start.shape)
    x = setting.start + (1 + np.abs(setting.start).max()) * away
    return np.repeat(x[None], runs, axis=0)


def first_of(setting: Setting, x: Floats) -> State:
    return setting.algorithm.init(setting.problem.points(x), setting.problem)


def arrays_of(state: State) -> list[Floats]:
    parts = [state.x, state.w, state.z, state.v, *state.memory.values()]
    return [numbers(part) for part in parts if part is not None]


def ends(
    setting: Setting, seed: int, ids: Iterable[int], rounds: int = ROUNDS, same: Same | None = None
) -> list[Floats]:
    """The states' arrays after some rounds of runs that start alike, of that seed."""
    some = np.array(list(ids), np.int64)
    state = first_of(setting, start_of(setting, len(some)))
    same = same or Same(setting.problem, len(some))
    play = Rounds(setting.problem, setting.topology, setting.algorithm, some, seed, samples=same)
    for _ in range(rounds):
        state = play.play(state)
    return arrays_of(state)


def shared_draws(setting: Setting, method: Algorithm) -> Notice | None:
    """Of a stranger's step, played by runs that are alike in everything but what it draws."""
    if method.shared_draws:
        return None
    seen, same, says = None, Same(setting.problem, 1), algorithm_draws(method)
    ends(setting, SEEDS[0], [0], 1, same)
    if says or same.read:
        seen = _shared(type(method), lambda seed, ids: ends(setting, seed, ids), says)
    if seen is None:
        seen = _same_seeds(type(method), lambda run: ends(setting, SEEDS[0], [run], 1))
    need = _NEED.format(need="net.coins, ")
    told = f"what the step draws is {seen}, so that runs are no sample; {need}"
    return None if seen is None else Notice("shared draws", told, True)


def shared_samples(setting: Setting, losses: Problem) -> Notice | None:
    """Of a stranger's problem. Nothing is said of samples that are no arrays."""
    if not losses.stochastic:
        return None

    def looked(seed: int, ids: Iterable[int]) -> list[Floats]:
        some, found = np.array(list(ids), np.int64), []
        for t in range(ROUNDS):
            for step in range(_STEPS):
                one = np.array(numbers(losses.sample(seed, some, t, step)))
                if one.dtype == object or one.shape[:1] != some.shape:
                    raise TypeError("samples that cannot be compared")
                found.append(one)
        return found

    drawn: list[str] = []
    few = [looked(seed, range(4)) for seed in SEEDS]
    with global_draws(drawn, losses):  # a generator that each call sets anew ends as it did
        again = not all(
            _alike(a, looked(seed, range(4))) for a, seed in zip(few, SEEDS, strict=True)
        )
    again = again or _gradients_differ(setting, losses)
    if drawn or again:
        by = f"draws from {drawn[0]}" if drawn else "gives other numbers when it is asked again"
        told = f"a sample of the problem {by}, which no seed of a run reaches"
        return Notice("global draws", f"{told}; need draws of (seed, run, round, step)", True)
    if losses.shared_draws:
        return None
    seen = _shared(type(losses), looked)
    if seen is None:
        seen = _same_seeds(type(losses), lambda run: looked(SEEDS[0], [run]))
    told = f"the problem's sample is {seen}, so that runs are no sample; {_NEED.format(need='')}"
    return None if seen is None else Notice("shared draws", told, True)


def _gradients_differ(setting: Setting, losses: Problem) -> bool:
    """Whether a stochastic gradient is another one when it is asked again with its sample."""
    at = losses.points(start_of(setting, 4))
    for seed in SEEDS:
        sample = losses.sample(seed, np.arange(4), 0, 0)
        one, other = (numbers(losses.stochastic_gradient(at, sample)) for _ in range(2))
        if not np.allclose(one, other, rtol=_NEAR, atol=_NEAR * np.abs(one).max(), equal_nan=True):
            return True
    return False


def _alike(a: list[Floats], b: list[Floats]) -> bool:
    return all(np.array_equal(x, y, equal_nan=True) for x, y in zip(a, b, strict=True))


def _shared(
    kind: type, played: Callable[[int, Iterable[int]], list[Floats]], says: bool = True
) -> str | None:
    """How the runs share what is drawn in what ``played(seed, ids)`` gives, (R, ...) each.

    says: it is said to draw, so that a generator that no seed reaches is no table.
    """
    each = [played(seed, range(_RUNS)) for seed in SEEDS]
    if not any(_differ(parts) for parts in each):
        if all(_alike(each[0], other) for other in each[1:]):
            if not says:
                return None
            with other_generators(kind):  # a generator of its own, whatever the seed
                other = played(SEEDS[0], range(_RUNS))
            if _alike(each[0], other):
                return None
        return "the same in every run"
    if sum(_differ(parts) for parts in each) < 2:  # a rare draw, which may fall on two runs
        return None
    for step in (2, 4, 8, 16):
        if all(_alike(_rows(p, slice(None, -step)), _rows(p, slice(step, None))) for p in each):
            return f"the same in every run and the one {step} after it"
        if all(_alike(_rows(p, np.arange(_RUNS) // step * step), p) for p in each):
            return f"the same in each {step} neighbouring runs"
    later = [played(seed, range(_RUNS, 2 * _RUNS)) for seed in SEEDS]
    if all(_alike(*pair) for pair in zip(each, later, strict=True)):
        return f"the same in the first {_RUNS} runs and the next"
    return None


def _differ(parts: list[Floats]) -> bool:
    """Whether not all runs are alike."""
    return not _alike(parts, _rows(parts, np.zeros(len(parts[0]), int)))


def _rows(parts: list[Floats], which: Any) -> list[Floats]:
    return [part[which] for part in parts]


def _same_seeds(kind: type, alone: Callable[[int], object]) -> str | None:
    """Which runs, each played alone, make generators with the same seeds, but for those that every
    run makes: a table's, or what they draw is seen to be the same."""
    found: list[Any] = []
    made: dict[int, tuple[Any, ...]] = {}
    with seedings(kind, found):
        for run in _LONE:
            found.clear()
            alone(run)
            made[run] = tuple(found)
            if run == 1 and not any(made.values()):  # two runs that differ in nothing
                return None
    common = set.intersection(*map(set, made.values()))
    firsts: dict[tuple[Any, ...], int] = {}
    for run, seeds in made.items():
        own = tuple(seed for seed in seeds if seed not in common)
        if own and own in firsts:
            return f"the same in runs {firsts[own]} and {run}"
        firsts[own] = run
    return None
