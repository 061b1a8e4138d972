"""f_i(x) = a sum_j phi(x_j - c_ij) with phi even, convex, and psi = phi' concave on [0, inf).

Facts used below, for psi odd, nondecreasing, concave on [0, inf), psi'(0) = 1:
  (1) psi is 1-Lipschitz and no better near 0, so every f_i has smoothness exactly a.
  (2) |psi(u + h) - psi(u - h)| <= 2 psi(h) for h >= 0, with equality at u = 0. By oddness take
      u >= 0. If u < h: psi(u + h) + psi(h - u) <= 2 psi(h), concavity on [0, 2h]. If u >= h:
      the increment over [u-h, u+h] is at most that over [0, 2h], psi(2h) <= 2 psi(h).
"""

from __future__ import annotations

import functools
import math
from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from theorylab.formulas import Formula
from theorylab.kernels import ClientLosses, Stream
from theorylab.known import EPS, How, Known
from theorylab.problems._additive import AdditiveNoise
from theorylab.problems._asked import Study
from theorylab.problems._minimum import LEAST, NARROW, Minimum
from theorylab.problems._options import Array, Moves, array, count, number

BISECTIONS = 64  # halve the range of the centers to the last bit of a float64


class Separable(AdditiveNoise):
    """The family above. Subclasses give phi and psi as ``_potential`` and ``_slope``.

    Args:
        clients: n.
        dim: d; 1 unless the centers say otherwise.
        scale: a.
        center: every coordinate of every c_i, or their middle when ``spread`` > 0.
        spread: standard deviation of every c_ij around ``center``, drawn from ``seed``.
        sigma: gradient noise, E|xi|^2 = sigma^2.
        centers: (n, d), instead of dim, center and spread.
    """

    moves = Moves(
        curvature=("scale",),
        length=("centers", "center", "spread"),
        letters={"center": "c", "centers": "c", "spread": "c", "scale": "a", "clip": "b"},
    )
    grows = True
    study = Study({"dim": 2, "spread": 2.0, "sigma": 1.0, "seed": 2})
    _slope_limit: float  # sup psi, 1 for log cosh

    def __init__(
        self,
        clients: int,
        *,
        dim: int | None = None,
        scale: float = 1.0,
        center: float | None = None,
        spread: float | None = None,
        sigma: float = 0.0,
        seed: int = 0,
        centers: Any = None,
    ) -> None:
        where, n = self.name, count(self.name, "clients", clients)
        self.scale = number(where, "scale", scale, above=0)
        self._seed = count(where, "seed", seed, at_least=0)
        self._drawn: dict[str, float] | None = None
        if centers is not None:
            if center is not None or spread is not None:
                raise ValueError(f"{where}: centers came along with center or spread; need one")
            want = "d" if dim is None else count(where, "dim", dim)
            self.centers: Array = array(where, "centers", centers, (n, want))
        else:
            d = count(where, "dim", 1 if dim is None else dim)
            middle = number(where, "center", 0.0 if center is None else center)
            width = number(where, "spread", 0.0 if spread is None else spread, at_least=0)
            self._drawn = {"center": middle, "spread": width}
            self.centers = np.full((n, d), middle)
            if width > 0:
                self.centers += width * Stream(self._seed, "problem").normal(1, n, 0, 0, d)[0]
        super().__init__(n, self.centers.shape[1], sigma, self.centers)

    client_loss: Callable[..., Any]
    client_gradient: Callable[..., Any]

    @functools.cached_property
    def formula(self) -> Formula:
        data = {"c": self.centers, "a": self.scale}
        data |= {} if self._clip is None else {"b": self._clip}
        return Formula(self.client_loss, data, ("c",), self.dim, self.client_gradient)

    @abstractmethod
    def _potential(self, y: Array) -> Array:
        """phi(y). May overwrite ``y``. Relative error at most 8 eps."""

    @abstractmethod
    def _slope(self, y: Array) -> Array:
        """psi(y) = phi'(y). May overwrite ``y``. Absolute error at most 4 eps ``_slope_limit``."""

    def loss(self, x: Array) -> Array:
        (c,) = self._tables_for("loss", x, self._shape)
        return np.asarray(self.scale * self._potential(x - c).sum(axis=-1))

    _clip: float | None = None  # where psi is a clip, its limit

    def _make_table(self, dtype: np.dtype[Any]) -> ClientLosses:
        (c,) = self._tables[dtype]
        return ClientLosses.separable(c, scale=self.scale, noise=self._scale, clip=self._clip)

    def mean_gradient(self, xbar: Array) -> Array:
        self._tables_for("mean_gradient", xbar, (self.dim,))
        total: Array = np.add.reduce(self.gradient(self._spread(xbar)), axis=1)
        total /= self.clients
        return total

    def constants(self) -> dict[str, Known]:
        return dict(self._constants)

    @functools.cached_property
    def _constants(self) -> dict[str, Known]:
        L = Known(self.scale, How.EXACT, "a max phi'' = a phi''(0) = a")
        ceiling = self.scale * self._slope_limit * math.sqrt(self.dim)
        return {
            "L": L,
            "mu": Known(0.0, How.EXACT, "phi grows linearly: its curvature has infimum 0"),
            "B": Known(ceiling, How.EXACT, f"sup a |psi| sqrt(d), {self._limit_is}"),
            "sigma_g": self._heterogeneity(self.centers),
            "f_star": self.bottom[0],
            **self._noise_constants(L),
        }

    def copied(self, place: Array, noise: bool) -> Separable:
        clip: dict[str, Any] = {} if self._clip is None else {"clip": self._clip}
        sigma = self.sigma if noise else 0.0
        made = type(self)
        return made(len(place), centers=self.centers[place], scale=self.scale, sigma=sigma, **clip)

    @property
    def convexity(self) -> float:
        return 0.0

    def block_constants(self, shared: Array) -> dict[str, Known]:
        """f_i is a sum over coordinates: no coupling, and u is a problem of its own."""
        none = Known(0.0, How.EXACT, "a sum over coordinates: H_uv = 0")
        smooth = dict.fromkeys(("L_u", "L_v"), self._constants["L"])
        gap = self._heterogeneity(self.centers[:, shared])
        return smooth | {"L_uv": none, "L_vu": none, "partial_sigma_g": gap}

    _limit_is: str  # whether the supremum is attained

    def _heterogeneity(self, centers: Array) -> Known:
        if bool(np.all(centers == centers[0])):
            return Known(0.0, How.EXACT, "equal centers: every f_i is f")
        worst = 0.0
        for center in centers:  # by fact (2), with u the distance to the middle of two centers
            gap = 2 * self._slope(0.5 * np.abs(centers - center)).mean(axis=0)
            worst = max(worst, float(np.linalg.norm(gap)))
        worst *= self.scale * (1 + (sum(centers.shape) + 16) * EPS)  # the rounding of the sums
        return Known(worst, How.UPPER, "max_i |(2a/n) sum_k psi(|c_i - c_k| / 2)|, see _separable")

    @functools.cached_property
    def bottom(self) -> tuple[Known, Minimum | None]:
        """f is a sum over coordinates of convex phi_j with their minimisers within the centers.

        So phi_j(u*) >= phi_j(u) - |phi_j'(u)| (hi - lo) for any u in [lo, hi]; and u* is between
        places where phi_j' is below and above 0. The rest is a good u and the rounding: n terms of
        relative error 8 eps, n slopes of error 4 eps each.
        """
        if bool(np.all(self.centers == self.centers[0])):
            same = Known(0.0, How.EXACT, "equal centers: f is 0 at the center")
            return same, Minimum(self.centers[0].copy(), 0.0, "equal centers")
        lo, hi = self.centers.min(axis=0), self.centers.max(axis=0)
        width, terms = hi - lo, self.clients + 16
        for _ in range(BISECTIONS):
            u = 0.5 * (lo + hi)
            rising = self._mean_slope(u) > 0
            lo, hi = np.where(rising, lo, u), np.where(rising, u, hi)
        value = self._potential(u - self.centers).mean(axis=0)
        shift = 2 * EPS * np.abs(self.centers).max(axis=0)  # u - c is rounded before psi sees it
        off = shift + terms * EPS * self._slope_limit
        low = value * (1 - terms * EPS) - (np.abs(self._mean_slope(u)) + off) * width
        both = [np.maximum(low - shift * self._slope_limit, 0),
                value * (1 + terms * EPS) + shift * self._slope_limit]  # fmt: skip
        few = (self.dim + 4) * EPS
        ends = [float(each.sum()) * self.scale for each in both]
        ends = [ends[0] * (1 - few), ends[1] * (1 + few)]
        source = "tangent line of a convex function at a near-minimiser"
        star = Known(ends[0], How.CERTIFIED, source, lower=ends[0], upper=ends[1])
        reach = np.minimum(4 * shift + LEAST, width)
        while True:
            open_ = (self._mean_slope(u - reach) >= -off) | (self._mean_slope(u + reach) <= off)
            if not (open_ & (reach < width)).any():
                break
            reach = np.where(open_, np.minimum(2 * reach, width), reach)
        ball = float(np.linalg.norm(reach + shift)) * (1 + few)
        narrow = ball <= NARROW * (1 + float(np.abs(u).max()))
        return star, Minimum(u, ball, "f' changes its sign around it") if narrow else None

    def _mean_slope(self, u: Array) -> Array:
        return np.asarray(self._slope(u - self.centers).mean(axis=0))

    def describe(self) -> dict[str, Any]:
        made: dict[str, Any] = {"name": self.name, "clients": self.clients, "scale": self.scale}
        made |= {"dim": self.dim, "sigma": self.sigma, "seed": self._seed}
        made |= self._drawn if self._drawn is not None else {"centers": self.centers.tolist()}
        return made
