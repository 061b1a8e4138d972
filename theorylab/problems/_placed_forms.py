"""Client losses and their gradients in torch operations, on whatever device the points live.

Sums are the library's: they agree with the host's kernels up to rounding, not bit for bit. What a
verdict rests on (local steps, mixing) runs in own kernels; these are for what is recorded.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Tensor = Any  # torch.Tensor; torch costs seconds to import


class RegressionForm:
    """Logistic and softmax regression; the clients' rows padded to the longest, with weight 0.

    ``loss`` and ``gradient`` are (R, n) and (R, n, d) at x (R, n, d), the latter also on rows
    (R, n, b) of a minibatch. ``mean_loss`` and ``mean_gradient`` are those of f at xbar (R, d).
    """

    def __init__(self, problem: Any, put: Any) -> None:
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


class FunctionForm:
    """Losses whose own functions run on tensors."""

    def __init__(self, problem: Any, put: Any) -> None:
        self._problem, self._clients = problem, problem.clients

    def loss(self, x: Tensor) -> Tensor:
        return self._problem.loss(x)

    def gradient(self, x: Tensor, rows: Tensor | None = None) -> Tensor:
        return self._problem.gradient(x)

    def mean_loss(self, xbar: Tensor) -> Tensor:
        return self.loss(xbar[:, None].expand(-1, self._clients, -1)).mean(-1)

    def mean_gradient(self, xbar: Tensor) -> Tensor:
        return self.gradient(xbar[:, None].expand(-1, self._clients, -1)).mean(1)


class FormulaForm(FunctionForm):
    """Losses that are one function: the same function."""

    def loss(self, x: Tensor) -> Tensor:
        formula = self._problem.formula
        return formula.at(x, formula.value)[0]

    def gradient(self, x: Tensor, rows: Tensor | None = None) -> Tensor:
        return self._problem.formula.marked(x)


class SquareForm(FormulaForm):
    """f_i(x) = 1/2 (x - c_i)^T H_i (x - c_i): its mean is around the minimum of f."""

    def __init__(self, problem: Any, put: Any) -> None:
        super().__init__(problem, put)
        self._mean, self._best = put(problem.mean_hessian), put(problem.optimum)

    def mean_loss(self, xbar: Tensor) -> Tensor:
        rise = self.mean_gradient(xbar) * (xbar - self._best)
        return 0.5 * rise.sum(-1) + self._problem.f_star

    def mean_gradient(self, xbar: Tensor) -> Tensor:
        return (xbar - self._best) @ self._mean.T
