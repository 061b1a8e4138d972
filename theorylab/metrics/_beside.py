"""A metric's rows of several settings, in one batch where that has the values of each alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from theorylab.known import Known
from theorylab.metrics._base import Metric
from theorylab.metrics._measured import checked, last_row, measured, observation, played
from theorylab.metrics._squares import Squares
from theorylab.own import is_own
from theorylab.runs import Observation, Setting, joined, reduced
from theorylab.runs.generators import undrawn


def measured_beside(
    kind: type[Metric],
    settings: Sequence[Setting],
    known: Mapping[str, Known],
    *,
    law: str = "auto",
    rounds: Sequence[int] = (),
    keep: bool = False,
    paths: bool = False,
    runs: range = range(1),
    seed: int = 0,
) -> list[Observation]:
    """``measured`` of settings that differ in start and step sizes alone.

    Where nothing is random, and a batch has the bits of its runs, they are played in one. Every
    row has its setting's values then; its room of rounding is that of all, and what the metric
    reads of a setting, such as a weight, that of the first.
    """
    first = settings[0]
    random = checked(kind, first, law, rounds) or law == "moments"
    sums = issubclass(kind, Squares) and first.problem.affine_gradient  # exact for any T
    single = random or sums or kind.single or not is_own(kind)
    batch = None if single else joined(settings)
    if batch is None:
        asked: dict[str, Any] = {"law": law, "rounds": rounds, "keep": keep, "paths": paths}
        return [measured(kind, each, known, runs=runs, seed=seed, **asked) for each in settings]
    if issubclass(kind, Squares) and not rounds:
        rounds = [last_row(kind, first)]
    ids = np.zeros(len(settings), np.int64)
    with undrawn(first.algorithm):
        rows = played(kind, first, known, ids, seed, None, rounds, batch=batch)
    each = ([row.of_run(s) for row in rows] for s in range(len(settings)))
    return [observation(kind, reduced([(own, None)], keep, paths=paths), True) for own in each]
