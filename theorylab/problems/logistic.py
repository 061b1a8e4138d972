"""Logistic regression, F(w; j) = log(1 + exp(-s_j w^T x_j)) + reg/2 |w|^2, s_j = +-1.

Proofs of the constants, for one sample with residual r = sigmoid(z) - t:
  the second derivative of log(1 + e^z) is sigmoid (1 - sigmoid) <= 1/4, attained at z = 0, so L
  is attained at w = 0;  |r| <= 1.
With features >= 0: r is in [0, 1] where t = 0 and in [-1, 0] where t = 1. A signed sum
u - v of two entrywise nonnegative vectors has |u - v|^2 <= |u|^2 + |v|^2, and both norms grow
with |r|; so |grad f_i|^2 <= |S_i0|^2 + |S_i1|^2, S_ik = sum of class k / m_i. In
grad f_i - (average of the others) the other clients enter with the sign turned:
|gap|^2 <= |S_i0 + S'_1|^2 + |S_i1 + S'_0|^2.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from theorylab.formulas import Formula
from theorylab.problems._dataset import dataset
from theorylab.problems._options import Array, count
from theorylab.problems._regression import Regression


class Logistic(Regression, name="logistic"):
    """Binary regression on the digits, pixel/16 and a bias: d = 65. Or on data of one's own.

    Args:
        clients: n.
        target: "parity" (t = 1 for an odd digit), or a pair [a, b] of digits: only those two,
            t = 1 for b. Not to be given along with features.
        partition: "dirichlet", "classes" or "iid", by digit; drawn from ``seed``.
        alpha: of "dirichlet", the concentration; default .3.
        classes_per_client: of "classes"; default 2.
        batch: samples drawn with replacement for one stochastic gradient; None: full gradients.
        reg: l2 weight >= 0.
        features, labels, owners: (m, p), (m,) of 0 or 1, (m,) of clients, used as they are;
            without owners, they are partitioned by label.
    """

    _curvature, _residual = 0.25, 1.0
    _why = "sigmoid' <= 1/4, |sigmoid - t| <= 1 (see logistic.py)"

    def __init__(
        self,
        clients: int,
        *,
        target: Any = None,
        partition: str | None = None,
        alpha: float | None = None,
        classes_per_client: int | None = None,
        seed: int = 0,
        batch: int | None = 32,
        reg: float = 0.0,
        features: Any = None,
        labels: Any = None,
        owners: Any = None,
    ) -> None:
        if target is not None and features is not None:
            raise ValueError("logistic: target came along with features; need one of the two")
        pair = _pair(target) if target not in (None, "parity") else None
        data = dataset(
            self.name,
            count(self.name, "clients", clients),
            partition=partition,
            alpha=alpha,
            classes_per_client=classes_per_client,
            seed=seed,
            features=features,
            labels=labels,
            owners=owners,
            keep=pair,
        )
        if features is None:
            truth = data.labels == pair[1] if pair else data.labels % 2 == 1
            data.described["target"] = list(pair) if pair else "parity"
            data = data._replace(labels=truth.astype(np.int64))
        elif data.labels.max() > 1:
            raise ValueError(f"logistic: labels hold {data.labels.max()}; need 0 or 1")
        super().__init__(clients, data, data.labels[:, None].astype(float), 2, batch, reg)

    @staticmethod
    def client_loss(x: Any, A: Any, b: Any, reg: Any) -> Any:
        """f_i for one model x (d,), one client's rows A (m, d) and targets b (m,)."""
        return (np.logaddexp(0, A @ x) - b * (A @ x)).mean() + reg * (x**2).sum() / 2

    @staticmethod
    def client_gradient(x: Any, A: Any, b: Any, reg: Any) -> Any:
        """grad f_i, likewise."""
        return A.T @ (1 / (1 + np.exp(-(A @ x))) - b) / len(b) + reg * x

    @functools.cached_property
    def formula(self) -> Formula | None:
        """Of clients with as many rows each; else None."""
        n, m = self.clients, int(self.sizes[0])
        if (self.sizes != m).any():
            return None
        rows = {"A": self.features.reshape(n, m, -1), "b": self.targets.reshape(n, m)}
        data = {**rows, "reg": float(self.reg)}
        return Formula(self.client_loss, data, ("A", "b"), self.dim, self.client_gradient)

    def _link(self, z: Array) -> Array:
        from scipy.special import expit  # slow to import

        return np.asarray(expit(z, out=z))

    def _bent(self, link: Array, dz: Array) -> Array:
        return np.asarray(link * (1 - link) * dz)

    def _gradient_bounds(self, sums: Array) -> Array:
        return np.asarray(np.linalg.norm(sums, axis=(1, 2)))

    def _gap_bounds(self, sums: Array, others: Array) -> Array:
        return np.asarray(np.linalg.norm(sums + others[:, ::-1], axis=(1, 2)))


def _pair(target: Any) -> tuple[int, int]:
    need = 'need "parity" or two different digits [a, b]'
    if not isinstance(target, list | tuple) or len(target) != 2:
        raise TypeError(f"logistic: target is {target!r}; {need}")
    a, b = (count("logistic", "target", digit, at_least=0) for digit in target)
    if a == b or max(a, b) > 9:
        raise ValueError(f"logistic: target is {target!r}; {need}")
    return a, b
