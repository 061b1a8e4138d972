"""Softmax (multinomial logistic) regression, F(W; j) = logsumexp(W^T x_j) - (W^T x_j)_{y_j} + reg.

Proofs of the constants, for one sample with p = softmax(z) and residual r = p - e_y:
  Hessian of logsumexp: v^T (diag p - p p^T) v = Var_p(v) <= (max v - min v)^2 / 4 <= |v|^2 / 2
  (Popoviciu). It is approached at p = (1/2, 1/2, 0, ...), which a bias feature reaches for all
  samples at once: then L is a supremum, not just a bound.
  |r|^2 = (1 - p_y)^2 + sum_{k != y} p_k^2 <= 2 (1 - p_y)^2 <= 2.
With features >= 0, write S_k for the sum of the features of class k, divided by m_i (client i;
S'_k: the average over the other clients), and xbar = sum_k S_k. Column k of grad f_i is u_k - v_k
with u_k = mean of p_jk x_j over y_j != k, and v_k = mean of (1 - p_jk) x_j over y_j = k,
entrywise nonnegative, so |u_k - v_k|^2 <= |u_k|^2 + |v_k|^2, |v_k| <= |S_k|, and
  sum_k |u_k|^2 = (1/m^2) sum_jj' x_j . x_j' sum_k p_jk p_j'k <= |xbar|^2,                      (1)
  as sum_k p_jk p_j'k <= 1. Hence |grad f_i|^2 <= |xbar|^2 + sum_k |S_k|^2; a client without
  some class attains it in the limit (every sample predicted to be of that class, by the bias).
Gap g = grad f_i - (average of the others), two bounds:
  (a) the labels give the constant A = (S'_k - S_k)_k, and the predictions, by (1) for both parts,
      at most sqrt(|xbar|^2 + |xbar'|^2): |g| <= |A| + sqrt(|xbar|^2 + |xbar'|^2).
  (b) the positive part of column k is u_k + v'_k, the negative one v_k + u'_k. With
      2 sum_k u_k . v'_k <= 2 mean_j max_{k != y_j} x_j . S'_k (as sum_{k != y_j} p_jk <= 1):
      |g|^2 <= |xbar|^2 + sum |S'_k|^2 + |xbar'|^2 + sum |S_k|^2 + both cross terms.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from theorylab.problems._dataset import dataset
from theorylab.problems._options import Array, count
from theorylab.problems._regression import Regression


class Softmax(Regression, name="softmax"):
    """Regression on the ten digits, pixel/16 and a bias: d = 650. Or on data of one's own.

    Args:
        clients: n.
        partition: "dirichlet", "classes" or "iid", by label; drawn from ``seed``.
        alpha: of "dirichlet", the concentration; default .3.
        classes_per_client: of "classes"; default 2.
        batch: samples drawn with replacement for one stochastic gradient; None: full gradients.
        reg: l2 weight >= 0.
        features, labels, owners: (m, p), (m,) of classes 0, 1, ..., (m,) of clients, used as
            they are; without owners, they are partitioned by label.
    """

    _curvature, _residual = 0.5, float(np.sqrt(2))
    _why = "diag p - p p^T <= I/2, |p - e_y| <= sqrt 2 (see softmax.py)"

    def __init__(
        self,
        clients: int,
        *,
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
        )
        classes = max(int(data.labels.max()) + 1, 2)
        super().__init__(clients, data, np.eye(classes)[data.labels], classes, batch, reg)

    def _link(self, z: Array) -> Array:
        z -= z.max(axis=-1, keepdims=True)
        np.exp(z, out=z)
        z /= z.sum(axis=-1, keepdims=True)
        return z

    def _bent(self, link: Array, dz: Array) -> Array:
        return np.asarray(link * (dz - (link * dz).sum(axis=-1, keepdims=True)))

    def accuracy(self, x: Array) -> Array:
        """Share of its own samples, which it is fitted to, that each client's model gets right.

        Of equal scores the lowest class counts.
        """
        self._tables_for("accuracy", x, self._shape)
        W = x.reshape(*x.shape[:2], -1, self.columns)
        made = np.zeros(x.shape[:2])
        for i, (start, size) in enumerate(zip(self.starts, self.sizes, strict=True)):
            rows = slice(start, start + size)
            scores = np.matmul(self.features[rows].astype(x.dtype, copy=False), W[:, i])
            made[:, i] = (scores.argmax(axis=-1) == self.labels[rows]).mean(axis=-1)
        return made

    def _gradient_bounds(self, sums: Array) -> Array:
        return np.asarray(np.sqrt(_square(sums) + _square(sums.sum(axis=1, keepdims=True))))

    def _gap_bounds(self, sums: Array, others: Array) -> Array:
        ends = _square(sums.sum(axis=1, keepdims=True))
        ends += _square(others.sum(axis=1, keepdims=True))
        labels = np.sqrt(_square(sums - others)) + np.sqrt(ends)
        # What every sample adds to the cross term of every client i: (n, m).
        wrong = np.arange(self.classes) != self.labels[:, None]
        own, foreign = (
            np.where(wrong, np.matmul(self.features, np.swapaxes(part, 1, 2)), 0).max(axis=-1)
            for part in (others, sums)
        )
        owner = np.repeat(np.arange(self.clients), self.sizes)
        mine = owner == np.arange(self.clients)[:, None]
        share = 1 / self.sizes[owner]
        cross = (own * mine * share).sum(axis=1)
        cross += (foreign * ~mine * share).sum(axis=1) / (self.clients - 1)
        signs = np.sqrt(ends + _square(sums) + _square(others) + 2 * cross)
        return np.asarray(np.minimum(labels, signs))


def _square(sums: Array) -> Array:
    """The squared norm of every client's block."""
    return np.asarray((sums * sums).sum(axis=(1, 2)))
