"""Eq. (2) of dfedsgpsm, by which a client picks its receivers, at the losses of every round."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from theorylab.algorithms import State
from theorylab.metrics._base import Metric
from theorylab.metrics._dfedsgpsm_terms import Floats
from theorylab.runs import Row
from theorylab.runs.rounding import loss_off


class _Selection(Metric):
    def gaps(self, before: State) -> tuple[Floats, float]:
        """|f_i - f_j| (R, n, n) at the debiased models, and how far rounding puts one off."""
        problem = self.setting.problem
        losses = np.asarray(problem.loss(before.z))
        off = 2 * float(np.asarray(loss_off(problem, before.z)).max())
        return np.abs(losses[:, :, None] - losses[:, None, :]), off

    def of(self, before: State, gaps: Floats, off: float) -> Row:
        raise NotImplementedError

    def rows(self, before: State, after: State) -> Iterable[Row]:
        yield self.of(before, *self.gaps(before))


class LossGap(_Selection, name="dfedsgpsm.loss_gap"):
    """max_ij |f_i - f_j|, the largest exponent of Eq. (2)."""

    def of(self, before: State, gaps: Floats, off: float) -> Row:
        return Row(gaps.max(axis=(1, 2)), {}, f"t={before.t}", rounding=off)


class Wait(_Selection, name="dfedsgpsm.wait"):
    """max_j of -log sum_{i != j} p(b_ij): the log of how many rounds pass until j is picked once.

    p(b_ij) is that of a first pick, and with one pick a round that is all.
    """

    def of(self, before: State, gaps: Floats, off: float) -> Row:
        n = gaps.shape[-1]
        others = np.where(np.eye(n, dtype=bool), -math.inf, gaps)  # i picks none but others
        log_p = others - np.logaddexp.reduce(others, axis=2, keepdims=True)
        longest = -np.logaddexp.reduce(log_p, axis=1).min(axis=1)
        # each log p is off by two gaps, and by n roundings
        return Row(longest, {}, f"t={before.t}", rounding=3 * off + 1e-12 * (1 + float(gaps.max())))
