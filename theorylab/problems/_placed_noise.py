"""The randomness of a placed problem's gradients, drawn where its points live, with host bits."""

from __future__ import annotations

import math
from threading import get_ident
from typing import Any, Protocol

import numpy as np

from theorylab.kernels import Stream
from theorylab.problems._additive import AdditiveNoise
from theorylab.problems._minibatches import Minibatches
from theorylab.problems._noise import FieldNoise
from theorylab.problems._options import Array
from theorylab.problems._outcomes import skewed
from theorylab.problems.pinwheel import Pinwheel

Tensor = Any  # torch.Tensor; torch costs seconds to import


class Noise(Protocol):
    """What a sample of a problem is, and what it does to a gradient.

    tail: the axes of a sample beyond (R, n). what: the sample in words.
    """

    tail: tuple[int, ...]
    what: str

    def draw(self, like: Tensor, seed: int, runs: Array, round: int, step: int) -> Tensor:
        """The base's sample, to the bit, on the device of ``like``."""

    def gradient(self, form: Any, x: Tensor, sample: Tensor) -> Tensor:
        """The stochastic gradient of ``form`` at x (R, n, d), in the dtype of x."""


class Rows:
    """Minibatches of the clients' own rows."""

    what = "row numbers"

    def __init__(self, base: Any, put: Any) -> None:
        self.tail = (base.batch,)
        self._clients, self._batch = base.clients, base.batch
        self._sizes = put(base.sizes, whole=True)
        self._steps: tuple[Any, Any] = None, None

    def draw(self, like: Tensor, seed: int, runs: Array, round: int, step: int) -> Tensor:
        stream = Stream(seed, "sample").beside(like)
        return stream.integers(self._sizes, runs, self._clients, round, step, self._batch)

    def __getstate__(self) -> dict[str, Any]:
        """Without launches that were put together: they hold pointers."""
        return vars(self) | {"_steps": (None, None)}

    def of_steps(self, like: Tensor, seed: int, runs: Array, round: int, steps: int) -> Tensor:
        """``draw`` of steps 0 .. K - 1, (K, R, n, batch), in memory that the next call of this
        thread on this stream writes."""
        from theorylab.problems._replays import stream_of  # it imports torch

        key, kept = (seed, runs.tobytes(), steps, get_ident(), stream_of(like)), self._steps
        if kept[0] != key:
            stream = Stream(seed, "sample").beside(like)
            kept = key, stream.integers_of_steps(self._sizes, runs, steps, self._batch)
            self._steps = kept
        return kept[1](round)

    def gradient(self, form: Any, x: Tensor, sample: Tensor) -> Tensor:
        return form.gradient(x, sample)


class Additive:
    """Gaussian noise that does not depend on the point."""

    what = "noise"

    def __init__(self, base: AdditiveNoise, put: Any) -> None:
        self.tail = (base.dim,)
        self._clients, self._dim, self._scale = base.clients, base.dim, base._scale

    def draw(self, like: Tensor, seed: int, runs: Array, round: int, step: int) -> Tensor:
        drawn = (
            Stream(seed, "noise").beside(like).normal(runs, self._clients, round, step, self._dim)
        )
        return drawn * self._scale

    def gradient(self, form: Any, x: Tensor, sample: Tensor) -> Tensor:
        return (form.gradient(x) + sample).to(x.dtype)  # added in float64, then rounded once


