"""K softmax regressions that all clients share, and each client's own weights over them.

A sample (a, y) of client i has p_k = softmax(W_k^T a), q_k = (p_k)_y and weights pi = softmax(l_i):

    f_i(W_1, .., W_K, l_i) = -(1/m_i) sum_{j in i} log sum_k pi_k q_jk + reg/2 |W|^2

It is the negative log likelihood that FedEM descends (Marfoq et al. 2021, with cross entropy as its
loss), and the loss of PDBO-MTL's ensembles (pdbo, Section 6.1). A point is (W_1, .., W_K, l),
each W_k in R^{p x C} row by row. The W_k are the shared part, l the personal one; with
``weights="uniform"`` there is no l, pi_k = 1/K, and the whole point is shared: the ensembles
SGP-MTL and Local-MTL of pdbo's Table 4 are sgp and local on it.

With r_k = pi_k q_k / sum_k pi_k q_k,  d f / d W_k = r_k a (p_k - e_y)^T,  d f / d l = pi - r.

Proofs of the constants, for one sample. Let (s, V) be a direction of (l, logits), V_k = d logits of
model k, and t_k = (V_k)_y - <p_k, V_k> = d log q_k, so |t_k| <= sqrt 2 |V_k| as |e_y - p_k|^2 <= 2.
  Second derivative = Var_pi(s) - Var_r(s + t) + sum_k r_k V_k . (diag p_k - p_k p_k^T) V_k.
  From above: at most |s|^2 / 2 + |V|^2 / 2 (Popoviciu, twice).
  From below: Var_r(s + t) <= (range)^2 / 4, and the range is at most |s_a| + |s_b| + sqrt 2 |V_a|
  + sqrt 2 |V_b| <= sqrt 6 |(s, V)|, so -3/2; without s it is at most 2 |V|, so -1.
  With V_k = (dW_k)^T a, the mean over a client's samples of |s|^2 + |V|^2 is at most
  max(1, lambda_max(mean a a^T)) |(s, dW)|^2, or lambda_max alone without s.
  |gradient|^2 = sum_k r_k^2 |p_k - e_y|^2 |a|^2 + |pi - r|^2 <= 2 |a|^2 + 2.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from theorylab.kernels import Stream
from theorylab.known import EPS, How, Known
from theorylab.problems._base import Problem, Sample
from theorylab.problems._dataset import dataset
from theorylab.problems._minibatches import Minibatches
from theorylab.problems._options import Array, count, number
from theorylab.problems._placed_mixture import MixtureForm

WEIGHTS = ("personal", "uniform")


class Mixture(Minibatches, Problem, name="mixture"):
    """The problem above: on the ten digits (pixel/16 and a bias), or on data of one's own.

    Args:
        clients: n. components: K >= 1.
        weights: "personal", l is each client's own; or "uniform", pi_k = 1/K.
        partition, alpha, classes_per_client, seed, batch, reg, features, labels, owners: as
            those of "softmax".

    Equal W_k stay equal for ever: ``initial`` draws them apart, and an x0 of one's own should.
    """

    def __init__(
        self,
        clients: int,
        *,
        components: int = 3,
        weights: str = "personal",
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
        where, n = self.name, count(self.name, "clients", clients)
        data = dataset(
            where, n, partition=partition, alpha=alpha, classes_per_client=classes_per_client,
            seed=seed, features=features, labels=labels, owners=owners,
        )  # fmt: skip
        self.components = count(where, "components", components)
        if weights not in WEIGHTS:
            raise ValueError(f"{where}: weights is {weights!r}; need one of {', '.join(WEIGHTS)}")
        self.weights = weights
        self.reg = number(where, "reg", reg, at_least=0)
        self.batch = None if batch is None else count(where, "batch", batch)
        order = self._hold(data, n)
        self.classes = max(int(data.labels.max()) + 1, 2)
        self.inputs = data.features.shape[1]
        body = self.components * self.inputs * self.classes
        own = self.components if weights == "personal" else 0
        super().__init__(n, body + own, self.batch is not None, data.features[order])
        self.shared = body
        if own:
            self.blocks = (body, self.dim)

    @property
    def torch_form(self) -> Any:
        return functools.partial(MixtureForm, self)

    def initial(self, seed: int, runs: Array) -> Array:
        """Each number of each W_k uniform on +-1/sqrt(p), the same for every client; l = 0."""
        u = Stream(seed, "init").uniform(runs, 1, 0, 0, self.shared)
        x = np.zeros((len(runs), *self._shape))
        x[..., : self.shared] = (2 * u - 1) / math.sqrt(self.inputs)
        return x

    def loss(self, x: Array) -> Array:
        (X,) = self._tables_for("loss", x, self._shape)
        made = np.empty(x.shape[:2], x.dtype)
        for i in range(self.clients):
            g = self._joint(self._logarithms(i, x, X, slice(None))[1], self._weights(i, x))
            made[:, i] = -_log_sum(g).mean(axis=-1)
        return made + self._half_square(x)

    def gradient(self, x: Array) -> Array:
        return self._gradient(x, None)

    def stochastic_gradient(self, x: Array, sample: Sample | None) -> Array:
        self._tables_for("stochastic_gradient", x, self._shape)
        if need := self._check_rows(len(x), sample):
            raise self._bad_sample(sample, need)
        return self._gradient(x, sample)

    def posteriors(self, x: Array) -> Array:
        """r of every sample of every client at x (R, n, d): (R, n, S, K), S the most samples of a
        client, 0 in the rows that a client does not have."""
        (X,) = self._tables_for("posteriors", x, self._shape)
        made = np.zeros((*x.shape[:2], self.sizes.max(), self.components), x.dtype)
        for i, size in enumerate(self.sizes):
            _, logs = self._logarithms(i, x, X, slice(None))
            made[:, i, :size] = _softmax(self._joint(logs, self._weights(i, x)))
        return made

    def component_gradient(self, x: Array, held: Array, sample: Sample | None) -> Array:
        """The gradient with respect to W of the mean of sum_k held_jk (-log q_jk), + reg/2 |W|^2,
        over the minibatch (or all samples): (R, n, K p C). ``held`` as from ``posteriors``."""
        (X,) = self._tables_for("component_gradient", x, self._shape)
        made = np.empty((*x.shape[:2], self.shared), x.dtype)
        for i in range(self.clients):
            rows, here = self._rows(i, sample)
            p, _ = self._logarithms(i, x, X, rows)
            r = held[:, i, : self.sizes[i]]
            made[:, i] = self._slopes(i, p, r if sample is None else _taken(r, here), X, rows)
        return made + self.reg * x[..., : self.shared]

    def _gradient(self, x: Array, sample: Sample | None) -> Array:
        (X,) = self._tables_for("gradient", x, self._shape)
        made = np.empty_like(x)
        for i in range(self.clients):
            rows, _ = self._rows(i, sample)
            p, logs = self._logarithms(i, x, X, rows)
            own = self._weights(i, x)
            r = _softmax(self._joint(logs, own))
            made[:, i, : self.shared] = self._slopes(i, p, r, X, rows)
            if self.weights == "personal":
                made[:, i, self.shared :] = _softmax(own) - r.mean(axis=1)
        made[..., : self.shared] += self.reg * x[..., : self.shared]
        return made

    def _rows(self, i: int, sample: Sample | None) -> tuple[Any, Any]:
        """(rows of client i among its own, (R, b) or all; the same)."""
        return (slice(None), None) if sample is None else (sample[:, i], sample[:, i])

    def _own(self, i: int, table: Array, rows: Any) -> Array:
        """Rows of ``table`` of client i: (m_i, ...) or (R, b, ...)."""
        return np.asarray(table[self.starts[i] : self.starts[i] + self.sizes[i]][rows])

    def _logarithms(self, i: int, x: Array, X: Array, rows: Any) -> tuple[Array, Array]:
        """p (R, K, m, C) and log q (R, m, K) of client i's rows."""
        W = x[:, i, : self.shared].reshape(len(x), self.components, self.inputs, self.classes)
        a, y = self._own(i, X, rows), self._own(i, self.labels, rows)
        z = np.matmul(a[:, None] if a.ndim == 3 else a, W)
        z -= z.max(axis=-1, keepdims=True)
        right = np.broadcast_to(y[:, None] if y.ndim == 2 else y, z.shape[:-1])[..., None]
        logs = np.take_along_axis(z, right, axis=-1)[..., 0]
        p = np.exp(z)
        total = p.sum(axis=-1, keepdims=True)
        p /= total
        return p, np.swapaxes(logs - np.log(total[..., 0]), 1, 2)

    def _weights(self, i: int, x: Array) -> Array:
        """l of client i, (R, K)."""
        if self.weights == "uniform":
            return np.zeros((len(x), self.components), x.dtype)
        return np.asarray(x[:, i, self.shared :])

    def _joint(self, logs: Array, own: Array) -> Array:
        """log pi_k q_k, (R, m, K)."""
        return np.asarray(logs + (own - _log_sum(own)[:, None])[:, None])

    def _slopes(self, i: int, p: Array, r: Array, X: Array, rows: Any) -> Array:
        """(R, K p C): the mean over the rows of r_k a (p_k - e_y)^T."""
        a, y = self._own(i, X, rows), self._own(i, self.labels, rows)
        hot = np.eye(self.classes, dtype=p.dtype)[y]
        gap = (p - (hot[:, None] if hot.ndim == 3 else hot)) * np.swapaxes(r, 1, 2)[..., None]
        turned = np.swapaxes(a[:, None] if a.ndim == 3 else a, -1, -2)
        return np.asarray(np.matmul(turned, gap) / p.dtype.type(p.shape[2])).reshape(len(p), -1)

    def _half_square(self, x: Array) -> Array:
        W = x[..., : self.shared]
        return np.asarray(x.dtype.type(self.reg / 2) * (W * W).sum(axis=-1))

    def measured_noise(self, xbar: Array) -> Array:
        """Exact: sampling with replacement divides the variance over the client's rows by b."""
        (X,) = self._tables_for("measured_noise", xbar, (self.dim,))
        made = np.zeros((len(xbar), self.clients), xbar.dtype)
        if self.batch is None:
            return made
        x = np.ascontiguousarray(self._spread(xbar))
        plain = self.gradient(x)
        plain[..., : self.shared] -= self.reg * x[..., : self.shared]
        for i in range(self.clients):
            p, logs = self._logarithms(i, x, X, slice(None))
            own = self._weights(i, x)
            r = _softmax(self._joint(logs, own))
            a, hot = (
                self._own(i, X, slice(None)),
                np.eye(self.classes)[self._own(i, self.labels, slice(None))],
            )
            apart = ((p - hot) ** 2).sum(axis=-1)  # (R, K, m)
            second = (np.swapaxes(r, 1, 2) ** 2 * apart).sum(axis=1) * (a * a).sum(axis=-1)
            if self.weights == "personal":
                second = second + ((_softmax(own)[:, None] - r) ** 2).sum(axis=-1)
            left = second.mean(axis=-1) - (plain[:, i] ** 2).sum(axis=-1)
            made[:, i] = np.sqrt(np.maximum(left, 0) / self.batch)
        return made

    def constants(self) -> dict[str, Known]:
        (X,) = self._tables[np.dtype(float)]
        own = self.weights == "personal"
        rounding = 1 + 4 * (sum(X.shape) + self.classes + 16) * EPS  # of the sums below
        square = np.sum(np.square(X), axis=1) * rounding
        tops = []
        for i in range(self.clients):
            rows = self._own(i, X, slice(None))
            moment = rows.T @ rows / len(rows)
            tops.append(np.linalg.eigvalsh(moment)[-1] + 4 * self.inputs * EPS * np.trace(moment))
        top = max(float(max(tops)) * rounding, 1.0 if own else 0.0)
        one = max(float(square.max()), 1.0 if own else 0.0)
        a, why = (1.5, "max(1, |a|^2)") if own else (1.0, "|a|^2")
        means = [float(self._own(i, square, slice(None)).mean()) for i in range(self.clients)]
        roots = np.sqrt(2 * (square + own))
        bounds = np.array([self._own(i, roots, slice(None)).mean() for i in range(self.clients)])
        bounds *= rounding
        n = self.clients
        others = (bounds.sum() - bounds) / max(n - 1, 1)
        gap = (1 - 1 / n) * float((bounds + others).max()) * rounding
        noise = math.sqrt(2 * (max(means) + own) / self.batch) * rounding if self.batch else 0.0
        proof = "see mixture.py"
        L = Known(a * top + self.reg, How.UPPER, f"max_i {a} times the mean of {why}: {proof}")
        sampled = Known(a * one + self.reg, How.UPPER, f"max_j {a} {why}: {proof}")
        return {
            "L": L,
            "L_sample": sampled if self.stochastic else L,
            "mu": Known((0.0 if own else self.reg) - a * top, How.LOWER, proof),
            "B": Known(math.inf, How.EXACT, "reg > 0: the gradient of reg/2 |W|^2 is unbounded")
            if self.reg > 0
            else Known(float(bounds.max()), How.UPPER, f"|gradient|^2 <= 2 |a|^2 + 2: {proof}"),
            "sigma_l": Known(noise, How.UPPER, f"max_i mean |gradient|^2 / b: {proof}")
            if self.batch
            else Known(0.0, How.EXACT, "full gradients"),
            "sigma_g": Known(gap, How.UPPER, f"max_i (1 - 1/n) |f_i - others|: {proof}")
            if n > 1
            else Known(0.0, How.EXACT, "one client: f_1 is f"),
            "f_star": Known(0.0, How.LOWER, "no probability exceeds 1"),
        }

    def describe(self) -> dict[str, Any]:
        made = {"name": self.name, "clients": self.clients, "components": self.components,
                "weights": self.weights, "batch": self.batch, "reg": self.reg}  # fmt: skip
        return self._with_data(made)


def _log_sum(g: Array) -> Array:
    """log sum exp over the last axis."""
    top = g.max(axis=-1, keepdims=True)
    return np.asarray(np.log(np.exp(g - top).sum(axis=-1)) + top[..., 0])


def _softmax(g: Array) -> Array:
    e = np.exp(g - g.max(axis=-1, keepdims=True))
    return np.asarray(e / e.sum(axis=-1, keepdims=True))


def _taken(r: Array, rows: Array) -> Array:
    """Rows (R, b) of r (R, m, K)."""
    return np.take_along_axis(r, rows[..., None], axis=1)
