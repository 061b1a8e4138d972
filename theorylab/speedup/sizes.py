"""Which options of a method are its step sizes: those that its update is proportional to."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from theorylab.algorithms import ALGORITHMS, algorithm, numbers
from theorylab.problems import Problem
from theorylab.registry import options_of
from theorylab.speedup.alike import Alike, states_of
from theorylab.topologies import from_matrices

PARTS = (2.0**-2, 2.0**-4, 2.0**-6)  # of an option; by the last two the move is proportional to it


class StepSizes(NamedTuple):
    """The option that scales the step of the shared part, and of the personal one; None: none.

    Of several that scale one part, such as a client's and a server's, it is the first.
    """

    shared: str | None
    personal: str | None

    @property
    def names(self) -> set[str]:
        return {name for name in self if name is not None}


def step_sizes(method: str, options: Mapping[str, Any], losses: Problem) -> StepSizes:
    """The step sizes of a method, whatever they are called.

    A round of two clients that both have the mean of ``losses``, without noise, is played with each
    number among the options as it is and made smaller. A step size is one that the move is
    proportional to. None is found of a method that does not run so.
    """
    known = options_of(ALGORITHMS.find(method))
    alike = Alike(losses, 2)
    found: list[str | None] = [None] * len(StepSizes._fields)
    try:
        whole = _moved(method, options, alike)
    except ValueError:  # a method that does not run with two clients, or without a network
        return StepSizes(None, None)
    for name, each in known.items():
        value = options.get(name, each.default)
        if isinstance(value, bool) or not isinstance(value, Real) or not float(value) > 0:
            continue
        try:
            less = [_moved(method, {**options, name: float(value) * by}, alike) for by in PARTS]
        except (ValueError, TypeError):  # a count, or a number that has a least value
            continue
        for part, (a, b, c, d) in enumerate(zip(whole, *less, strict=True)):
            if a / 8 < b < a / 2 and c / 6 < d < c / 3:
                found[part] = found[part] or name
    return StepSizes(*found)


def _moved(method: str, options: Mapping[str, Any], alike: Alike) -> tuple[float, float]:
    """How far a round moves the shared parts and the personal ones."""
    start, alone = alike.moving_start(), from_matrices([np.eye(2)])
    after = states_of(alike, alone, algorithm(method, **options), start, 1)[1]
    x = np.asarray(numbers(after.x), np.float64)[0]
    d = x.shape[1]
    moved = float(np.linalg.norm(x - start[:, :d]))
    if after.v is None:
        return moved, 0.0
    v = np.asarray(numbers(after.v), np.float64)[0]
    return moved, float(np.linalg.norm(v - start[:, d : d + v.shape[1]]))
