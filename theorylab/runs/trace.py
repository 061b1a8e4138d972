"""What a run leaves behind: one number a round and a run for every recorded column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

COLUMNS = {
    "squared_gradient": "||grad f(xbar^t)||^2",
    "consensus": "(1/n) sum_i ||z_i^t - xbar^t||^2",
    "loss": "f(xbar^t)",
    "weight_min": "min_i w_i^t",
    "weight_max": "max_i w_i^t",
    "update_residual_line7": "max_i ||x_i^{t+1/2} - x_i^t + eta sum alpha^{k-s} g||_inf",
    "update_residual_line9": "the same with the gradient that enters the momentum",
    "update_magnitude": "max_i of the sum of absolute values of that identity's summands",
}
LOCAL_COLUMNS = ("update_residual_line7", "update_residual_line9", "update_magnitude")
STATE_COLUMNS = tuple(name for name in COLUMNS if name not in LOCAL_COLUMNS)


@dataclass(frozen=True)
class Trace:
    """Columns of shape (R, T): entry [r, t] belongs to run ``runs[r]`` at the start of round t.

    ``exact`` says that a row is the expectation itself (nothing random, or exact moments).
    """

    columns: Mapping[str, Array]
    runs: NDArray[np.int64]
    exact: bool
    final_x: Array | None = None
    final_w: Array | None = None

    @property
    def rounds(self) -> int:
        return int(next(iter(self.columns.values())).shape[1])

    def reduced(self, column: str, over: str, rounds: int | None = None) -> Array:
        """The column reduced over t = 0..rounds-1, one value a run: "average", "last" or "max"."""
        values = self.columns[column][:, :rounds]
        if over == "average":
            return np.asarray(values.mean(axis=1))
        if over == "last":
            return np.asarray(values[:, -1])
        if over == "max":
            return np.asarray(values.max(axis=1))
        raise ValueError(f"trace: reduction is {over!r}; need average, last or max")

    def joined(self, other: Trace) -> Trace:
        """This trace with the runs of ``other`` below its own."""
        return Trace(
            {k: np.concatenate([v, other.columns[k]]) for k, v in self.columns.items()},
            np.concatenate([self.runs, other.runs]),
            self.exact,
        )
