"""How the counterexamples of each kind are measured in balls: ``WAYS``, by their experiment, and
``METRIC_WAYS``, by the paper that a metric's name begins with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from theorylab.algorithms import OSGP, SGP, DFedAlt, DFedPGP, DFedSalt, DFedSGPSM
from theorylab.experiments import (
    DeprlHeads,
    HgpUnbiased,
    NetworkMatrices,
    PdboStationary,
    experiment,
)
from theorylab.falsify import _alternating_balls, _dfedpgp_balls, _dfedsgpsm_balls
from theorylab.falsify._balls import Ball, square, total
from theorylab.falsify._deprl_ways import of_averages, of_heads, of_powers
from theorylab.falsify._enclose import (
    NOISE,
    OF_BOUND,
    SIDE,
    Enclosure,
    UncoveredError,
    built_of,
    options_of,
    place_of,
    written,
)
from theorylab.falsify._hgp_balls import of_unbiased
from theorylab.falsify._hgp_point_balls import of_stationary
from theorylab.falsify._personal_balls import losses_of
from theorylab.runs import Setting
from theorylab.verdicts import Result

Way = Callable[[str, Result, int], Enclosure]  # column, result, seed


@dataclass(frozen=True)
class Rounds:
    """An algorithm's rounds in balls, of experiments that are about single rounds.

    made: what an experiment built, with its ``problem``. play: (losses, made, count) -> rounds.
    steps: local steps a round. sides: the columns, (losses, round, place, made) -> ball.
    """

    name: str
    made: Callable[[Any], Any]
    losses: Callable[[Any], Any]
    play: Callable[[Any, Any, int], Iterator[Any]]
    steps: Callable[[Any], int]
    sides: Mapping[str, Callable[[Any, Any, dict[str, int], Any], Ball]]

    def __call__(self, column: str, result: Result, seed: int) -> Enclosure:
        """One place: round t, client i, local step k, as its label says."""
        if column not in self.sides:
            raise UncoveredError(SIDE)
        made = self.made(experiment(self.name, **options_of(result)))
        if made.problem.stochastic:
            raise UncoveredError(NOISE)
        losses = written(self.losses(made.problem), made.problem)
        at = place_of(result, "t")
        count = at["t"] + 1

        def there() -> Ball:
            *_, last = self.play(losses, made, count)
            return self.sides[column](losses, last, at, made)

        return Enclosure(there, count * self.steps(made) * made.problem.clients * made.problem.dim)


_PLAIN = {"alpha": 0.0, "rho": 0.0, "local_steps": 1, "decay": 1.0}


def of_local_rounds(algorithm_name: str, column: str, result: Result) -> Enclosure:
    """A place of a metric of dfedsgpsm: round t, client i, local step k, as its label says."""
    side, setting, at = _placed(algorithm_name, column, result, _dfedsgpsm_balls.SIDES)
    options = {**_PLAIN, **setting.algorithm.options()}
    if type(setting.algorithm) not in (SGP, OSGP, DFedSGPSM):
        raise UncoveredError(f"no interval arithmetic for the algorithm {algorithm_name}")
    gradient = written(_dfedsgpsm_balls.gradient_of(setting.problem), setting.problem)
    count = at["t"] + 1

    def there() -> Ball:
        *_, last = _dfedsgpsm_balls.rounds_of(
            gradient, setting.topology, setting.start, count, options
        )
        return side(gradient, last, at, options)

    size = setting.problem.clients * setting.problem.dim
    return Enclosure(there, count * int(options["local_steps"]) * size)


def of_pushes(algorithm_name: str, column: str, result: Result) -> Enclosure:
    """The same of a metric of dfedpgp."""
    side, setting, at = _placed(algorithm_name, column, result, _dfedpgp_balls.SIDES)
    problem, algorithm = setting.problem, setting.algorithm
    if type(algorithm) is not DFedPGP:
        raise UncoveredError(f"no interval arithmetic for {algorithm_name}")
    options, losses = algorithm.options(), written(losses_of(problem), problem)
    count = at["t"] + 1

    def there() -> Ball:
        *_, last = _dfedpgp_balls.pushes_of(losses, setting.topology, setting.start, count, options)
        return side(losses, last, at)

    steps = int(options["steps_u"] + options["steps_v"])
    return Enclosure(there, count * steps * problem.clients * problem.dim)


def _placed(
    algorithm_name: str, column: str, result: Result, sides: Mapping[str, Callable[..., Ball]]
) -> tuple[Callable[..., Ball], Setting, dict[str, int]]:
    """(the metric's side in balls, what the instance builds, the place); UncoveredError where the
    side is not written out or the run is noisy.
    """
    name = column.partition(".")[2]
    if name not in sides:
        raise UncoveredError(SIDE)
    setting = built_of(algorithm_name, result)
    if setting.problem.stochastic:
        raise UncoveredError(NOISE)
    return sides[name], setting, place_of(result, "t")


def of_alternating_rounds(algorithm_name: str, column: str, result: Result) -> Enclosure:
    """The same of a metric of dfedalt."""
    side, setting, at = _placed(algorithm_name, column, result, _alternating_balls.SIDES)
    problem, options = setting.problem, {"rho": 0.0, **setting.algorithm.options()}
    if type(setting.algorithm) not in (DFedAlt, DFedSalt):
        raise UncoveredError(f"no interval arithmetic for {algorithm_name}")
    losses = written(losses_of(problem), problem)
    W = setting.topology.matrix(0).toarray()
    count = at["t"] + 1

    def there() -> Ball:
        *_, last = _alternating_balls.turns_of(losses, W, setting.start, count, options)
        return side(losses, last, at)

    steps = int(options["steps_u"] + options["steps_v"])
    return Enclosure(there, count * steps * problem.clients * problem.dim)


WAYS: dict[str, Way] = {
    DeprlHeads.name: of_heads,
    HgpUnbiased.name: of_unbiased,
    NetworkMatrices.name: of_powers,
    PdboStationary.name: of_stationary,
}


METRIC_WAYS: dict[str, Callable[[str, str, Result], Enclosure]] = {
    "deprl": of_averages,
    "dfedalt": of_alternating_rounds,
    "dfedpgp": of_pushes,
    "dfedsgpsm": of_local_rounds,
}


def of_run(algorithm_name: str, column: str, over: str, result: Result) -> Enclosure:
    """The average of ||grad f(xbar)||^2 over a run of dfedsgpsm or SGP."""
    if (column, over) != ("squared_gradient", "average"):
        raise UncoveredError(SIDE)
    setting = built_of(algorithm_name, result)
    problem, algorithm = setting.problem, setting.algorithm
    if type(algorithm) not in (SGP, OSGP, DFedSGPSM) or problem.stochastic:
        raise UncoveredError(NOISE)
    options = {**_PLAIN, **algorithm.options()}
    if not isinstance(options["local_steps"], int) or options["decay"] != 1.0:
        raise UncoveredError("no interval arithmetic for these options")
    gradient = written(_dfedsgpsm_balls.gradient_of(problem), problem)

    def average() -> Ball:
        played = _dfedsgpsm_balls.rounds_of(
            gradient, setting.topology, setting.start, setting.rounds, options
        )
        slopes = (_dfedsgpsm_balls.slope(gradient, r) for r in played)
        return total(square(g) for g in slopes) / setting.rounds

    steps = setting.rounds * options["local_steps"]
    return Enclosure(average, steps * problem.clients * problem.dim, OF_BOUND)
