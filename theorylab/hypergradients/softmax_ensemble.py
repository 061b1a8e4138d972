"""K softmax regressions whose predictions are averaged: PDBO-MTL and PDBO-MTL&DA, linear models.

"An ensemble classifier that outputs weighted average predictions" (pdbo, Section 6.1): with
z_k = W_k^T a, p_k = softmax(z_k), pi = softmax(l) and w = C softmax(m) (all 1 without label
weights), for lambda_i = (l, m) and a sample (a, y),

    loss = -log qbar,   qbar = sum_k pi_k q_k,   q_k = (p_k)_y
    f_i = mean over the training data of w_y loss + reg/2 |x|^2
    F_i = mean of loss + component_reg/2 |l|^2 + label_reg/2 |m|^2

A point is (W_1, .., W_K), each W_k in R^{p x C} row by row. Let r_k = pi_k q_k / qbar, so
r = softmax(l + log q). For a direction V, s_k = (V_k^T a)_y - <p_k, V_k^T a> = d log q_k and
sbar = sum_k r_k s_k = -d loss, hence

    d loss / dz_k = r_k (p_k - e_y)
    d (d loss / dz_k) = r_k [(s_k - sbar) (p_k - e_y) + p_k * (V_k^T a - <p_k, V_k^T a>)]
    d sbar / dl_k = r_k (s_k - sbar),   d loss / dl_k = pi_k - r_k

**Not convex** for K > 1: V . H_z V = sum_k r_k V_k . (diag p_k - p_k p_k^T) V_k - Var_r(s), in
[-1, 1/2] |V|^2. (|s_k| <= sqrt 2 |V_k|, as |p_k - e_y|^2 <= 2; Var_r(s) <= (max s - min s)^2 / 4
<= (|V_a| + |V_b|)^2 / 2 <= |V|^2.) So Assumption 1 fails however large the data make that variance
compared to reg, and whether a hypergradient exists is what rho(A_zz) < 1 says at the point.
At l = 0 equal W_k stay equal for ever: ``initial`` draws them apart.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from theorylab.hypergradients._bilevel import Array, Bilevel, Floats, Sample
from theorylab.hypergradients._personal_data import Held, PersonalOptions
from theorylab.kernels import Stream
from theorylab.known import EPS, How, Known


class SoftmaxEnsemble(Bilevel):
    """The problem above, in NumPy float64.

    Args:
        held: by part, each client's samples; "train" has to be there, and ``options.outer``.
        classes: C.
        options: components, what lambda holds, the l2 weights, the minibatch, the data of F_i.
    """

    name = "softmax-ensemble"

    def __init__(self, held: Mapping[str, Held], classes: int, options: PersonalOptions) -> None:
        self.options, self.classes = options, classes
        self._held = dict(held)
        self.part_sizes = {part: each.sizes for part, each in self._held.items()}
        self._train, self._outer = (held[part].tables(classes) for part in ("train", options.outer))
        X = self._train[0]
        self.clients, self._inputs = len(X), X.shape[-1]
        self.dim = options.components * self._inputs * classes
        self.groups = options.groups(classes)
        self.hyper = max(each.stop for each in self.groups.values())
        self.batch, self.rows = options.batch, self.part_sizes["train"]
        self.stochastic = options.batch is not None

    def _data(self, sample: Sample) -> tuple[Floats, Floats, Floats]:
        X, hot, share = self._train
        if sample is None:
            return X, hot, share
        batch = self.batch
        if batch is None or sample.shape[1:] != (self.clients, batch):
            raise ValueError(
                f"{self.name}: sample has shape {sample.shape}; need (R,n,batch) of sample()"
            )
        here = np.arange(self.clients)[:, None]
        return X[here, sample], hot[here, sample], np.full(sample.shape, 1 / batch)

    def _mixing(self, lam: Array) -> Floats:
        """l, (R, n, K); zeros where lambda holds none."""
        if "components" in self.groups:
            return np.asarray(lam[..., self.groups["components"]])
        return np.zeros((*lam.shape[:-1], self.options.components))

    def _weights(self, lam: Array, hot: Floats, share: Floats) -> tuple[Floats | None, Floats]:
        """C softmax(m) (R, n, C) or None, and each sample's weight in f_i, (.., n, m)."""
        if "labels" not in self.groups:
            return None, share
        own = self.classes * _softmax(lam[..., self.groups["labels"]])
        return own, np.matmul(hot, own[..., None])[..., 0] * share

    def _scores(self, x: Array, X: Floats) -> Floats:
        """z, (R, n, K, m, C)."""
        K = self.options.components
        W = x.reshape(*x.shape[:-1], K, self._inputs, self.classes)
        return np.asarray(np.matmul(X[..., None, :, :], W))

    def _at(self, x: Array, lam: Array, X: Floats, hot: Floats) -> tuple[Floats, Floats, Floats]:
        """p (R, n, K, m, C), log q and r (R, n, K, m)."""
        z = self._scores(x, X)
        z -= z.max(axis=-1, keepdims=True)
        own = (z * hot[..., None, :, :]).sum(axis=-1)
        np.exp(z, out=z)
        total = z.sum(axis=-1, keepdims=True)
        z /= total
        log_q = own - np.log(total[..., 0])
        return z, log_q, _softmax(self._mixing(lam)[..., None] + log_q, axis=-2)

    def _pulled(self, X: Floats, G: Floats) -> Floats:
        """X^T G for G (.., K, m, C), flattened to (.., dx)."""
        made: Floats = np.matmul(np.swapaxes(X, -1, -2)[..., None, :, :], G)
        return made.reshape(*made.shape[:-3], self.dim)

    def _gradient(self, x: Array, lam: Array, data: tuple[Floats, Floats, Floats]) -> Floats:
        X, hot, own = data
        p, _, r = self._at(x, lam, X, hot)
        p -= hot[..., None, :, :]
        p *= (r * own[..., None, :])[..., None]
        return self._pulled(X, p)

    def inner_gradient(self, x: Array, lam: Array, sample: Sample = None) -> Array:
        X, hot, share = self._data(sample)
        own = self._weights(lam, hot, share)[1]
        return self._gradient(x, lam, (X, hot, own)) + self.options.reg * x

    def _slopes(
        self, x: Array, lam: Array, u: Array, X: Floats, hot: Floats
    ) -> tuple[Floats, Floats, Floats, Floats, Floats]:
        """p, r, V^T a - <p, V^T a> (R, n, k, K, m, C), s (R, n, k, K, m), sbar (R, n, k, 1, m)."""
        p, _, r = self._at(x, lam, X, hot)
        V = u.reshape(*u.shape[:-1], self.options.components, self._inputs, self.classes)
        Z = np.matmul(X[..., None, None, :, :], V)
        Z -= (p[..., None, :, :, :] * Z).sum(axis=-1, keepdims=True)
        s = (Z * hot[..., None, None, :, :]).sum(axis=-1)
        return p, r, Z, s, (r[..., None, :, :] * s).sum(axis=-2, keepdims=True)

    def inner_hvp(self, x: Array, lam: Array, u: Array, sample: Sample = None) -> Array:
        X, hot, share = self._data(sample)
        own = self._weights(lam, hot, share)[1]
        p, r, Z, s, sbar = self._slopes(x, lam, u, X, hot)
        s = (s - sbar)[..., None]
        Z += s
        Z *= p[..., None, :, :, :]
        Z -= s * hot[..., None, None, :, :]
        Z *= (r * own[..., None, :])[..., None, :, :, None]
        return self._pulled(X[..., None, :, :], Z) + self.options.reg * u

    def cross(self, x: Array, lam: Array, u: Array, sample: Sample = None) -> Array:
        X, hot, share = self._data(sample)
        w, own = self._weights(lam, hot, share)
        _, r, _, s, sbar = self._slopes(x, lam, u, X, hot)
        made = []
        if "components" in self.groups:
            moved = r[..., None, :, :] * (sbar - s)
            made.append((moved * own[..., None, None, :]).sum(axis=-1))
        if w is not None:
            each = -sbar * share[..., None, None, :]  # (R, n, k, 1, m)
            g = np.matmul(each, hot[..., None, :, :])[..., 0, :]
            w = w[..., None, :]
            made.append(w * (g - (w * g).sum(axis=-1, keepdims=True) / self.classes))
        return np.concatenate(made, axis=-1)

    def outer(self, x: Array, lam: Array) -> Array:
        X, hot, share = self._outer
        _, log_q, _ = self._at(x, lam, X, hot)
        mixing = self._mixing(lam)
        loss = _logsum(mixing)[..., None] - _logsum(mixing[..., None] + log_q, axis=-2)
        penalty = (lam * lam * self.options.rates(self.groups)).sum(axis=-1) / 2
        return (loss * share).sum(axis=-1) + penalty

    def outer_gradients(self, x: Array, lam: Array) -> tuple[Array, Array]:
        X, hot, share = self._outer
        g = lam * self.options.rates(self.groups)
        if "components" in self.groups:
            _, _, r = self._at(x, lam, X, hot)
            here = self.groups["components"]
            gap = _softmax(lam[..., here])[..., None] - r  # exactly 0 for one model
            g[..., here] += (gap * share[..., None, :]).sum(axis=-1)
        return self._gradient(x, lam, self._outer), g

    def initial(self, seed: int, runs: NDArray[np.int64]) -> Floats:
        """0 for one model; else each number uniform on +-1/sqrt(p), which tells the models apart.

        (PyTorch's law for a linear layer.)
        """
        if self.options.components == 1:
            return super().initial(seed, runs)
        u = Stream(seed, "init").uniform(runs, 1, 0, 0, self.dim)
        return np.repeat((2 * u - 1) / np.sqrt(self._inputs), self.clients, axis=1)

    def _right(self, x: Array, lam: Array, part: str) -> Floats:
        """Of argmax sum_k pi_k p_k."""
        data = self._held[part]
        p = _softmax(self._scores(x, data.features))
        share = _softmax(self._mixing(lam))
        return data.right((share[..., None, None] * p).sum(axis=-3))

    def constants(self, lam: Array) -> dict[str, Known]:
        """L, and mu where it is above 0: see the bounds on the curvature above.

        With t the largest eigenvalue of any X_i^T diag(w / m) X_i, and -t in place of 0 if K > 1:
        every H_i is between reg and reg + t/2.
        """
        X, hot, share = self._train
        own = self._weights(lam, hot, share)[1]
        gram = np.matmul(np.swapaxes(X, -1, -2), X * own[..., None])
        slack = 1 + 4 * (sum(X.shape) + self.classes) * EPS  # of the sums and the eigenvalues
        top, reg = float(np.linalg.eigvalsh(gram).max()) * slack, self.options.reg
        low = reg - (top if self.options.components > 1 else 0.0)
        why = "-1 <= H_z <= 1/2 (see softmax_ensemble)"
        made = {"L": Known(max(reg + top / 2, -low), How.UPPER, why)}
        return made | ({"mu": Known(low, How.LOWER, why)} if low > 0 else {})


def _softmax(z: Array, axis: int = -1) -> Floats:
    e = np.exp(z - z.max(axis=axis, keepdims=True))
    return np.asarray(e / e.sum(axis=axis, keepdims=True))


def _logsum(z: Array, axis: int = -1) -> Floats:
    top = z.max(axis=axis, keepdims=True)
    return np.asarray((np.log(np.exp(z - top).sum(axis=axis, keepdims=True)) + top).squeeze(axis))
