"""f_i(x) = a sum_j log cosh(x_j - c_ij): smooth, convex, gradient bounded by a sqrt(d).

The problem of the counterexample to DFedSGPSM Theorem 1: L = a and B = a sqrt(d) are exact, so
no slack in a constant can hide, or fake, a violation.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from array_api_compat import array_namespace

from theorylab.problems import _apart
from theorylab.problems._options import Array, Start
from theorylab.problems._placed_forms import FormulaForm
from theorylab.problems._separable import Separable


def _starts(n: int, personal: bool) -> Iterator[Start]:
    if personal:
        return
    yield "centres apart", {"centers": _apart.columns(_apart.turned(n, 5.0))}
    three = [(5.0, 6.0, -7.0)[i % 3] for i in range(n)]
    yield "centres 5, 6, -7", {"centers": _apart.columns(three)}
    yield "alike", {"dim": 1, "center": 1.0}
    yield "far", {"dim": 1, "center": 100.0}
    yield "one centre far", {"centers": _apart.columns(_apart.away(n, 50.0))}
    yield "in ten dimensions", {"dim": 10, "center": 1.0}


class LogCosh(Separable, name="log-cosh"):
    """``Separable`` with phi = log cosh and psi = tanh (odd, concave on [0, inf), psi'(0) = 1).

    L = a; B = a sqrt(d), a supremum that no point attains; sigma_g from
    |tanh(x - a) - tanh(x - b)| <= 2 tanh(|a - b| / 2), which two clients attain.
    """

    moves = replace(Separable.moves, anywhere={"dim": 1, "center": 4.0}, starts=_starts)
    _slope_limit = 1.0
    _limit_is = "approached as |x| grows, never attained"

    @staticmethod
    def client_loss(x: Any, c: Any, a: Any) -> Any:
        """f_i for one model x (d,), its center c (d,) and the scale a."""
        two = 2 + 0 * x  # of x, so that a re-check takes the logarithm, and not its float
        return a * (np.logaddexp(x - c, c - x) - np.log(two)).sum()

    @staticmethod
    def client_gradient(x: Any, c: Any, a: Any) -> Any:
        """grad f_i, likewise."""
        return a * np.tanh(x - c)

    @property
    def torch_form(self) -> Any:
        return functools.partial(_Precise, self)

    def _potential(self, y: Array) -> Array:
        xp = array_namespace(y)
        # log cosh y = log1p(2 sinh(y/2)^2) has full relative precision near 0, but overflows;
        # |y| + log1p(exp(-2|y|)) - log 2 never overflows, but cancels near 0. Both meet at 1.
        y = abs(y)
        half = xp.sinh(0.5 * xp.clip(y, 0, 1))
        near = xp.log1p(2 * half * half)
        far = y + xp.log1p(xp.exp(-2 * y)) - math.log(2)
        return xp.where(y < 1, near, far)  # type: ignore[no-any-return]

    def _slope(self, y: Array) -> Array:
        return np.tanh(y, out=y)


class _Precise(FormulaForm):
    """With the digits near a center that the function's own differences lose."""

    def __init__(self, problem: Any, put: Any) -> None:
        super().__init__(problem, put)
        self._centers = put(problem.centers)

    def loss(self, x: Any) -> Any:
        return self._problem.scale * self._problem._potential(x - self._centers).sum(-1)
