"""Problems whose gradients have no noise."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.problems._base import Problem, Sample

Array = NDArray[Any]


class Noiseless(Problem):
    """A sample is None, and a stochastic gradient is the gradient."""

    def sample(self, seed: int, runs: Array, round: int, step: int) -> None:
        return None

    def stochastic_gradient(self, x: Array, sample: Sample | None) -> Array:
        if sample is not None:
            raise self._bad_sample(sample, "None (no noise)")
        return self.gradient(x)

    def measured_noise(self, xbar: Array) -> Array:
        self._tables_for("measured_noise", xbar, (self.dim,))
        return np.zeros((len(xbar), self.clients), xbar.dtype)
