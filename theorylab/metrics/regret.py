"""The regret of a sequence of models: sum_{s<t} f_s(xbar^s) - min_x sum_{s<t} f_s(x)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from theorylab.algorithms import State, numbers
from theorylab.known import Known
from theorylab.metrics._base import Metric
from theorylab.problems import FormulaProblem
from theorylab.runs import Row, Setting

_MOST = 200_000  # losses of clients and rounds, summed over all t


class Regret(Metric, name="regret"):
    """The regret of the first t rounds for t = 0 .. T, of either sign.

    The least value of each sum is enclosed as f* is; half of the width is a rounding of the row.

    Raises:
        ValueError: for a problem that is no function of one client and the round, or that names a
            set by ``inside``, for a sum whose least value is not enclosed, and for too many losses.
    """

    of_rounds = True

    def __init__(self, setting: Setting, known: Mapping[str, Known]) -> None:
        super().__init__(setting, known)
        problem, T = setting.problem, setting.rounds
        if not isinstance(problem, FormulaProblem) or problem.is_field:
            raise ValueError(f"regret: {problem.name} is no FormulaProblem with losses; need one")
        if hasattr(problem, "inside"):  # over the set the least value may be larger
            raise ValueError(
                f"regret: {problem.name} names a set by inside, and the least value of the sum is "
                "that over R^d; need a problem without a set"
            )
        if T * (T + 1) // 2 * problem.clients > _MOST:
            raise ValueError(
                f"regret: {T} rounds of {problem.clients} clients came; need T (T + 1)/2 times the "
                f"clients to be at most {_MOST}"
            )
        self._problem = problem
        self._sum = self._size = np.zeros(1)

    def rows(self, before: State, after: State) -> Iterable[Row]:
        yield from self.last(before)
        there = self._problem.of_round(before.t)
        loss = numbers(there.mean_loss(before.x.mean(axis=1))).astype(float)
        self._sum, self._size = self._sum + loss, self._size + np.abs(loss)

    def last(self, state: State) -> Iterable[Row]:
        low, high = self._least(state.t)
        middle = low + (high - low) / 2
        room = (high - low) / 2 + 1e-9 * (float(self._size.max()) + abs(middle))
        sums = np.broadcast_to(self._sum, len(state.x))
        yield Row(sums - middle, {"t": state.t}, f"t={state.t}", rounding=room, signed=True)

    def _least(self, t: int) -> tuple[float, float]:
        """Below and above min_x sum_{s<t} f_s(x)."""
        if t == 0:
            return 0.0, 0.0
        star = self._problem.least_mean(t)
        ends = None if star is None else star.enclosure
        if ends is None:
            raise ValueError(
                f"regret: the least value of the sum of {t} losses of {self._problem.name} is not "
                "enclosed; need convex losses whose sum has a minimum"
            )
        return float(ends[0]) * t, float(ends[1]) * t
