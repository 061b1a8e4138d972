"""Gaussian noise on the gradient: grad F_i(x; xi) = grad f_i(x) + xi, xi ~ N(0, sigma^2/d I)."""

from __future__ import annotations

import math

import numpy as np

from theorylab.kernels import Stream
from theorylab.known import How, Known
from theorylab.problems._base import Sample
from theorylab.problems._kernel import KernelProblem
from theorylab.problems._options import Array, number


class AdditiveNoise(KernelProblem):
    """A problem whose gradient noise does not depend on the point: E|xi|^2 = sigma^2 exactly."""

    def __init__(self, clients: int, dim: int, sigma: float, *tables: Array) -> None:
        self.sigma = number(self.name, "sigma", sigma, at_least=0)
        self._scale = self.sigma / math.sqrt(dim)
        super().__init__(clients, dim, self.sigma > 0, *tables)

    @property
    def noise_variance(self) -> float:
        """``E|xi|^2 = sigma^2``, summed over the d coordinates (each has sigma^2 / d)."""
        return self.sigma**2

    @property
    def noise_law(self) -> str:
        return "gaussian"

    def noise_variances(self) -> Array:
        return np.full(self.dim, self.sigma**2 / self.dim)

    def sample(self, seed: int, runs: Array, round: int, step: int) -> Sample | None:
        """The noise itself, float64 (R, n, d); None if sigma = 0."""
        if not self.stochastic:
            return None
        xi: Array = Stream(seed, "noise").normal(runs, self.clients, round, step, self.dim)
        xi *= self._scale
        return xi

    def stochastic_gradient(self, x: Array, sample: Sample | None) -> Array:
        g = self.gradient(x)
        if sample is None and not self.stochastic:
            return g
        # Without this check a sample of one run would be broadcast over all runs.
        if sample is None or not self.stochastic or sample.shape != g.shape:
            need = f"noise of shape {g.shape}" if self.stochastic else "None (sigma is 0)"
            raise self._bad_sample(sample, need)
        return np.add(g, sample, out=g)  # float32: added in float64, then rounded once

    def measured_noise(self, xbar: Array) -> Array:
        self._tables_for("measured_noise", xbar, (self.dim,))
        return np.full((len(xbar), self.clients), self.sigma, xbar.dtype)

    def _noise_constants(self, L: Known) -> dict[str, Known]:
        same = "additive noise shifts the gradient by a constant: L_sample = L"
        return {
            "L_sample": Known(L.value, L.how, same),
            "sigma_l": Known(self.sigma, How.EXACT, "sqrt E|xi|^2 = sigma, at every x"),
        }
