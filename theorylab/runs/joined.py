"""Settings that differ in start and step sizes alone, as the runs of one batch."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.algorithms import Algorithm, takes_steps_by_run
from theorylab.own import is_own
from theorylab.problems import exact_batches
from theorylab.runs.setting import Setting


@dataclass(frozen=True)
class Joined:
    """One run a setting. starts: x^0 of each, (S, n, d). algorithm: where their step sizes differ
    these are arrays, (S, 1, 1)."""

    starts: NDArray[np.float64]
    algorithm: Algorithm


def joined(settings: Sequence[Setting]) -> Joined | None:
    """The batch in which every setting has the bits of its run alone; None where no class promises
    that: one of a stranger's, or a method whose step sizes are one number for all runs."""
    first = settings[0]
    method, given = first.algorithm, [each.algorithm.options() for each in settings]
    if not (is_own(type(method)) and exact_batches(first.problem)):
        return None
    steps = dict[str, Any]()
    for name, value in given[0].items():
        values = [options[name] for options in given]
        if any(other != value for other in values):
            if not all(isinstance(other, float) for other in values):
                return None
            steps[name] = np.array(values)[:, None, None]
    if steps:
        if not takes_steps_by_run(method):
            return None
        method = copy.copy(method)
        for name, value in steps.items():
            object.__setattr__(method, name, value)
    return Joined(np.stack([each.start for each in settings]), method)
