"""Turns of a loop on intervals of float64, each rounded outward: ``csrc/host/intervals.hpp``."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from theorylab import _core

STEPS = ("add", "sub", "mul", "div", "neg", "abs", "max", "min", "root", "exp", "log", "tanh")


def repeated(
    steps: Sequence[tuple[int, int, int]],
    after: Sequence[int],
    turns: int,
    ends: NDArray[np.float64],
) -> NDArray[np.float64] | None:
    """The state after so many turns; None where an interval had no finite ends.

    Args:
        steps: the operations of a turn, each its place in ``STEPS`` and the slots that it reads.
            Slots are those of ``ends``, and then one a step.
        after: of each number of the state the slot that holds it after a turn.
        ends: shape (numbers, 2), finite: the state at first, then constants.

    Returns:
        Shape (numbers of the state, 2).

    Raises:
        ValueError: ends are not finite, or a slot is none that is there.
    """
    if not np.isfinite(ends).all():
        raise ValueError("intervals: an end is infinite or NaN; need finite ends")
    slots = np.concatenate([ends, np.zeros((len(steps), 2))])
    tape = np.array(steps, np.int32).reshape(-1, 3)
    closed = _core.repeat_intervals(tape, np.array(after, np.int32), turns, slots)
    return slots[: len(after)].copy() if closed else None
