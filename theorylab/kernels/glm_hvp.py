"""Products with the Hessians of generalized linear models, A_i^T diag(h_i) A_i / m + reg I."""

from __future__ import annotations

import math
from typing import Any

from theorylab import _core
from theorylab.kernels._arrays import Array, Arrays


def glm_hvp(A: Array, h: Array, V: Array, reg: float = 0.0, out: Array | None = None) -> Array:
    """Return A_i^T diag(h_i) A_i V_i / m + reg V_i for every client, reading A once.

    The bits are the same for every number of threads and instruction set, for a batch and its runs
    one by one, and for k vectors and each of them alone. Sums are in the dtype of A, in the order
    of csrc/kernels/glm_hvp.cuh; values are not checked: nan and inf pass through.

    Args:
        A: data, (n, m, d), or (R, n, m, d): each run its own. float32 or float64, C-contiguous;
            NumPy array or torch CPU tensor, and all others like it.
        h: curvatures l''(<a_j, x>), (n, m) or (R, n, m). Rows behind a run's last nonzero h are
            padding and not read; m counts them.
        V: k vectors a client, (n, k, d) or (R, n, k, d); with R if A or h has it.
        reg: a finite number; 0 adds nothing.
        out: as V, overlapping nothing.

    Returns:
        As V. Beyond it a call uses at most 32 MiB for sums of chunks (few clients), and some rows
        of V a thread.

    Raises:
        TypeError: wrong kind or dtype. ValueError: wrong shape or layout, no row, or overlap.
    """
    arrays = Arrays("glm_hvp", "A", A)
    return _product(arrays, A, ("h", h), None, ("V", V), reg, out)


def softmax_hvp(
    A: Array, prob: Array, weight: Array, V: Array, reg: float = 0.0, out: Array | None = None
) -> Array:
    """Return sum_j w_j a_j ((diag p_j - p_j p_j^T) V^T a_j)^T + reg V for every client and V.

    The Hessian of sum_j w_j (cross-entropy of softmax(W^T a_j)) at p_j = softmax(W^T a_j), which
    is taken as given. Order of sums, bits and values as ``glm_hvp``.

    Args:
        A: data, (n, m, d) or (R, n, m, d). prob: p, (n, m, C) or (R, n, m, C). weight: w, (n, m)
            or (R, n, m), 1/m included; with R exactly where prob has it. Rows behind a run's last
            nonzero weight are padding and not read.
        V: (n, k, d, C) or (R, n, k, d, C); with R if another has it. reg, out: as in ``glm_hvp``.

    Returns:
        As V.

    Raises:
        TypeError, ValueError: as ``glm_hvp``.
    """
    arrays = Arrays("softmax_hvp", "A", A)
    return _product(arrays, A, ("weight", weight), prob, ("V", V), reg, out)


def _product(
    arrays: Arrays,
    data: Array,
    weighted: tuple[str, Array],
    prob: Array | None,
    vectors: tuple[str, Array],
    reg: float,
    out: Array | None,
    mixing: tuple[Array, Array, bool] | None = None,
) -> Array:
    """The one call of the kernel. mixing: c, s, and whether the product is of what was mixed."""
    where, (named, given), (name, u) = arrays.where, weighted, vectors
    A, h, V = (arrays.numpy(*pair) for pair in (("A", data), (named, given), (name, u)))
    if A.ndim not in (3, 4):
        raise ValueError(f"{where}: A has shape {A.shape}; need (n,m,d) or (R,n,m,d)")
    n, m, d = A.shape[-3:]
    if not m:
        raise ValueError(f"{where}: A has shape {A.shape}; need at least one row a client")
    classes: tuple[int, ...] = ()
    p = arrays.empty()
    if prob is not None:
        p = arrays.numpy("prob", prob)
        if p.shape[-3:-1] != (n, m) or p.ndim not in (3, 4) or not p.shape[-1]:
            raise ValueError(
                f"{where}: prob has shape {p.shape}, but A has {A.shape}; need ({n},{m},C) or "
                f"(R,{n},{m},C)"
            )
        classes = p.shape[-1:]
    tail = (d, *classes)
    last = ",".join(map(str, tail))
    if V.ndim not in (2 + len(tail), 3 + len(tail)) or (
        V.shape[-len(tail) :] != tail or V.shape[-len(tail) - 2] != n
    ):
        raise ValueError(
            f"{where}: {name} has shape {V.shape}, but A has {A.shape}; need ({n},k,{last}) or "
            f"(R,{n},k,{last})"
        )
    runs, k = V.shape[: V.ndim - len(tail) - 2], V.shape[-len(tail) - 1]
    weights = [(named, h, (n, m))] + ([("prob", p, (n, m, *classes))] if classes else [])
    checked: list[tuple[str, Any, tuple[int, ...]]] = [("A", A, (n, m, d)), *weights]
    c = s = arrays.empty()
    if mixing is not None:
        c, s = arrays.numpy("c", mixing[0]), arrays.numpy("s", mixing[1])
        checked += [("c", c, (n, n)), ("s", s, (n,))]
    own = {}
    for label, array, shape in checked:
        own[label] = array.ndim == len(shape) + 1
        if array.shape not in (shape, (*runs, *shape)):
            alone = ",".join(map(str, shape))
            each = f" or ({runs[0]},{alone})" if runs else f", as {name} has no R"
            raise ValueError(f"{where}: {label} has shape {array.shape}; need ({alone}){each}")
    if classes and own["prob"] != own[named]:
        raise ValueError(
            f"{where}: prob has shape {p.shape}, {named} {h.shape}; need both with R, or neither"
        )
    if not math.isfinite(reg):
        raise ValueError(f"{where}: reg is {reg!r}; need a finite number")
    made = arrays.into(out, V)
    flags = [own["A"], own[named], own.get("c", False), own.get("s", False)]
    sizes = [runs[0] if runs else 1, n, m, d, classes[0] if classes else 0, k]
    before = mixing is not None and mixing[2]
    _core.glm_hvp(where, sizes, flags, A, h, p, V, float(reg), c, s, before, made)
    return arrays.given_back(out, made)
