"""What losses (x - c_i)^T H_i (x - c_i) / 2 have alike, however their H_i are made."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from theorylab.known import How, Known
from theorylab.problems._minimum import Minimum
from theorylab.problems._options import Array
from theorylab.problems._placed_forms import SquareForm


class Squares:
    """hessians: H (n, d, d). centers: c (n, d)."""

    affine_gradient = grows = True
    bottom: tuple[Known | None, Minimum | None] = None, None  # x* is solved for: ``optimum``
    hessians: Array
    centers: Array

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
