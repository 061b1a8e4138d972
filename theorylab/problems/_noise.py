"""Adversarial gradient noise: unbiased, E|xi|^2 <= sigma^2, and as bad as that allows.

grad F_i(x; xi) = grad f_i(x) + xi on each part of x (all of it, or u and v by themselves, drawn
independently). In a part of d coordinates, with s_j = +-1 fair and independent:

    gaussian     xi ~ N(0, sigma^2/d I)
    rademacher   xi_j = sigma/sqrt(d) s_j: the length is sigma in every draw
    two-point    rademacher / sqrt(p) with chance p, else 0: rare, large, kurtosis 1/p
    coordinate   xi = sigma s e_J, J uniform: all on one coordinate
    skewed       xi_j = sigma/sqrt(d) times sqrt((1-p)/p) with chance p, else -sqrt(p/(1-p))
    common       gaussian, one draw for all clients: averaging over n clients does not reduce it
    aligned      xi = sigma s g/|g|, g the gradient of the part (e_1 where g = 0)
    state        xi_j = sigma/sqrt(d) s_j cos(x_j / l), the gradient of a random loss
                 sigma l/sqrt(d) sum_j s_j sin(x_j / l)

              E xi   E|xi|^2              clients     L_sample
    first 5   0      sigma^2              independent L: xi does not depend on x
    common    0      sigma^2              one draw    L
    aligned   0      sigma^2              independent unbounded, see below; xi is no gradient
    state     0      <= sigma^2, = at 0   independent <= L + sigma/(l sqrt(d)), = for quadratics

Every field is independent over runs, rounds and steps: a function of (seed, run, client, round,
step) and, for the last two, of the point. E xi = 0 is exact, for a sign is half of 2^53 words; the
chances p and 1/d are met within 2^-53 (and a normal as ``Stream.normal`` says), so that the mean of
skewed noise is within sigma 2^-53/sqrt(p (1-p)) of 0.

aligned. Let <g(x), x - c> > 0 on a sphere around c, as for every f_i that grows quadratically. Were
g/|g| continuous inside, it would be a map of the ball into the unit sphere that on the boundary
never points against x - c, so is homotopic to it: no such map exists (Brouwer). So it jumps, and
no finite L_sample exists.

state. The noise adds diag(t_j) to the Hessian, |t_j| <= sigma/(l sqrt(d)) = T_j, all ends attained
at once at x_j = +-l pi/2. A constant H_i then has the exact constant max(lambda_max(H_i + diag T),
-lambda_min(H_i - diag T)), as both are monotone in t; for another f_i, L + max T is an upper bound.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from theorylab.kernels import Stream
from theorylab.known import How, Known
from theorylab.problems._base import Problem, Sample
from theorylab.problems._options import Array, number
from theorylab.problems._outcomes import Draw, outcomes, skewed

FIELDS = (
    *("aligned", "common", "coordinate", "gaussian", "rademacher", "skewed", "state", "two-point"),
)
RARE = ("skewed", "two-point")  # laws with an atom of chance p
CHANCE, LENGTH = 0.01, 1.0


class Part(NamedTuple):
    """Coordinates low:high, with noise of E|xi|^2 <= sigma^2."""

    low: int
    high: int
    sigma: float


@dataclass(frozen=True)
class NoiseField:
    """One of ``FIELDS``, on parts that together are all coordinates, in order."""

    kind: str
    parts: tuple[Part, ...]
    chance: float = CHANCE  # p of ``RARE``
    length: float = LENGTH  # l of state, in units of x

    @classmethod
    def of(
        cls,
        where: str,
        kind: Any,
        parts: Sequence[Part],
        chance: Any = None,
        length: Any = None,
        option: str = "noise",
    ) -> NoiseField:
        """The field of a problem's options; every failure is one line that names the option."""
        if not isinstance(kind, str):
            raise TypeError(f"{where}: {option} is {type(kind).__name__}; need a name")
        if kind not in FIELDS:
            raise ValueError(f"{where}: no {option} {kind!r}; need one of {', '.join(FIELDS)}")
        for name, value, only in (("chance", chance, RARE), ("length", length, ("state",))):
            if value is not None and kind not in only:
                need = " or ".join(map(repr, only))
                raise ValueError(f"{where}: {name} came with {option} {kind!r}; need {need}")
        p = number(where, "chance", CHANCE if chance is None else chance, above=0)
        if p > 1:
            raise ValueError(f"{where}: chance is {p!r}; need a probability, 0 < chance <= 1")
        if p == 1 and kind == "skewed":
            raise ValueError(f"{where}: chance is 1; need chance < 1 of {option} 'skewed'")
        size = number(where, "length", LENGTH if length is None else length, above=0)
        return cls(kind, tuple(parts), p, size)

    @property
    def dim(self) -> int:
        return self.parts[-1].high

    @property
    def sigma(self) -> float:
        """sup sqrt E|xi|^2, over all parts."""
        return math.hypot(*(part.sigma for part in self.parts))

    @property
    def independent_clients(self) -> bool:
        """False where all clients share a draw, so that their average has the noise of one."""
        return self.kind != "common" or self.sigma == 0

    @property
    def additive(self) -> bool:
        """True if xi does not depend on the point."""
        return self.kind not in ("aligned", "state")

    def options(self) -> dict[str, float]:
        """The options of this kind of field, for ``describe``."""
        if self.kind in RARE:
            return {"chance": self.chance}
        return {"length": self.length} if self.kind == "state" else {}

    @property
    def scale(self) -> Array:
        """The root of E xi_j^2 (aligned: of its mean over j; state: at x = 0), shape (d,)."""
        made = np.empty(self.dim)
        for low, high, sigma in self.parts:
            made[low:high] = sigma / math.sqrt(high - low)
        return made

    def draw(self, seed: int, runs: Array, clients: int, round: int, step: int) -> Sample:
        """float64 (R, n, width): xi itself if additive; else what ``at`` makes xi from."""
        stream, d = Stream(seed, "noise"), self.dim
        if self.kind in ("gaussian", "common"):
            drawn = clients if self.kind == "gaussian" else 1
            xi: Array = stream.normal(runs, drawn, round, step, d)
            xi *= self.scale
            return xi if self.kind == "gaussian" else np.repeat(xi, clients, axis=1)
        extra = len(self.parts) if self.kind in ("two-point", "coordinate") else 0
        each = self.kind in ("rademacher", "skewed", "state", "two-point")
        signs_wanted = d if each else len(self.parts)
        words = stream.uniform(runs, clients, round, step, extra + signs_wanted)
        if self.kind == "skewed":
            return np.asarray(self.scale * np.where(words < self.chance, *skewed(self.chance)))
        signs: Array = np.where(words[..., extra:] < 0.5, -1.0, 1.0)
        if self.kind == "aligned":
            signs *= np.array([part.sigma for part in self.parts])
            return signs
        if self.kind == "coordinate":
            xi = np.zeros((*words.shape[:2], d))
            for k, (low, high, sigma) in enumerate(self.parts):
                at = low + (words[..., k] * (high - low)).astype(np.int64)
                np.put_along_axis(xi, at[..., None], sigma * signs[..., k : k + 1], axis=-1)
            return xi
        signs *= self.scale
        if self.kind == "two-point":
            for k, (low, high, _) in enumerate(self.parts):
                rare = words[..., k : k + 1] < self.chance
                signs[..., low:high] *= np.where(rare, 1 / math.sqrt(self.chance), 0.0)
        return signs

    @property
    def width(self) -> int:
        """The last axis of a sample."""
        return len(self.parts) if self.kind == "aligned" else self.dim

    def add(self, g: Array, x: Array, sample: Sample, only: int | None = None) -> Array:
        """``g`` + xi at the points x; float32 is added in float64, then rounded once.

        Args:
            g: the gradient (R, n, d), or of part ``only`` of it.
            x: (R, n, d). sample: of ``draw``.
        """
        low, high = (0, self.dim) if only is None else self.parts[only][:2]
        made = np.empty_like(g)
        if self.kind == "aligned":
            for k, part in enumerate(self.parts):
                if only in (None, k):
                    mine = slice(part.low - low, part.high - low)
                    xi = sample[..., k : k + 1] * _direction(g[..., mine])
                    np.add(g[..., mine], xi, out=made[..., mine], casting="same_kind")
            return made
        xi = sample[..., low:high]
        if self.kind == "state":
            xi = xi * np.cos(x[..., low:high] / self.length)
        np.add(g, xi, out=made, casting="same_kind")
        return made

    def root_variance(self, x: Array) -> Array:
        """sqrt E|xi|^2 at x (R, d): shape (R,), in the dtype of x."""
        if self.kind != "state":
            return np.full(len(x), self.sigma, x.dtype)
        each = self.scale.astype(x.dtype) * np.cos(x / self.length)
        return np.asarray(np.linalg.norm(each, axis=-1))

    def part_sigma(self, mask: Array) -> Known:
        """As of ``Asked``."""
        total, how = 0.0, How.EXACT
        for low, high, sigma in self.parts:
            inside = int(np.count_nonzero(mask[low:high]))
            if self.kind == "aligned" and 0 < inside < high - low and sigma > 0:
                total, how = total + sigma**2, How.UPPER
            else:
                total += sigma**2 * (inside / (high - low))
        reason = f"{self.kind} noise: sigma^2 / d on each coordinate"
        if self.kind == "aligned":
            reason = "noise along the gradient: all of sigma^2 may fall on these coordinates"
        return Known(math.sqrt(total), how, reason)

    def constants(
        self, L: Known, hessians: Array | None = None, grows: bool = True
    ) -> dict[str, Known]:
        """L_sample and sigma_l of a problem with this noise.

        Args:
            L: smoothness of every f_i without it.
            hessians: (n, d, d), where the f_i are quadratics.
            grows: every f_i, or one with a linear gradient, grows quadratically (see ``aligned``).
        """
        reason = f"{self.kind} noise: sqrt E|xi|^2 = sigma"
        where = "at x = 0, less elsewhere" if self.kind == "state" else "at every x"
        made = {"sigma_l": Known(self.sigma, How.EXACT, f"{reason} {where}")}
        if self.additive or self.sigma == 0:
            same = "additive noise shifts the gradient by a constant: L_sample = L"
            return made | {"L_sample": Known(L.value, L.how, same)}
        if self.kind == "aligned":
            how = How.EXACT if grows else How.UPPER
            jump = "g/|g| jumps where g = 0: the slope of the noise is unbounded, see _noise"
            return made | {"L_sample": Known(math.inf, how, jump)}
        reach = self.scale / self.length
        if hessians is not None:
            high = np.linalg.eigvalsh(hessians + np.diag(reach)).max()
            low = np.linalg.eigvalsh(hessians - np.diag(reach)).min()
            source = "max_i of lambda_max(H_i + diag T), -lambda_min(H_i - diag T), see _noise"
            return made | {"L_sample": Known(float(max(high, -low)), L.how, source)}
        source = "L + max_j sigma / (l sqrt(d)): the noise bends by at most the second"
        how = How.UPPER if L.at_least else How.ESTIMATE
        return made | {"L_sample": Known(L.value + float(reach.max()), how, source)}


