"""Eq. (2) of dfedsgpsm, by which a client picks its receivers, at the losses of every round."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from theorylab.algorithms import State
from theorylab.metrics._base import Metric
from theorylab.metrics._dfedsgpsm_terms import Floats
from theorylab.runs import Row, Setting
from theorylab.runs.rounding import loss_off


class Wait(Metric, name="dfedsgpsm.wait"):
    """max_j of -log sum_{i != j} P(i picks j): the log of 1 over how many clients pick j in a
    round, for the j that is picked least. Everyone may be picked, as on the complete graph.

    With one pick a round P is p(b_ij). With m picks, one after another among those left, j's chance
    is at least that of the first pick and at most the sum over l < m of the chance once the l
    others with the largest weights are gone: the value is the middle of both, and its rounding
    holds both ends.
    """

    plain = """
    f = loss(X0 / w0).reshape({n})
    gaps = np.abs(f[:, None] - f[None, :])
    gaps[np.arange({n}), np.arange({n})] = -np.inf  # a client picks none but others
    log_p = gaps - np.logaddexp.reduce(gaps, axis=1, keepdims=True)
    longest = -np.logaddexp.reduce(log_p, axis=0).min()"""
    several = """
    most = np.zeros({n})
    for i, j in np.argwhere(~np.eye({n}, dtype=bool)):
        rivals = np.sort(np.delete(gaps[i], [i, j]))
        left = [np.append(rivals[:{n} - 2 - l], gaps[i, j]) for l in range(picks)]
        most[j] += min(sum(np.exp(gaps[i, j] - np.logaddexp.reduce(each)) for each in left), 1)
    (longest - np.log(most.min())) / 2"""

    @classmethod
    def written(cls, setting: Setting, place: str) -> str:
        """As of ``Metric``, by how many a client picks."""
        picks = cls.picks(setting)
        several = cls.several.replace("picks", str(picks))
        return cls.plain + (several if picks > 1 else "\n    longest")

    @staticmethod
    def picks(setting: Setting) -> int:
        """How many a client picks in a round."""
        asked = int(setting.algorithm.options().get("neighbours", 1))
        return min(asked, setting.problem.clients - 1)

    def rows(self, before: State, after: State) -> Iterable[Row]:
        problem = self.setting.problem
        losses = np.asarray(problem.loss(before.z))
        off = 2 * float(np.asarray(loss_off(problem, before.z)).max())
        gaps = np.abs(losses[:, :, None] - losses[:, None, :])
        n = gaps.shape[-1]
        others = np.where(np.eye(n, dtype=bool), -math.inf, gaps)  # i picks none but others
        picks = self.picks(self.setting)
        first = others - np.logaddexp.reduce(others, axis=2, keepdims=True)
        longest = -np.logaddexp.reduce(first, axis=1).min(axis=1)
        least = longest if picks == 1 else _least_wait(others, gaps, picks)
        # each log p is off by two gaps, and by n roundings a pick
        rounding = 3 * off + picks * 1e-12 * (1 + float(gaps.max()))
        wide = float((longest - least).max()) / 2
        yield Row((longest + least) / 2, {}, f"t={before.t}", rounding=rounding + wide)


def _least_wait(others: Floats, gaps: Floats, picks: int) -> Floats:
    """max_j of -log of the most that sum_{i != j} P(i picks j) can be, (R,)."""
    n, found = gaps.shape[-1], []
    for j in range(n):
        rivals = np.sort(np.delete(others, j, axis=2), axis=2)  # i itself first, the heaviest last
        left = np.logaddexp.accumulate(rivals, axis=2)[:, :, -picks:]  # without the l heaviest
        own = gaps[:, :, j, None]
        chances = np.logaddexp.reduce(own - np.logaddexp(left, own), axis=2)
        chances = np.where(np.arange(n) == j, -math.inf, np.minimum(chances, 0.0))
        found.append(-np.logaddexp.reduce(chances, axis=1))
    return np.asarray(np.max(found, axis=0))
