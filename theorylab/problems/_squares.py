"""What losses (x - c_i)^T H_i (x - c_i) / 2 have alike, and how their H_i are drawn."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from theorylab.kernels import Stream
from theorylab.known import How, Known
from theorylab.problems._minimum import Minimum
from theorylab.problems._options import Array, number
from theorylab.problems._placed_forms import SquareForm

_SOME = 4096  # matrices that are made at once


class Squares:
    """hessians: H (n, d, d). centers: c (n, d)."""

    affine_gradient = grows = True
    _of_centers: ClassVar[int]  # the place of the centers among the tables, of which x* is the last
    bottom: tuple[Known | None, Minimum | None] = None, None  # x* is solved for: ``optimum``
    hessians: Array
    centers: Array
    optimum: Array
    f_star: float
    mean_gradient: Callable[[Array], Array]
    gradient: Callable[[Array], Array]
    _tables_for: Callable[..., tuple[Array, ...]]
    _shape: tuple[int, int]
    dim: int

    def _solved(self, flat: Array | None = None) -> None:
        """The mean of H, x* and f*. ``flat``: coordinates (d,) that no loss depends on; there x* is
        the average center."""
        self.mean_hessian: Array = self.hessians.mean(axis=0)
        definite = self.mean_hessian if flat is None else self.mean_hessian + np.diag(flat)
        # Solved around the average center: equal centers give the optimum without rounding.
        middle = self.centers[0] + (self.centers - self.centers[0]).mean(axis=0)
        pull = np.matmul(self.hessians, (self.centers - middle)[..., None])[..., 0].mean(axis=0)
        self.optimum = middle + np.linalg.solve(definite, pull)
        gap = self.optimum - self.centers
        self.f_star = float(np.einsum("ni,nij,nj->", gap, self.hessians, gap)) / (2 * len(gap))

    def loss(self, x: Array) -> Array:
        centers = self._tables_for("loss", x, self._shape)[self._of_centers]
        g = self.gradient(x)
        g *= x - centers
        return np.asarray(0.5 * g.sum(axis=-1))

    def mean_loss(self, xbar: Array) -> Array:
        """``f_star + 1/2 (x - x*)^T Hbar (x - x*)``: no digits of the gap are lost near x*."""
        best = self._tables_for("mean_loss", xbar, (self.dim,))[-1]
        rise = self.mean_gradient(xbar) * (xbar - best)
        return np.asarray(0.5 * rise.sum(axis=-1) + self.f_star)

    @property
    def square_form(self) -> tuple[Array, Array]:
        return self.hessians, self.centers

    @property
    def torch_form(self) -> Any:
        return functools.partial(SquareForm, self)

    def _heterogeneity(self) -> Known:
        if np.any(self.hessians != self.hessians[0]):
            return Known(
                math.inf, How.EXACT, "H_i differ: |grad f_i - grad f| grows without limit in |x|"
            )
        gap = self.centers - self.centers[0]
        pull = np.matmul(self.hessians, (gap.mean(axis=0) - gap)[..., None])[..., 0]
        worst = float(np.linalg.norm(pull, axis=1).max())
        return Known(worst, How.EXACT, "equal H_i: max_i |H (c_i - mean c)|, at every x")


def interval(where: str, part: str, low: Any, top: Any) -> tuple[float, float]:
    """(mu, L) of a matrix, or of part "_u" or "_v": 0 < mu <= L, by default .1 (or L) and 1."""
    high = number(where, f"L{part}", 1.0 if top is None else top, above=0)
    least = number(where, f"mu{part}", min(0.1, high) if low is None else low, above=0)
    if least > high:
        raise ValueError(
            f"{where}: mu{part} is {least!r}, L{part} is {high!r}; need mu{part} <= L{part}"
        )
    return least, high


def symmetric(where: str, name: str, H: Array) -> Array:
    """H (n, d, d) itself; ValueError if one is asymmetric."""
    skew = np.abs(H - np.swapaxes(H, 1, 2)).max(axis=(1, 2))
    if np.any(skew > 0):
        worst = int(skew.argmax())
        which = f"{name}[{worst}]" if len(H) > 1 else name
        raise ValueError(
            f"{where}: {which} is asymmetric by {skew[worst]:.3g}; need ({name} + {name}^T)/2"
        )
    return H


def random_symmetric(
    n: int, d: int, low: float, top: float, seed: int, round: int, out: Array | None = None
) -> Array:
    """(n, d, d) in Haar-random bases, spectra in [low, top] with both ends (d = 1: top on one).

    low = top gives top I to the bit, so that equal matrices are equal. They are written to ``out``
    some at a time, so that what LAPACK needs beside them is small.
    """
    made: Array = np.empty((n, d, d)) if out is None else out
    if low == top:  # Q (top I) Q^T would differ between clients by rounding
        made[:] = top * np.eye(d)
        return made
    draws = Stream(seed, "problem")
    if d == 1:
        made[:, :, 0] = low + (top - low) * draws.uniform(1, n, round, 1, d)[0]
        made[0] = top
        return made
    for first in range(0, n, _SOME):
        some = np.arange(first, min(first + _SOME, n))
        basis = haar(draws.normal(1, some, round, 0, d * d)[0].reshape(-1, d, d))
        spectrum = low + (top - low) * draws.uniform(1, some, round, 1, d)[0]
        spectrum[:, 0], spectrum[:, -1] = top, low
        part = np.matmul(basis * spectrum[:, None, :], np.swapaxes(basis, 1, 2))
        np.multiply(0.5, part + np.swapaxes(part, 1, 2), out=made[some[0] : some[-1] + 1])
    return made


def haar(normal: Array) -> Array:
    """Haar up to the signs of the columns, which cancel in Q diag Q^T."""
    return np.linalg.qr(normal)[0]
