"""Client losses and their gradients in torch operations, on whatever device the points live.

Sums are the library's: they agree with the host's kernels up to rounding, not bit for bit. What a
verdict rests on (local steps, mixing) runs in own kernels; these are for what is recorded.
"""

from __future__ import annotations

import functools
import math
from typing import Any, Protocol

import numpy as np

from theorylab.problems._placed_mixture import MixtureForm
from theorylab.problems._regression import Regression
from theorylab.problems._separable import Separable
from theorylab.problems.clipped_linear import ClippedLinear
from theorylab.problems.coupled_quadratic import CoupledQuadratic
from theorylab.problems.log_cosh import LogCosh
from theorylab.problems.mixture import Mixture
from theorylab.problems.noisy import Noisy
from theorylab.problems.pinwheel import Pinwheel
from theorylab.problems.quadratic import Quadratic
from theorylab.problems.ridge import Ridge

Tensor = Any  # torch.Tensor; torch costs seconds to import


class Form(Protocol):
    """The losses of one problem in one dtype on one device."""

    def loss(self, x: Tensor) -> Tensor:
        """f_i(x[r, i]): (R, n) for x (R, n, d)."""

    def gradient(self, x: Tensor, rows: Tensor | None = None) -> Tensor:
        """grad f_i at x[r, i], or on the rows (R, n, b) of a regression: (R, n, d)."""

    def mean_loss(self, xbar: Tensor) -> Tensor:
        """f(xbar[r]): (R,) for xbar (R, d)."""

    def mean_gradient(self, xbar: Tensor) -> Tensor:
        """grad f(xbar[r]): (R, d)."""


class RegressionForm:
    """Logistic and softmax regression; the clients' rows padded to the longest, with weight 0."""

    def __init__(self, problem: Regression, put: Any) -> None:
        inside = np.arange(problem.sizes.max()) < problem.sizes[:, None]
        rows = problem.starts[:, None] + np.where(inside, np.arange(inside.shape[1]), 0)
        self._features, self._targets = put(problem.features), put(problem.targets)
        self._rows, self._starts = put(rows, whole=True), put(problem.starts, whole=True)
        self._share = put(inside / problem.sizes[:, None])
        weight = 1 / (problem.sizes * problem.clients)
        self._weight = put(np.repeat(weight, problem.sizes))
        self._columns, self._reg = problem.columns, problem.reg

    def loss(self, x: Tensor) -> Tensor:
        z = self._features[self._rows] @ self._matrix(x)
        each = self._losses(z, self._targets[self._rows])
        return (each * self._share).sum(-1) + self._penalty(x)

    def gradient(self, x: Tensor, rows: Tensor | None = None) -> Tensor:
        if rows is None:
            at, share = self._rows, self._share[..., None]
        else:
            at, share = self._starts[:, None] + rows, 1 / rows.shape[-1]
        features = self._features[at]
        residual = (self._link(features @ self._matrix(x)) - self._targets[at]) * share
        made = (features.transpose(-1, -2) @ residual).reshape(x.shape)
        return made + self._reg * x if self._reg > 0 else made

    def mean_loss(self, xbar: Tensor) -> Tensor:
        each = self._losses(self._features @ self._matrix(xbar), self._targets)
        return each @ self._weight + self._penalty(xbar)

    def mean_gradient(self, xbar: Tensor) -> Tensor:
        residual = self._link(self._features @ self._matrix(xbar)) - self._targets
        made = (self._features.T @ (residual * self._weight[:, None])).reshape(xbar.shape)
        return made + self._reg * xbar if self._reg > 0 else made

    def _matrix(self, x: Tensor) -> Tensor:
        return x.reshape(*x.shape[:-1], -1, self._columns)

    def _penalty(self, x: Tensor) -> Tensor:
        return 0.5 * self._reg * (x * x).sum(-1)

    def _losses(self, z: Tensor, targets: Tensor) -> Tensor:
        import torch

        if self._columns == 1:
            positive = z.clamp(min=0) + (-z.abs()).exp().log1p()  # softplus cuts off at z = 20
            return (positive - targets * z).sum(-1)
        return torch.logsumexp(z, -1) - (z * targets).sum(-1)

    def _link(self, z: Tensor) -> Tensor:
        return z.sigmoid() if self._columns == 1 else z.softmax(-1)


