"""PDBO-DA's problem for a linear model: softmax regression with a weight for every label.

    f_i(W, l) = (1/m_i) sum_j w_{y_j} ce_j(W) + reg/2 |W|^2,   w = C softmax(l),  W in R^{p x C},
    F_i(W, l) = (1/m'_i) sum_j ce_j(W) + hyper_reg/2 |l|^2,

ce_j the cross-entropy of sample j (pdbo, Section 6.1 and Appendix D: F_i is the plain average over
the client's training data; another set on request, as in Appendix C.6). A point is W flattened row
by row. With p = softmax(W^T x), D = diag p - p p^T and e_y the label's unit vector,

    H V = (1/m) sum_j w_{y_j} x_j (D_j V^T x_j)^T + reg V
    d/dl_c <grad f, V> = w_c g_c - (w_c / C) sum_b w_b g_b,
    g_c = (1/m) sum_{y_j = c} <p - e_y, V^T x>
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from array_api_compat import array_namespace
from numpy.typing import NDArray

from theorylab.extras import need
from theorylab.hypergradients._bilevel import Array, Bilevel, Floats, Sample
from theorylab.hypergradients._personal_data import Held, held
from theorylab.kernels import mix_jvp, softmax_hvp
from theorylab.known import How, Known
from theorylab.problems import Problem, problem


class SoftmaxWeights(Bilevel):
    """Label weights of softmax regression, on the ten digits or on data of one's own.

    Args:
        clients: n.
        reg: > 0, the inner l2 weight: Assumption 1 asks for strong convexity.
        batch: samples a minibatch, with replacement; None: the full batch.
        hyper_reg: >= 0.
        outer: the data of F_i: a ``softmax`` problem for the same clients and classes, or their
            samples as in ``held``; None: the training data.
        held: samples that ``accuracy`` can be asked for besides "train", by the part's name.
        device: "cpu", where points are NumPy arrays; "cuda" or "cuda:k", where they are torch
            tensors there and products run in the GPU's kernels.
        options: of the problem ``softmax`` (partition, alpha, seed, features, labels, owners, ...).
    """

    name = "softmax-weights"

    def __init__(
        self,
        clients: int,
        *,
        reg: float = 1e-3,
        batch: int | None = None,
        hyper_reg: float = 0.0,
        outer: Problem | Held | None = None,
        held: Mapping[str, Held] | None = None,
        device: str = "cpu",
        **options: Any,
    ) -> None:
        if not reg > 0:
            raise ValueError(
                f"softmax-weights: reg is {reg!r}; Assumption 1 (strong convexity) needs > 0"
            )
        if (batch is not None and batch < 1) or not hyper_reg >= 0:
            raise ValueError(
                f"softmax-weights: batch is {batch!r}, hyper_reg {hyper_reg!r}; need >= 1, >= 0"
            )
        train: Any = problem("softmax", clients, batch=None, **options)
        self.reg, self.batch, self.hyper_reg = float(reg), batch, float(hyper_reg)
        self.stochastic = batch is not None
        self.classes, self.clients, self.dim = train.columns, clients, train.dim
        self.hyper, self.sizes = train.columns, train.sizes
        self.rows = self.sizes
        self.groups = {"labels": slice(0, self.hyper)}
        self._described = {k: v for k, v in train.describe().items() if k not in ("name", "batch")}
        own = _held(train)
        self._train = self._outer = own.tables(self.classes)
        if outer is not None:
            given = outer if isinstance(outer, Held) else _held(outer)
            self._outer = given.tables(getattr(outer, "columns", self.classes))
        if self._outer[1].shape[-1] != self.classes or len(self._outer[0]) != clients:
            raise ValueError("softmax-weights: outer has other clients or classes; need the same")
        self._held = {"train": own, **(held or {})}
        self.part_sizes = {part: each.sizes for part, each in self._held.items()}
        self._place: Any = None
        if device != "cpu":
            need(f"{self.name} on {device}", "torch")
            from theorylab.problems._device import device_named  # it imports torch

            self._move(device_named(self.name, device))

    def _move(self, place: Any) -> None:
        """Points and data as torch tensors at ``place``."""
        self._place = place
        self._train, self._outer = (
            tuple(map(self.points, tables)) for tables in (self._train, self._outer)
        )

    def points(self, x: Floats) -> Array:
        if self._place is None:
            return x
        import torch

        return torch.tensor(x, device=self._place)

    def numbers(self, x: Array) -> Floats:
        return np.asarray(x if isinstance(x, np.ndarray) else x.detach().cpu(), np.float64)

    def _weights(self, lam: Array) -> Array:
        """C softmax(lam), (R, n, C)."""
        return self.classes * _softmax(lam)

    def _data(self, sample: Sample) -> tuple[Array, Array, Array]:
        """Features (.., m, p), one-hot labels (.., m, C), shares (.., m)."""
        X, hot, share = self._train
        if sample is None:
            return X, hot, share
        if self.batch is None or sample.shape[1:] != (self.clients, self.batch):
            raise ValueError(
                f"softmax-weights: sample has shape {sample.shape}; need (R,n,batch) of sample()"
            )
        here, rows = self._rows(np.arange(self.clients)[:, None]), self._rows(sample)
        return X[here, rows], hot[here, rows], self.points(np.full(sample.shape, 1 / self.batch))

    def _rows(self, rows: NDArray[np.int64]) -> Array:
        """Row numbers beside the data."""
        made: Any = rows
        return self.points(made)

    def _chances(self, x: Array, X: Array) -> Array:
        """softmax(W^T a), (.., m, C)."""
        return _softmax(X @ self._matrix(x))

    def _matrix(self, x: Array) -> Array:
        return x.reshape(*x.shape[:-1], -1, self.classes)

    def inner_gradient(self, x: Array, lam: Array, sample: Sample = None) -> Array:
        X, hot, share = self._data(sample)
        own = (hot @ self._weights(lam)[..., None])[..., 0] * share
        return _pulled(X, (self._chances(x, X) - hot) * own[..., None]) + self.reg * x

    def inner_hvp(self, x: Array, lam: Array, u: Array, sample: Sample = None) -> Array:
        return self.curved(x, lam, sample).product(u)

    def curved(self, x: Array, lam: Array, sample: Sample = None) -> Curved:
        X, hot, share = self._data(sample)
        own = (hot @ self._weights(lam)[..., None])[..., 0] * share
        return Curved(X, self._chances(x, X), own, self.reg)

    def cross(self, x: Array, lam: Array, u: Array, sample: Sample = None) -> Array:
        X, hot, share = self._data(sample)
        xp = array_namespace(X)
        Z = X[..., None, :, :] @ self._matrix(u)
        gap = (self._chances(x, X) - hot) * share[..., None]
        each = xp.sum(Z * gap[..., None, :, :], axis=-1)
        g = (each[..., None, :] @ hot[..., None, :, :])[..., 0, :]
        w = self._weights(lam)[..., None, :]
        return w * (g - xp.sum(w * g, axis=-1, keepdims=True) / self.classes)

    def outer(self, x: Array, lam: Array) -> Array:
        X, hot, share = self._outer
        xp = array_namespace(X)
        z = X @ self._matrix(x)
        z = z - xp.sum(z * hot, axis=-1, keepdims=True)
        top = xp.max(z, axis=-1, keepdims=True)
        loss = xp.log(xp.sum(xp.exp(z - top), axis=-1)) + top[..., 0]
        return xp.sum(loss * share, axis=-1) + self.hyper_reg * xp.sum(lam * lam, axis=-1) / 2

    def outer_gradients(self, x: Array, lam: Array) -> tuple[Array, Array]:
        X, hot, share = self._outer
        return _pulled(X, (self._chances(x, X) - hot) * share[..., None]), self.hyper_reg * lam

    def _right(self, x: Array, lam: Array, part: str) -> Floats:
        """Of argmax W^T x: lambda counts in training alone."""
        data = self._held[part]
        return data.right(np.matmul(data.features, self._matrix(self.numbers(x))))

    def outcomes(self) -> Iterable[tuple[Floats, Sample]]:
        """Every row on its own: a minibatch is the mean of ``batch`` independent draws."""
        if self.batch is None:
            return
        for row in range(int(self.sizes.max())):
            here = np.minimum(row, self.sizes - 1)[:, None]
            sample = np.broadcast_to(here, (1, self.clients, self.batch))
            yield (row < self.sizes) / (self.sizes * self.batch), sample

    def constants(self, lam: Array) -> dict[str, Known]:
        """mu >= reg; L <= reg + half the largest eigenvalue of any X_i^T diag(w / m) X_i."""
        X, hot, share = (self.numbers(part) for part in self._train)
        own = np.matmul(hot, self._weights(self.numbers(lam))[..., None])[..., 0] * share
        gram = np.matmul(np.swapaxes(X, -1, -2), X * own[..., None])
        top = float(np.linalg.eigvalsh(gram).max())
        return {
            "mu": Known(self.reg, How.LOWER, "H_i >= reg I"),
            "L": Known(self.reg + top / 2, How.UPPER, "diag p - p p^T <= I/2 (softmax)"),
        }

    def describe(self) -> dict[str, Any]:
        if self.named is not None:
            return dict(self.named)
        made = self._described | {"reg": self.reg, "batch": self.batch}
        made["hyper_reg"] = self.hyper_reg
        if self._place is not None:
            made["device"] = str(self._place)
        return {"name": self.name, **made}


def _softmax(z: Array) -> Array:
    xp = array_namespace(z)
    e = xp.exp(z - xp.max(z, axis=-1, keepdims=True))
    return e / xp.sum(e, axis=-1, keepdims=True)


def _pulled(X: Array, residual: Array) -> Array:
    """X^T residual, flattened row by row."""
    xp = array_namespace(X)
    made = xp.matrix_transpose(X) @ residual
    return made.reshape(*made.shape[:-2], -1)


def _held(data: Any) -> Held:
    """The samples of a problem ``softmax``."""
    return held(data.features, data.labels, data.sizes)


class Curved(NamedTuple):
    """H_i = sum_j w_j (diag p_j - p_j p_j^T) (x) a_j a_j^T + reg I, a point W flattened row by row.

    Every part has one run or as many as another, and the result as many as the most.

    Args:
        data: a, (n, m, p) or (R, n, m, p). prob: p, (R, n, m, C). weight: w, (R, n, m).
    """

    data: Array
    prob: Array
    weight: Array
    reg: float

    def product(self, u: Array) -> Array:
        """H_i u_i, (R, n, k, p C)."""
        A, p, w, V = self._for(u)
        return softmax_hvp(A, p, w, V, self.reg).reshape(*V.shape[:3], -1)

    def step(self, c: Array, u: Array, share: Array, variant: str) -> Array:
        """u' of ``mix_jvp`` for c (R, n, n), u (R, n, k, p C), share (R, n), (R, n, k, p C)."""
        A, p, w, V = self._for(u, len(c), len(share))
        edges, s = (_whole(a if len(a) > 1 else a[0], V.dtype) for a in (c, share))
        made = mix_jvp(edges, V, s, A, w, self.reg, prob=p, variant=variant)
        return made.reshape(*V.shape[:3], -1)

    def _for(self, u: Array, *others: int) -> tuple[Array, Array, Array, Array]:
        """data, prob, weight, vectors: one run of a part is shared, not copied."""
        A, p, w = self.data, self.prob, self.weight
        xp = array_namespace(A)
        dtype = xp.result_type(A, p, w, u)
        if A.ndim == 4 and len(A) == 1:
            A = A[0]
        runs = max(len(A) if A.ndim == 4 else 1, len(p), len(w), len(u), *others)
        if len(p) == len(w) == 1:
            p, w = p[0], w[0]
        else:
            p, w = (xp.broadcast_to(a, (runs, *a.shape[1:])) for a in (p, w))
        V = xp.broadcast_to(u, (runs, *u.shape[1:]))
        V = V.reshape(*V.shape[:3], A.shape[-1], p.shape[-1])
        A, p, w, V = (_whole(a, dtype) for a in (A, p, w, V))
        return A, p, w, V


def _whole(a: Array, dtype: Any) -> Array:
    """The array in C order and this dtype: itself, if it is so."""
    if isinstance(a, np.ndarray):
        return np.ascontiguousarray(a, dtype)
    return array_namespace(a).asarray(a, dtype=dtype).contiguous()
