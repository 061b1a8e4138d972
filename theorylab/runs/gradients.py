"""How many gradients a round takes, counted by playing rounds: one for each client and point."""

from __future__ import annotations

import copy
from collections.abc import Callable, Collection
from typing import Any

import numpy as np

from theorylab.algorithms import Algorithm
from theorylab.problems import Problem
from theorylab.runs.configuration import Setting
from theorylab.runs.rounds import Rounds
from theorylab.runs.task import Task
from theorylab.topologies import Topology

PLAYED = 3  # rounds that are counted; they have to agree
_COUNTED = ("gradient", "stochastic_gradient", "partial_gradient")


def gradients_a_round(setting: Task) -> int | None:
    """As ``counted_gradients``; None, too, where steps are no rounds, and with faults."""
    if not isinstance(setting, Setting) or setting.faults is not None:
        return None
    return counted_gradients(
        setting.problem, setting.topology, setting.algorithm, setting.configuration.seed
    )


def counted_gradients(
    problem: Problem, topology: Topology, algorithm: Algorithm, seed: int = 0
) -> int | None:
    """Gradients of one client's loss, full or of a minibatch, that a round of one run computes.

    All clients together; SAM's second gradient counts. None where rounds differ, and where some
    clients do less than others (unequal local steps, a share that takes part).
    """
    options = algorithm.options()
    unequal = any(isinstance(value, list | tuple) for value in options.values())
    if unequal or options.get("fraction", 1.0) != 1.0:
        return None
    each = [sum(seen) for seen in _seen(problem, topology, algorithm, seed, PLAYED, _COUNTED)]
    return each[0] if len(set(each)) == 1 else None


def reads_exactly(problem: Problem, topology: Topology, algorithm: Algorithm, rounds: int) -> bool:
    """Whether a step asks a problem with noise for a gradient without it, in the first rounds."""
    exact = _seen(problem, topology, algorithm, 0, rounds, ("gradient",))
    return problem.stochastic and any(exact)


def _seen(
    problem: Problem, topology: Topology, algorithm: Algorithm, seed: int, rounds: int,
    names: Collection[str],
) -> list[list[int]]:  # fmt: skip
    """By round of one run, the sizes of the calls of these names."""
    seen: list[int] = []
    problem, ids = _counting(problem, seen, names), np.arange(1)
    state = algorithm.init(problem.points(problem.initial(seed, ids)), problem)
    played, each = Rounds(problem, topology, algorithm, ids, seed, 0), []
    with np.errstate(all="ignore"):  # a run that diverges computes as many
        for _ in range(rounds):
            seen.clear()
            state = played.play(state)
            each.append([*seen])
    return each


def _counting(problem: Problem, seen: list[int], names: Collection[str]) -> Problem:
    """The same problem, without its fused loops; ``seen`` gets the size of every outermost call of
    these names."""
    made: Any = copy.copy(problem)
    depth = [0]

    def counted(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def counting(x: Any, *others: Any, **options: Any) -> Any:
            if not depth[0] and name in names:
                seen.append(int(np.prod(x.shape[:-1])))
            depth[0] += 1
            try:
                return call(x, *others, **options)
            finally:
                depth[0] -= 1

        return counting

    for name in _COUNTED:  # bound to ``made``, so that what they call is counted as nested
        setattr(made, name, counted(name, getattr(made, name)))
    made.local_steps = lambda *_, **__: None
    return made  # type: ignore[no-any-return]