class FieldNoise(Problem):
    """A problem whose gradient noise is a ``NoiseField``; subclasses give the exact gradient."""

    def __init__(self, clients: int, field: NoiseField, *tables: Array) -> None:
        self.field = field
        super().__init__(clients, field.dim, field.sigma > 0, *tables)

    def sample(self, seed: int, runs: Array, round: int, step: int) -> Sample | None:
        """What the noise is made from, float64 (R, n, width); None if sigma = 0."""
        if not self.stochastic:
            return None
        return self.field.draw(seed, runs, self.clients, round, step)

    @property
    def noise_law(self) -> str | None:
        return self.field.kind if self.field.additive else None

    def part_sigma(self, part: Array) -> Known:
        return self.field.part_sigma(part)

    def noise_variances(self) -> Array | None:
        uncorrelated = ("gaussian", "rademacher", "skewed", "two-point", "coordinate")
        return self.field.scale**2 if self.field.kind in uncorrelated else None

    def finite_noise(self) -> tuple[Draw, ...] | None:
        return outcomes(self.field.kind, self.field.parts, self.field.chance)

    def stochastic_gradient(self, x: Array, sample: Sample | None) -> Array:
        return self._with_noise(self.gradient(x), x, sample)

    def _with_noise(
        self, g: Array, x: Array, sample: Sample | None, only: int | None = None
    ) -> Array:
        """``g``, of part ``only`` or whole, with the noise; ValueError on a wrong sample."""
        if sample is None and not self.stochastic:
            return g
        shape = (*x.shape[:2], self.field.width)
        if sample is None or not self.stochastic or sample.shape != shape:
            need = f"noise of shape {shape}" if self.stochastic else "None (sigma is 0)"
            raise self._bad_sample(sample, need)
        return self.field.add(g, x, sample, only)

    def measured_noise(self, xbar: Array) -> Array:
        self._tables_for("measured_noise", xbar, (self.dim,))
        return np.repeat(self.field.root_variance(xbar)[:, None], self.clients, axis=1)


def _direction(g: Array) -> Array:
    """g/|g| over the last axis, e_1 where g = 0; scaled first, so that |g|^2 can't underflow."""
    size = np.abs(g).max(axis=-1, keepdims=True)
    none = size == 0
    unit = np.where(none, 0, g / np.where(none, 1, size))
    unit[..., :1] += none
    return np.asarray(unit / np.linalg.norm(unit, axis=-1, keepdims=True))
