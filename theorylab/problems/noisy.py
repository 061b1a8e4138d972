"""Any problem with exact gradients, under an adversarial noise field."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from theorylab.known import How, Known
from theorylab.problems._altered import minimiser
from theorylab.problems._asked import OF_LOSSES, answers_of_base
from theorylab.problems._base import Problem
from theorylab.problems._named import problem
from theorylab.problems._noise import FieldNoise, NoiseField, Part
from theorylab.problems._options import Array, count, number


class Noisy(FieldNoise, name="noisy"):
    """The losses of ``base``, and their gradients with noise of one field on the whole point.

    Args:
        clients: n.
        base: the options of a problem, {"name": ..., ...}, or a Problem; its gradients must be
            exact (sigma = 0, full batch) and its points NumPy arrays.
        field: one of ``_noise.FIELDS``.
        sigma: E|xi|^2 <= sigma^2, with equality at the worst point.
        chance: p of ``_noise.RARE``. length: l of "state".

    ``constants`` are those of the base, with sigma_l and L_sample of the field.
    """

    def __init__(
        self,
        clients: int,
        *,
        base: Any,
        field: str = "gaussian",
        sigma: float = 1.0,
        chance: float | None = None,
        length: float | None = None,
    ) -> None:
        where, n = self.name, count(self.name, "clients", clients)
        self.base = built(where, n, base)
        if self.base.clients != n:
            raise ValueError(f"{where}: clients is {n}, but base has {self.base.clients}; need one")
        if self.base.stochastic:
            raise ValueError(
                f"{where}: base {self.base.name} has noise of its own; need exact gradients "
                "(sigma 0, no batch)"
            )
        d = self.base.dim
        if not isinstance(self.base.points(np.zeros((1, n, d))), np.ndarray):
            raise TypeError(f"{where}: base {self.base.name} has no NumPy points; need NumPy")
        parts = [Part(0, d, number(where, "sigma", sigma, at_least=0))]
        super().__init__(n, NoiseField.of(where, field, parts, chance, length, "field"))
        self.shared, self.blocks = self.base.shared, self.base.blocks
        self.domain = self.base.domain

    def loss(self, x: Array) -> Array:
        return self.base.loss(x)

    def gradient(self, x: Array) -> Array:
        return self.base.gradient(x)

    def mean_loss(self, xbar: Array) -> Array:
        return self.base.mean_loss(xbar)

    def mean_gradient(self, xbar: Array) -> Array:
        return self.base.mean_gradient(xbar)

    def measured_heterogeneity(self, xbar: Array) -> Array:
        return self.base.measured_heterogeneity(xbar)

    def block_constants(self, shared: Array) -> dict[str, Known]:
        found = self.base.block_constants(shared)
        return {name: known for name, known in found.items() if name not in ("sigma_u", "sigma_v")}

    def initial(self, seed: int, runs: Array) -> Array:
        return self.base.initial(seed, runs)

    def accuracy(self, x: Array) -> Array | None:
        return self.base.accuracy(x)

    def constants(self) -> dict[str, Known]:
        found, square = self.base.constants(), self.square_form
        hessians = None if square is None else square[0]
        smooth = found.get("L", Known(math.inf, How.UPPER, "no L of the losses is known"))
        noise = self.field.constants(smooth, hessians, self.base.grows)
        if "L" not in found:
            del noise["L_sample"]
        return found | noise

    @property
    def optimum(self) -> Array:
        """x* of f, where the base has it; AttributeError where not, as of a base without one."""
        best = minimiser(self)
        if best is None:
            raise AttributeError(f"{self.base.name} has no optimum")
        return best

    def describe(self) -> dict[str, Any]:
        made = {"name": self.name, "clients": self.clients, "base": self.base.describe()}
        return made | {
            "field": self.field.kind,
            "sigma": self.field.sigma,
            **self.field.options(),
        }


answers_of_base(Noisy, {*OF_LOSSES} - {"block_constants"})


def with_noise(base: Problem, field: str, sigma: float, **options: Any) -> Noisy:
    """``base`` under the noise ``field``; ``options`` and errors as for ``Noisy``."""
    return Noisy(base.clients, base=base, field=field, sigma=sigma, **options)


def built(where: str, n: int, base: Any) -> Problem:
    """The problem that the option ``base`` is, or names."""
    if isinstance(base, Problem):
        if base.drifts:
            raise ValueError(f"{where}: base {base.name} has losses of the round; need fixed ones")
        return base
    if not isinstance(base, Mapping) or not isinstance(base.get("name"), str):
        raise TypeError(
            f"{where}: base is {type(base).__name__}; need a problem, or its options with a name"
        )
    return built(where, n, problem(**{"clients": n, **base}))
