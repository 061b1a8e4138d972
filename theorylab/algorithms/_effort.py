"""How many local steps each client of each run does in a round."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from theorylab.algorithms._travel import Array, namespace
from theorylab.problems import Problem


class Working(Protocol):
    """What is read of a round, which is a ``Context``."""

    @property
    def runs(self) -> NDArray[np.int64]: ...
    @property
    def problem(self) -> Problem: ...
    @property
    def effort(self) -> NDArray[np.float64] | None: ...


def step_counts(
    steps: int | Sequence[int] | NDArray[np.int64], runs: int, clients: int
) -> tuple[int, NDArray[np.int64] | None]:
    """(the most local steps of any client, how many each does (R, n), or None: all the most).

    ``steps`` is K, or one K a client; ValueError, one line, on another number of them.
    """
    each = np.asarray(steps, dtype=np.int64)
    if not each.ndim:
        return int(each), None
    if each.shape != (clients,):
        raise ValueError(
            f"local_steps: {len(each)} numbers for {clients} clients; "
            "need one number, or one a client"
        )
    counts = np.ascontiguousarray(np.broadcast_to(each, (runs, clients)))
    return int(counts.max(initial=0)), counts


def steps_of(
    context: Working, steps: int | Sequence[int] | NDArray[np.int64]
) -> tuple[int, NDArray[np.int64] | None]:
    """``step_counts`` of what a round lets them do.

    A straggler's share of K is rounded up, so that only a client that is down does nothing.
    """
    most, counts = step_counts(steps, len(context.runs), context.problem.clients)
    if context.effort is None:
        return most, counts
    counts = np.ceil((most if counts is None else counts) * context.effort).astype(np.int64)
    return int(counts.max(initial=0)), counts


def working(step: Array, counts: NDArray[np.int64] | None, k: int) -> Array:
    """``step`` (R, n, d) where a client still works in local step k, 0 where it is done."""
    if counts is None or bool((counts > k).all()):
        return step
    xp = namespace(step)
    mask: Any = counts > k
    if type(step) is not np.ndarray:
        mask = xp.asarray(mask, device=step.device)
    return xp.where(mask[:, :, None], step, xp.zeros_like(step))
