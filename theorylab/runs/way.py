"""What is kept of a run on its way, besides the columns: an average of its models, their size."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.algorithms import State, numbers
from theorylab.problems import Problem
from theorylab.runs._columns import Table, mean_columns

Floats = NDArray[np.float64]


class Way:
    """The average of the mean models of x^0 .. x^{T-1}, and the largest |entry| of any model.

    Args:
        weights: w_0 .. w_{T-1}, (T,), which sum to 1; none where no average is asked for.

    Raises:
        ValueError: in ``see``, where an average is asked for of an algorithm with personal parts:
            there is no one model.
    """

    def __init__(self, weights: Floats) -> None:
        self.weights, self.size = weights, 0.0
        self.average: Any = 0.0

    def see(self, states: State, count: int) -> None:
        """The states of ``count`` rounds, every round in its turn; a ``watch`` of ``simulate``."""
        if states.v is not None and len(self.weights):
            raise ValueError(
                "an average iterate came, of an algorithm with personal parts; need one whose "
                "whole model is shared"
            )
        for part in (states.z, states.v):
            if part is not None:
                largest = float(np.abs(numbers(part)).max(initial=0.0))
                self.size = max(self.size, largest)
        if states.t < len(self.weights):
            means = numbers(states.x).astype(np.float64, copy=False).mean(axis=1)
            for t, mean in enumerate(means.reshape(count, -1, means.shape[1]), start=states.t):
                self.average = self.average + self.weights[t] * mean

    def columns(self, problem: Problem, name: str) -> Table:
        """That column at the average, (R,)."""
        if problem.drifts:
            raise ValueError(f"an average iterate came, and {problem.name} has losses of the round")
        made = mean_columns([name], problem, problem.points(self.average[:, None])[:, 0])
        if name not in made:
            raise ValueError(
                f"column {name} at the average iterate came; need squared_gradient, loss, "
                "suboptimality or squared_distance"
            )
        return made
