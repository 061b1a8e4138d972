"""Any problem with exact gradients, under an adversarial noise field."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from theorylab.arithmetic import evaluated
from theorylab.known import How, Known
from theorylab.problems._altered import minimiser
from theorylab.problems._base import Problem, Sample
from theorylab.problems._based import Based
from theorylab.problems._named import problem
from theorylab.problems._noise import FieldNoise, NoiseField, Part
from theorylab.problems._options import Array, count, number
from theorylab.problems._outcomes import Draw


class Noisy(Based, FieldNoise, name="noisy"):
    """The losses of ``base``, and their gradients with noise of one field on the whole point.

    Args:
        clients: n.
        base: the options of a problem, {"name": ..., ...}, or a Problem; its gradients must be
            exact (sigma = 0, full batch) and its points NumPy arrays.
        field: one of ``_noise.FIELDS``.
        sigma: E|xi|^2 <= sigma^2, with equality at the worst point.
        chance: p of ``_noise.RARE``. length: l of "state".
        schedule: what the noise of round t is multiplied by, in [0, 1]: a list, whose last number
            stays, or a text in t such as "1/sqrt(1 + t)". Then sigma bounds the noise of every one.

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
        schedule: Sequence[float] | str | None = None,
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
        if not isinstance(schedule, Sequence | None):
            kind = type(schedule).__name__
            raise TypeError(f"{where}: schedule is {kind}; need a list of numbers, or a text in t")
        self.schedule = schedule if schedule is None or isinstance(schedule, str) else [*schedule]
        if self.schedule is not None:
            if not self.schedule:
                raise ValueError(f"{where}: schedule is empty; need numbers, or a text in t")
            every = [0] if isinstance(self.schedule, str) else range(len(self.schedule))
            for t in every:
                self.share(t)
        self.shared, self.blocks = self.base.shared, self.base.blocks
        self.domain = self.base.domain

    def share(self, t: int) -> float:
        """What the noise of round t is multiplied by; ValueError, one line, if not in [0, 1]."""
        if self.schedule is None:
            return 1.0
        if isinstance(self.schedule, str):
            try:
                value = evaluated(self.schedule, {"t": t})
            except ValueError as error:
                raise ValueError(f"{self.name}: schedule: {error}") from None
        else:
            value = number(self.name, "schedule", self.schedule[min(t, len(self.schedule) - 1)])
        if not 0 <= value <= 1:
            raise ValueError(f"{self.name}: schedule is {value!r} in round {t}; need 0 to 1")
        return value

    def sample(self, seed: int, runs: Array, round: int, step: int) -> Sample | None:
        drawn = super().sample(seed, runs, round, step)
        return drawn if drawn is None or self.schedule is None else drawn * self.share(round)

    # what stands for one law in all rounds is not known of several
    def finite_noise(self) -> tuple[Draw, ...] | None:
        return super().finite_noise() if self.schedule is None else None

    def noise_variances(self) -> Array | None:
        return super().noise_variances() if self.schedule is None else None

    @property
    def noise_law(self) -> str | None:
        return super().noise_law if self.schedule is None else None

    def part_sigma(self, part: Array) -> Known:
        known = super().part_sigma(part)
        return known if self.schedule is None else Known(known.value, How.UPPER, known.source)

    def measured_noise(self, xbar: Array) -> Array:
        return super().measured_noise(xbar) * self.share(0)

    @property
    def torch_form(self) -> Any:
        return self.base.torch_form if self.schedule is None else None

    def block_constants(self, shared: Array) -> dict[str, Known]:
        found = self.base.block_constants(shared)
        return {name: known for name, known in found.items() if name not in ("sigma_u", "sigma_v")}

    def constants(self) -> dict[str, Known]:
        found, square = self.base.constants(), self.square_form
        hessians = None if square is None else square[0]
        smooth = found.get("L", Known(math.inf, How.UPPER, "no L of the losses is known"))
        noise = self.field.constants(smooth, hessians, self.base.grows)
        if "L" not in found:
            del noise["L_sample"]
        if self.schedule is not None:  # the shares of some rounds may all be below 1
            of = "that of a share of 1, at least that of every round: "
            noise = {key: Known(each.value, How.UPPER if each.at_least else each.how,
                                of + each.source) for key, each in noise.items()}  # fmt: skip
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
            **({} if self.schedule is None else {"schedule": self.schedule}),
        }


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