class Field:
    """A ``NoiseField``: the same laws in torch operations."""

    what = "noise"

    def __init__(self, base: FieldNoise, put: Any) -> None:
        import torch

        self._torch, self._field, self._clients = torch, base.field, base.clients
        self._scale = put(base.field.scale, dtype=torch.float64)
        self._sigmas = put(np.array([part.sigma for part in base.field.parts]), dtype=torch.float64)
        self.tail = (base.field.width,)

    def draw(self, like: Tensor, seed: int, runs: Array, round: int, step: int) -> Tensor:
        torch, field, d = self._torch, self._field, self._field.dim
        stream, n = Stream(seed, "noise").beside(like), self._clients
        if field.kind in ("gaussian", "common"):
            own = field.kind == "gaussian"
            xi = stream.normal(runs, n if own else 1, round, step, d) * self._scale
            return xi if own else xi.expand(-1, n, -1)
        extra = len(field.parts) if field.kind in ("two-point", "coordinate") else 0
        each = field.kind in ("rademacher", "skewed", "state", "two-point")
        many = d if each else len(field.parts)
        words = stream.uniform(runs, n, round, step, extra + many)
        if field.kind == "skewed":
            high, low = map(words.new_tensor, skewed(field.chance))  # a bare number is float32
            return torch.where(words < field.chance, high, low) * self._scale
        signs = torch.where(words[..., extra:] < 0.5, -1.0, 1.0).to(torch.float64)
        if field.kind == "aligned":
            return signs * self._sigmas
        if field.kind == "coordinate":
            xi = words.new_zeros((*words.shape[:2], d))
            for k, (low, high, sigma) in enumerate(field.parts):
                at = low + (words[..., k : k + 1] * (high - low)).to(torch.int64)
                xi.scatter_(-1, at, sigma * signs[..., k : k + 1])
            return xi
        signs = signs * self._scale
        if field.kind == "two-point":
            for k, (low, high, _) in enumerate(field.parts):
                rare = words[..., k : k + 1] < field.chance
                signs[..., low:high] *= rare.to(torch.float64) * (1 / math.sqrt(field.chance))
        return signs

    def gradient(self, form: Any, x: Tensor, sample: Tensor) -> Tensor:
        g, field = form.gradient(x), self._field
        if field.kind == "aligned":
            made = g.clone()
            for k, (low, high, _) in enumerate(field.parts):
                along = sample[..., k : k + 1] * self._direction(g[..., low:high])
                made[..., low:high] = (g[..., low:high] + along).to(g.dtype)
            return made
        if field.kind == "state":
            sample = sample * (x / field.length).cos()
        return (g + sample).to(g.dtype)

    def _direction(self, g: Tensor) -> Tensor:
        """g/|g| over the last axis, e_1 where g = 0; scaled first, for |g|^2 may underflow."""
        torch = self._torch
        size = g.abs().amax(-1, keepdim=True)
        none = size == 0
        unit = torch.where(none, torch.zeros_like(g), g / torch.where(none, 1.0, size))
        unit[..., :1] += none
        return unit / unit.square().sum(-1, keepdim=True).sqrt()


class Bumps:
    """The noise of "pinwheel"."""

    what = "indices"
    tail: tuple[int, ...] = ()

    def __init__(self, base: Pinwheel, put: Any) -> None:
        import torch

        self._torch, self._base = torch, base
        self._u, self._v, self._middle = (
            put(part, dtype=torch.float64) for part in (base.u, base.v, base.middle)
        )

    def draw(self, like: Tensor, seed: int, runs: Array, round: int, step: int) -> Tensor:
        base, stream = self._base, Stream(seed, "sample").beside(like)
        return stream.integers(base.cases, runs, base.clients, round, step, 1)[:, :, 0]

    def gradient(self, form: Any, x: Tensor, sample: Tensor) -> Tensor:
        base, torch = self._base, self._torch
        j = sample // 2
        sign = torch.where(sample % 2 == 0, 1.0, -1.0)[..., None].to(torch.float64)
        y, v, square = x - self._middle[j], self._v[j], base.radius**2
        rest = (1 - (y * y).sum(-1, keepdim=True) / square).clamp(min=0)
        along = (v * y).sum(-1, keepdim=True)
        slope = rest**2 * v - 4 * rest * along * y / square
        return (form.gradient(x) + base.eps * self._u[j] + base.bump * sign * slope).to(x.dtype)


def noise_of(base: Any, put: Any) -> Noise | None:
    """The noise of a problem; None where it has none.

    put: as of ``Placed``.
    """
    if not base.stochastic:
        return None
    kinds: tuple[tuple[type, Any], ...] = (
        (Minibatches, Rows), (AdditiveNoise, Additive), (FieldNoise, Field), (Pinwheel, Bumps),
    )  # fmt: skip
    made: Noise = next(noise for kind, noise in kinds if isinstance(base, kind))(base, put)
    return made
