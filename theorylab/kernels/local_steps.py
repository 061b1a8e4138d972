"""All local steps of a round in one call, on tables of client losses; and their gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab import _core
from theorylab.kernels import _local_steps_given as resident
from theorylab.kernels._arrays import integers, laid_out
from theorylab.kernels._device import on_device
from theorylab.kernels._local_steps_device import Steps, gradients_on_device, steps_on_device
from theorylab.kernels._local_steps_tables import (
    NO_INTEGERS,
    LossTable,
    check_batch,
    check_finite,
    check_level,
    checked_counts,
    checked_ids,
    checked_sample,
    float_dtype,
    padded,
    rows_of,
    singles,
)
from theorylab.kernels._local_steps_tables import aligned_rows as aligned_rows
from theorylab.kernels.draws import _WORD, _number

Array = Any  # numpy.ndarray, torch.Tensor or cupy.ndarray; none is imported for it
_CORE = {np.dtype(np.float64): _core.Losses64, np.dtype(np.float32): _core.Losses32}
_NO_SINGLES = np.empty(0, np.float32)
_WHERE = "local_steps"


class ClientLosses:
    """What the losses of n clients read, in one dtype, checked once.

    Made by ``regression``, ``quadratic`` or ``separable``; the formulas are in
    csrc/kernels/local_steps.cuh. Bits are the same for every number of threads and instruction
    set, and for a batch and its runs one by one. The arrays given are kept, not copied, where
    their layout allows: do not write into them afterwards.

    The data may be NumPy arrays, or torch tensors or CuPy arrays on a GPU; then every point has to
    be there too. Data from the host go up at the first call for a point on a GPU, and stay.

    Attributes:
        clients, dim: n and d. dtype: of every point. batch: rows of a drawn sample, or None.
    """

    def __init__(self, core: Any, table: LossTable) -> None:
        """For the three makers; ``core``: ``_core.Losses64`` or ``32``, None for data on a GPU."""
        self._core, self._table = core, table
        self.dtype, self.batch = table.dtype, table.batch or None
        self.clients, self.dim = table.clients, table.dim
        self._stride = 0
        self._weights: NDArray[np.float64] | None = None
        self._on_device = dict[Any, Any]()

    @classmethod
    def regression(
        cls,
        features: Array,
        labels: NDArray[np.int64],
        sizes: NDArray[np.int64],
        *,
        inputs: int | None = None,
        columns: int,
        batch: int | None,
        reg: float,
    ) -> ClientLosses:
        """Logistic (columns 1, labels 0 and 1) or softmax (labels 0 .. columns - 1) regression.

        f_i(W) = mean_j loss(W^T x_j, label_j) + reg/2 |W|^2, j over client i's rows; a point is W
        (p, columns) flattened.

        Args:
            features: (m, p), float32 or float64, sorted by client; or what ``aligned_rows`` made
                of them, with p as ``inputs``: then they are not copied. Float64 numbers that are
                all float32 numbers are kept as both: a logistic loss reads half. labels: (m,).
            sizes: (n,) rows of every client, at least 1, m in all.
            batch: rows drawn with replacement for one step, 1 to 2**24; None: all of the client's.
        """
        check_level("reg", reg)
        check_batch(batch)
        if resident.placed(features):
            return cls(
                None, resident.regression(features, labels, sizes, inputs, columns, batch, reg)
            )
        labels, sizes = (integers(_WHERE, *a) for a in (("labels", labels), ("sizes", sizes)))
        dtype = float_dtype("features", features)
        if features.ndim != 2 or labels.shape != features.shape[:1]:
            raise ValueError(
                f"local_steps: features have shape {features.shape}, labels {labels.shape}; "
                "need (m,p) and (m,)"
            )
        if sizes.ndim != 1 or sizes.sum() != len(features):
            raise ValueError(
                f"local_steps: sizes sum to {sizes.sum()} for m={len(features)} rows; need m"
            )
        p = features.shape[1] if inputs is None else inputs
        if inputs is not None and features.shape[1] != padded(p, dtype):
            raise ValueError(
                f"local_steps: features have shape {features.shape}; need (m,{padded(p, dtype)}) "
                f"from aligned_rows for p={p}"
            )
        rows = aligned_rows(features) if inputs is None else laid_out(features)
        starts = np.cumsum(sizes) - sizes
        single = singles(rows) if columns == 1 and dtype == np.float64 else None
        core = _CORE[dtype].regression(
            columns > 1, columns, p, rows, _NO_SINGLES if single is None else single, labels,
            starts, sizes, batch or 0, reg,
        )  # fmt: skip
        table = LossTable(
            "kSoftmax" if columns > 1 else "kLogistic", len(sizes), p * columns, dtype,
            columns=columns, features=p, stride=rows.shape[1], most=int(sizes.max()), rows=rows,
            single=single, labels=labels, sizes=sizes, batch=batch or 0, reg=reg,
        )  # fmt: skip
        made = cls(core, table)
        made._stride = p if columns > 1 else padded(p, dtype)
        made._weights = np.repeat(1 / (sizes * len(sizes)), sizes)
        return made

    @classmethod
    def quadratic(cls, H: Array, centers: Array, noise: float, rows: Any = None) -> ClientLosses:
        """grad f_i(x) = H_i (x - c_i) + noise N(0, I).

        Args:
            H: (n, d, d), symmetric (the upper triangle may be read for the lower), or (n, d).
            centers: (n, d). noise: standard deviation. rows: of ``aligned_matrices``, around H.
        """
        check_level("noise", noise)
        if resident.placed(H):
            return cls(None, resident.quadratic(H, centers, noise))
        dtype = float_dtype("H", H)
        n, d = centers.shape if centers.ndim == 2 else (0, 0)
        if H.shape not in ((n, d, d), (n, d)) or centers.dtype != dtype:
            raise ValueError(
                f"local_steps: H is {H.dtype} {H.shape}, centers {centers.dtype} {centers.shape}; "
                "need (n,d,d) or (n,d), and (n,d), of one dtype"
            )
        diagonal = H.ndim == 2
        rows, centers = laid_out(H) if diagonal else rows_of(H, rows), laid_out(centers)
        core = _CORE[dtype].quadratic(rows, centers, diagonal, noise)
        table = LossTable(
            "kDiagonal" if diagonal else "kDense", n, d, dtype, rows=rows, centers=centers,
            stride=d if diagonal else padded(d, dtype), noise=noise,
        )  # fmt: skip
        return cls(core, table)

    @classmethod
    def separable(
        cls, centers: Array, *, scale: float, noise: float, clip: float | None = None
    ) -> ClientLosses:
        """grad f_i(x) = scale psi(x - c_i) + noise N(0, I), psi = tanh, or clip to [-clip, clip].

        Args:
            centers: (n, d). noise: standard deviation of a coordinate.
        """
        check_level("noise", noise)
        check_finite(scale=scale, clip=clip)
        if clip is not None and not clip > 0:
            raise ValueError(f"local_steps: clip is {clip!r}; need more than 0")
        if resident.placed(centers):
            return cls(None, resident.separable(centers, scale=scale, noise=noise, clip=clip))
        dtype = float_dtype("centers", centers)
        if centers.ndim != 2:
            raise ValueError(f"local_steps: centers have shape {centers.shape}; need (n,d)")
        centers = laid_out(centers)
        core = _CORE[dtype].separable(centers, scale, clip or 0.0, noise)
        table = LossTable(
            "kClipped" if clip else "kLogCosh", centers.shape[0], centers.shape[1], dtype,
            centers=centers, scale=scale, clip=clip or 0.0, noise=noise,
        )  # fmt: skip
        return cls(core, table)

    @property
    def on_host(self) -> bool:
        return self._core is not None  # where NumPy points are

    def gradients(
        self, x: Array, *, rows: NDArray[np.int64] | None = None, noise: Array | None = None
    ) -> Array:
        """The gradients at x (R, n, d): of f_i, or of the given sample. Shape (R, n, d).

        Args:
            rows: (R, n, batch), row numbers within the client's own data; None: all its rows.
            noise: float64 (R, n, d), added before the result is rounded; None: none.

        A point on a GPU gets its gradients there, without rows and noise; ValueError with them.
        """
        if on_device(x):
            if rows is not None or noise is not None:
                raise ValueError("local_steps: rows or noise came with x on a GPU; need None")
            return gradients_on_device(self._table, self._on_device, x)
        x = self._points("x", x)
        shape = (len(x), self.clients)
        sample = checked_sample(rows, noise, (*shape, self.batch), (*shape, self.dim))
        out = np.empty_like(x)
        self._core.gradients(x, *sample, out)
        return out

    def values(self, x: Array) -> Array:
        """f_i(x[r, i]) of a regression: (R, n)."""
        x = self._points("x", x)
        out = np.empty(x.shape[:2], self.dtype)
        self._core.values(x, out)
        return out

    def means(self, xbar: Array) -> tuple[Array, Array]:
        """f (R,) and grad f (R, d) of a regression at xbar (R, d), data read once for all runs."""
        if self._weights is None or xbar.shape != (len(xbar), self.dim) or xbar.dtype != self.dtype:
            raise ValueError(
                f"local_steps: xbar is {xbar.dtype} {xbar.shape}; need {self.dtype} "
                f"(R,{self.dim}), and a regression"
            )
        points = np.zeros((len(xbar), max(self.dim, self._stride)), self.dtype)
        points[:, : self.dim] = xbar
        loss, out = np.empty(len(xbar)), np.empty((len(xbar), self.dim), self.dtype)
        self._core.means(points, self._weights, loss, out)
        return loss.astype(self.dtype, copy=False), out

    def local_steps(
        self,
        x: Array,
        w: Array,
        *,
        seed: int,
        runs: NDArray[np.int64],
        round: int,
        steps: int,
        eta: float,
        counts: NDArray[np.int64] | None = None,
        alpha: float = 0.0,
        rho: float = 0.0,
    ) -> Array:
        """``steps`` local steps with momentum and SAM from x (R, n, d), weights w (R, n).

        z = x / w; g = grad F_i(z; xi_k); if rho: g = grad F_i(z + (rho / |g|) g; xi_k), z itself
        where g is 0; v = alpha v + g, v from 0; x = x - eta v. xi_k is what
        ``Stream(seed, "sample")`` or ``Stream(seed, "noise")`` draws at (runs, n, round, k).

        Args:
            x, w: on a GPU too; the result is where x is. float64 has the host's bits there.
            runs: (R,) ids. counts: (R, n), how many of the steps each client does; None: all. NumPy
                arrays, which go up once as long as they stay equal; or int64 beside x, which are
                not looked at: a count above ``steps`` is ``steps``.

        Returns the last x, (R, n, d). Raises TypeError on a wrong dtype, ValueError on a shape;
        on a GPU MemoryError where there is no room and RuntimeError where a launch failed.
        """
        seed = _number("seed", seed, 0, 2**64, _WHERE)
        round, steps = (_number(*a, 0, _WORD, _WHERE) for a in (("round", round), ("steps", steps)))
        check_finite(eta=eta, alpha=alpha, rho=rho)
        if on_device(x):
            done = Steps(seed, round, steps, eta, alpha, rho)
            return steps_on_device(self._table, self._on_device, x, w, runs, counts, done)
        x = self._points("x", x)
        shape = (len(x), self.clients)
        if w.dtype != self.dtype or w.shape != shape:
            raise ValueError(
                f"local_steps: w is {w.dtype} {w.shape}; need {self.dtype} ({shape[0]},{shape[1]})"
            )
        ids = checked_ids(runs, len(x))
        work = NO_INTEGERS if counts is None else checked_counts(counts, shape, steps)
        out = np.empty_like(x)
        self._core.steps(x, laid_out(w), seed, round, ids, steps, work, eta, alpha, rho, out)
        return out

    def _points(self, name: str, x: Array) -> NDArray[Any]:
        if self._core is None:
            raise TypeError(
                f"local_steps: {name} is {type(x).__name__}, but the data are on a GPU; "
                "need local_steps, and points that are there too"
            )
        if float_dtype(name, x) != self.dtype:
            raise TypeError(f"local_steps: {name} has dtype {x.dtype}; need {self.dtype}")
        if x.shape != (len(x), self.clients, self.dim):
            raise ValueError(
                f"local_steps: {name} has shape {x.shape}; need (R,{self.clients},{self.dim})"
            )
        return laid_out(x)


def ascent(z: Array, g: Array, rho: float) -> Array:
    """SAM's point z + (rho / |g|) g over the last axis, z itself where g is 0, kernel bits.

    Args:
        z, g: (R, n, d), float32 or float64. |g|^2 is added in the lanes of the kernel.
    """
    if float_dtype("z", z) != g.dtype or z.shape != g.shape or not z.ndim:
        raise ValueError(
            f"local_steps: z is {z.dtype} {z.shape}, g {g.dtype} {g.shape}; need one of each"
        )
    check_finite(rho=rho)
    out = np.empty(z.shape, z.dtype)
    _core.ascent(laid_out(z), laid_out(g), rho, z.shape[-1], out)
    return out
