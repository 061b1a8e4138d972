"""l2-regularised generalised linear models on each client's own data.

    f_i(W) = (1/m_i) sum_{j in i} [A(W^T x_j) - <t_j, W^T x_j>] + reg/2 |W|^2,   W in R^{p x C}

with targets t_j and link ``grad A``: sigmoid (C = 1) or softmax (C classes). A point of R^d,
d = p C, is W flattened row by row: coordinate ``feature * C + column``. Clients hold different
numbers of samples. Losses and gradients are the kernel's (theorylab.kernels.local_steps): a batch
has the bits of its runs, on every machine.
"""

from __future__ import annotations

import functools
import math
from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np

from theorylab.kernels import ClientLosses, aligned_rows
from theorylab.known import EPS, How, Known
from theorylab.problems._asked import Study
from theorylab.problems._base import Sample
from theorylab.problems._dataset import Dataset
from theorylab.problems._kernel import KernelProblem
from theorylab.problems._minibatches import Minibatches
from theorylab.problems._minimum import Minimum, searched
from theorylab.problems._options import Array, count, number
from theorylab.problems._placed_forms import RegressionForm


class Regression(Minibatches, KernelProblem):
    """The models above. Subclasses give the link and the constants that go with it.

    Attributes:
        features (m, p), targets (m, C): sorted by client; client i holds the rows
            ``starts[i] : starts[i] + sizes[i]``.
        labels: (m,) class of every row, in 0 .. classes - 1.
    """

    study = Study({"partition": "dirichlet", "batch": 2, "reg": 0.2}, way=0.06, rounds=256)
    _curvature: ClassVar[float]  # sup of the largest eigenvalue of the Hessian of A
    _residual: ClassVar[float]  # sup |grad A(z) - t|
    _why: ClassVar[str]  # one line: the proof of the two

    def __init__(
        self,
        clients: int,
        data: Dataset,
        targets: Array,
        classes: int,
        batch: int | None,
        reg: float,
    ) -> None:
        """targets (m, C) in the order of ``data``, whose labels lie in 0 .. classes - 1."""
        self.reg = number(self.name, "reg", reg, at_least=0)
        self.batch = None if batch is None else count(self.name, "batch", batch)
        features, order = data.features, self._hold(data, clients)
        self.targets = targets[order]
        self.classes, self.columns = classes, targets.shape[1]
        self.personal_tail = self.columns  # the bias
        self._rows = aligned_rows(features, order)
        self.features = self._rows[:, : features.shape[1]]
        self._last_means: tuple[bytes, Array, Array] | None = None
        super().__init__(clients, features.shape[1] * self.columns, self.batch is not None)

    def _make_table(self, dtype: np.dtype[Any]) -> ClientLosses:
        rows = self._rows
        if dtype != rows.dtype:
            rows = aligned_rows(self.features.astype(dtype))
        return ClientLosses.regression(
            rows, self.labels, self.sizes, inputs=self.features.shape[1],
            columns=self.columns, batch=self.batch, reg=self.reg,
        )  # fmt: skip

    @abstractmethod
    def _link(self, z: Array) -> Array:
        """grad A on the last axis. May overwrite ``z``."""

    @abstractmethod
    def _bent(self, link: Array, dz: Array) -> Array:
        """A''(z) dz, from grad A(z)."""

    @abstractmethod
    def _gradient_bounds(self, sums: Array) -> Array:
        """(n,): bounds on |grad f_i| for reg = 0 and features >= 0.

        ``sums`` (n, classes, p): the sum of a client's features of a class, divided by m_i.
        """

    @abstractmethod
    def _gap_bounds(self, sums: Array, others: Array) -> Array:
        """(n,): bounds on |grad f_i - average grad of the others|, features >= 0.

        ``others`` (n, classes, p): the average of ``sums`` over all clients but i.
        """

    def loss(self, x: Array) -> Array:
        self._tables_for("loss", x, self._shape)
        return np.asarray(self._table(x.dtype).values(x))

    def mean_loss(self, xbar: Array) -> Array:
        self._tables_for("mean_loss", xbar, (self.dim,))
        return self._means(xbar)[0].copy()

    def mean_gradient(self, xbar: Array) -> Array:
        self._tables_for("mean_gradient", xbar, (self.dim,))
        return self._means(xbar)[1].copy()

    def _means(self, xbar: Array) -> tuple[Array, Array]:
        """f and grad f from one pass over the data; a metric asks for both at the same points."""
        key = xbar.tobytes() + xbar.dtype.char.encode()
        last = self._last_means
        if last is None or last[0] != key:
            last = self._last_means = (key, *self._table(xbar.dtype).means(xbar))
        return last[1:]

    def stochastic_gradient(self, x: Array, sample: Sample | None) -> Array:
        if sample is None and not self.stochastic:
            return self.gradient(x)
        self._tables_for("stochastic_gradient", x, self._shape)
        if need := self._check_rows(len(x), sample):
            raise self._bad_sample(sample, need)
        return np.asarray(self._table(x.dtype).gradients(x, rows=sample))

    def measured_noise(self, xbar: Array) -> Array:
        """Exact: sampling with replacement divides the variance over the client's rows by b."""
        self._tables_for("measured_noise", xbar, (self.dim,))
        made = np.zeros((len(xbar), self.clients), xbar.dtype)
        if self.batch is None:
            return made
        W = xbar.reshape(len(xbar), -1, self.columns)
        for i, (start, size) in enumerate(zip(self.starts, self.sizes, strict=True)):
            X = self.features[start : start + size].astype(xbar.dtype, copy=False)
            r: Array = self._link(np.matmul(X, W)) - self.targets[start : start + size]
            r = r.astype(xbar.dtype, copy=False)
            second = ((r * r).sum(axis=-1) * (X * X).sum(axis=-1)).mean(axis=-1)
            mean = np.matmul(X.T, r) / xbar.dtype.type(size)
            left = np.maximum(second - (mean * mean).sum(axis=(-1, -2)), 0)
            made[:, i] = np.sqrt(left / self.batch)
        return made

    def constants(self) -> dict[str, Known]:
        return dict(self._constants)

    @functools.cached_property
    def _constants(self) -> dict[str, Known]:
        X, share, labels = self._padded()
        rounding = 1 + 4 * (sum(X.shape) + self.columns + 16) * EPS  # of the sums below
        square: Array = (X * X).sum(axis=-1)
        moments = np.matmul(np.swapaxes(X, 1, 2) * share[:, None, :], X)
        # An eigenvalue is known to about p eps |G|, and trace G >= |G|.
        slack = 4 * X.shape[2] * EPS * np.trace(moments, axis1=1, axis2=2)
        top = float((np.linalg.eigvalsh(moments)[:, -1] + slack).max()) * rounding
        a = self._curvature
        L = Known(a * top + self.reg, How.UPPER, f"max_i {a} |X_i^T X_i / m_i| + reg: {self._why}")
        one = Known(
            a * float(square.max()) * rounding + self.reg, How.UPPER, f"max_j {a} |x_j|^2 + reg"
        )
        noise = Known(0.0, How.EXACT, "full gradients")
        if self.batch is not None:
            second = self._residual**2 * float((square * share).sum(axis=1).max())
            source = f"max_i {self._residual**2:.0f} mean_j |x_j|^2 / b, drawn with replacement"
            noise = Known(math.sqrt(second / self.batch) * rounding, How.UPPER, source)
        known = np.equal(np.arange(self.classes), labels[..., None]).astype(float)
        sums: Array = np.einsum("nm,nmk,nmp->nkp", share, known, X, optimize=True)
        plain = self._residual * (np.sqrt(square) * share).sum(axis=1)
        bounds, gap = self._suprema(sums, plain, rounding)
        return {
            "L": L,
            "L_sample": one if self.stochastic else L,
            "mu": Known(self.reg, How.LOWER, "reg: the data part is convex"),
            "B": Known(math.inf, How.EXACT, "reg > 0: the gradient of reg/2 |x|^2 is unbounded")
            if self.reg > 0
            else Known(float(bounds.max()), How.UPPER, f"max_i, from {self._why}"),
            "sigma_l": noise,
            "sigma_g": gap,
            "f_star": self.bottom[0],
        }

    def copied(self, place: Array, noise: bool) -> Regression:
        every = np.concatenate([self.starts[k] + np.arange(self.sizes[k]) for k in place])
        owners, made = np.repeat(np.arange(len(place)), self.sizes[place]), type(self)
        parts = {"features": self.features[every], "labels": self.labels[every], "owners": owners}
        return made(len(place), **parts, batch=self.batch if noise else None, reg=self.reg)

    @property
    def convexity(self) -> float:
        return self.reg

    def block_constants(self, shared: Array) -> dict[str, Known]:
        """With M_i = (1/m_i) sum_j A''(W^T x_j) (x) x_j x_j^T, H_i = M_i + reg I and A'' <= a:

        ||M_uu|| <= a ||X_S^T X_S / m_i||, S the features that u touches;  M >= 0 gives
        ||M_uv|| <= sqrt(||M_uu|| ||M_vv||). With r = sup |residual|, noise: E|.|^2 <= r^2 mean_j
        |x_jS|^2 / b, and diversity, for reg u cancels: |data part of grad_u f_i| <= r mean_j |x_jS|
        whatever V is, and g_i - mean g = (1 - 1/n) (g_i - average of the others).
        """
        a, r, n, (all_of, share, _) = self._curvature, self._residual, self.clients, self._padded()
        found, tops = dict[str, Known](), list[Array]()
        for name, mask in (("v", ~shared), ("u", shared)):  # u last: reach is of u
            X = all_of[..., mask.reshape(-1, self.columns).any(axis=1)]
            rounding = 1 + 4 * (sum(X.shape) + self.columns + 16) * EPS  # of the sums below
            square: Array = (X * X).sum(axis=2)
            G = np.matmul(np.swapaxes(X, 1, 2) * share[:, None, :], X)
            top = np.linalg.norm(G, 2, axis=(1, 2)) * (1 + 4 * X.shape[2] * EPS)  # LAPACK's share
            tops.append(a * top * rounding)
            source = f"max_i {a} ||X_S^T X_S / m_i|| + reg, S the features of {name}"
            found[f"L_{name}"] = Known(float(tops[-1].max()) + self.reg, How.UPPER, source)
            noise = Known(0.0, How.EXACT, "full gradients")
            if self.batch is not None:
                second = float((square * share).sum(axis=1).max())
                bound = r * math.sqrt(second / self.batch) * rounding
                noise = Known(bound, How.UPPER, f"max_i {r:.6g} sqrt(mean_j |x_jS|^2 / b)")
            found[f"sigma_{name}"] = noise
            reach = r * (np.sqrt(square) * share).sum(axis=1) * rounding
        cross = float(np.sqrt(tops[0] * tops[1]).max()) * (1 + 8 * EPS)
        source = "sqrt(||M_uu|| ||M_vv||) of the data part M >= 0"
        found["L_uv"] = found["L_vu"] = Known(cross, How.UPPER, source)
        if n == 1:
            return found | {"partial_sigma_g": Known(0.0, How.EXACT, "one client: f_1 is f")}
        worst = float((reach + (reach.sum() - reach) / (n - 1)).max()) * (1 - 1 / n)
        source = f"max_i (1 - 1/n) (|g_i| + mean of the others), |g_i| <= {r:.6g} mean_j |x_jS|"
        gap = Known(worst * (1 + (n + 8) * EPS), How.UPPER, source)
        return found | {"partial_sigma_g": gap}

    @property
    def torch_form(self) -> Any:
        return functools.partial(RegressionForm, self)

    def hessian_product(self, x: Array, direction: Array) -> Array:
        """(1/m_i) sum_j x_j (A''(W^T x_j) V^T x_j)^T + reg V, with V the direction as a matrix."""
        made = self.reg * direction
        for i, (low, size) in enumerate(zip(self.starts, self.sizes, strict=True)):
            X, table = self.features[low : low + size], (len(x), -1, self.columns)
            z, dz = (np.matmul(X, part[:, i].reshape(table)) for part in (x, direction))
            bent = np.matmul(X.T, self._bent(self._link(z), dz))
            made[:, i] += bent.reshape(len(x), -1) / size
        return np.asarray(made)

    def _padded(self) -> tuple[Array, Array, Array]:
        """Features (n, M, p), weights and labels (n, M), padded to the largest client, weight 0."""
        inside = np.arange(self.sizes.max()) < self.sizes[:, None]  # (n, M)
        rows = self.starts[:, None] + np.where(inside, np.arange(inside.shape[1]), 0)
        share = inside / self.sizes[:, None]
        return self.features[rows] * inside[..., None], share, self.labels[rows]

    def _suprema(self, sums: Array, plain: Array, rounding: float) -> tuple[Array, Known]:
        """Bounds on the data part of |grad f_i|, (n,), and sigma_g; the regulariser cancels there.

        ``sums`` as for ``_gradient_bounds``; ``plain`` (n,) bounds the gradients of any features.

        With c = (1 - 1/n), grad f_i - grad f = c (grad f_i - average of the other gradients).
        """
        n = self.clients
        positive = bool((self.features >= 0).all())
        bounds = np.minimum(plain, self._gradient_bounds(sums)) if positive else plain
        bounds = bounds * rounding
        if n == 1:
            return bounds, Known(0.0, How.EXACT, "one client: f_1 is f")
        others = (sums.sum(axis=0) - sums) / (n - 1)
        gaps = bounds + (bounds.sum() - bounds) / (n - 1)
        if positive:
            gaps = np.minimum(gaps, self._gap_bounds(sums, others))
        value = (1 - 1 / n) * float(gaps.max()) * rounding
        return bounds, Known(value, How.UPPER, f"max_i (1 - 1/n) |f_i - others|, {self._why}")

    def describe(self) -> dict[str, Any]:
        made = {"name": self.name, "clients": self.clients, "batch": self.batch, "reg": self.reg}
        return self._with_data(made)

    @functools.cached_property
    def bottom(self) -> tuple[Known, Minimum | None]:
        if self.reg == 0:
            return Known(0.0, How.LOWER, "a log-likelihood of labels is at most 0"), None

        def value(x: Array) -> tuple[float, Array]:
            return float(self.mean_loss(x[None])[0]), self.mean_gradient(x[None])[0]

        best = searched(value, self.dim, maxiter=2000, maxfun=4000, gtol=1e-8)
        loss, slope = value(best)
        # f >= f(x) - |grad f(x)|^2 / (2 reg) by strong convexity. Rounding: z = W^T x_j is off by
        # p eps |x_j| |W|, the data loss is 2-Lipschitz in z, its gradient residual * 2 |x_j|.
        reach = float(np.linalg.norm(self.features, axis=1).max())
        size, few = (
            float(np.linalg.norm(best)),
            EPS * (sum(self.features.shape) + self.columns + 16),
        )
        steep = float(np.linalg.norm(slope)) + few * (2 * reach + (2 * reach**2 + self.reg) * size)
        low = loss - few * (1 + loss + 2 * reach * size) - steep**2 / (2 * self.reg)
        star = Known(max(low, 0.0), How.LOWER, "f(x) - |grad f(x)|^2 / (2 reg) near the minimum")
        return star, Minimum(best, steep / self.reg * (1 + 8 * EPS), "|grad f(x)| / reg there")
