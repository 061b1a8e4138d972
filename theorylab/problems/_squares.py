"""What losses (x - c_i)^T H_i (x - c_i) / 2 have alike, however their H_i are made."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from theorylab.known import How, Known
from theorylab.problems._minimum import Minimum
from theorylab.problems._options import Array
from theorylab.problems._placed_forms import SquareForm


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