class QuadraticForm:
    """f_i(x) = 1/2 (x - c_i)^T H_i (x - c_i), H_i of blocks where it is coupled."""

    def __init__(self, problem: Quadratic | CoupledQuadratic, put: Any) -> None:
        self._H, self._c = put(problem.hessians), put(problem.centers)
        self._mean, self._best = put(problem.mean_hessian), put(problem.optimum)
        self._least = problem.f_star

    def loss(self, x: Tensor) -> Tensor:
        return 0.5 * (self.gradient(x) * (x - self._c)).sum(-1)

    def gradient(self, x: Tensor, rows: Tensor | None = None) -> Tensor:
        return (self._H @ (x - self._c)[..., None])[..., 0]

    def mean_loss(self, xbar: Tensor) -> Tensor:
        rise = self.mean_gradient(xbar) * (xbar - self._best)
        return 0.5 * rise.sum(-1) + self._least

    def mean_gradient(self, xbar: Tensor) -> Tensor:
        return (xbar - self._best) @ self._mean.T


class SeparableForm:
    """f_i(x) = a sum_j phi(x_j - c_ij), phi = log cosh or Huber's."""

    def __init__(self, problem: Separable, put: Any) -> None:
        self._c, self._scale = put(problem.centers), problem.scale
        self._clip = problem._clip

    def loss(self, x: Tensor) -> Tensor:
        y = (x - self._c).abs()
        if self._clip is not None:
            inner = y.clamp(max=self._clip)
            return self._scale * (inner * (y - 0.5 * inner)).sum(-1)
        half = (0.5 * y.clamp(max=1)).sinh()  # as in log_cosh.py: precise near 0, finite far away
        far = y + (-2 * y).exp().log1p() - math.log(2)
        return self._scale * (2 * half * half).log1p().where(y < 1, far).sum(-1)

    def gradient(self, x: Tensor, rows: Tensor | None = None) -> Tensor:
        y = x - self._c
        return self._scale * (y.tanh() if self._clip is None else y.clamp(-self._clip, self._clip))

    def mean_loss(self, xbar: Tensor) -> Tensor:
        return self.loss(xbar[:, None].expand(-1, len(self._c), -1)).mean(-1)

    def mean_gradient(self, xbar: Tensor) -> Tensor:
        return self.gradient(xbar[:, None].expand(-1, len(self._c), -1)).mean(1)


class _OfClients:
    """The mean over the clients of what a client's own ``loss`` and ``gradient`` give."""

    _clients: int
    loss: Any
    gradient: Any

    def mean_loss(self, xbar: Tensor) -> Tensor:
        return self.loss(xbar[:, None].expand(-1, self._clients, -1)).mean(-1)

    def mean_gradient(self, xbar: Tensor) -> Tensor:
        return self.gradient(xbar[:, None].expand(-1, self._clients, -1)).mean(1)


class RidgeForm(_OfClients):
    """A triangle wave's integral: parabolas, tops at the even multiples of 2r."""

    def __init__(self, problem: Ridge, put: Any) -> None:
        self._scale, self._radius, self._clients = problem.scale, problem.radius, problem.clients

    def loss(self, x: Tensor) -> Tensor:
        y, top = self._folded(x)
        low = (top < 0).to(x.dtype) * (self._scale * self._radius**2)
        return (-low - top * self._scale * y * y / 2).sum(-1)

    def gradient(self, x: Tensor, rows: Tensor | None = None) -> Tensor:
        y, top = self._folded(x)
        return -top * self._scale * y

    def _folded(self, x: Tensor) -> tuple[Tensor, Tensor]:
        k = (x / (2 * self._radius)).round()
        return x - 2 * self._radius * k, 1.0 - 2.0 * (k % 2 != 0).to(x.dtype)


class FormulaForm(_OfClients):
    """Losses that are one function: the same function."""

    def __init__(self, problem: Any, put: Any) -> None:
        self._formula, self._clients = problem.formula, problem.clients

    def loss(self, x: Tensor) -> Tensor:
        return self._formula.at(x, self._formula.value)[0]

    def gradient(self, x: Tensor, rows: Tensor | None = None) -> Tensor:
        return self._formula.marked(x)


FORMS: dict[type, Any] = {
    Regression: RegressionForm,
    Quadratic: QuadraticForm,
    CoupledQuadratic: QuadraticForm,
    LogCosh: SeparableForm,
    ClippedLinear: SeparableForm,
    Ridge: RidgeForm,
    Mixture: MixtureForm,
}


def form_of(problem: Any) -> Any:
    """``make(put)`` of the form that fits a problem, or None.

    Noise on top of another problem leaves that problem's form.
    """
    losses = problem.base if isinstance(problem, Noisy | Pinwheel) else problem
    form = next((form for kind, form in FORMS.items() if isinstance(losses, kind)), None)
    if form is None and losses.formula is not None:
        form = FormulaForm
    return None if form is None else functools.partial(form, losses)
