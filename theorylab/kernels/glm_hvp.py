"""Products with the Hessians of generalized linear models, A_i^T diag(h_i) A_i / m + reg I."""

from __future__ import annotations

import math
from typing import Any

from theorylab import _core
from theorylab.kernels._arrays import Array, Arrays
from theorylab.kernels._device import DeviceArrays, on_device
from theorylab.kernels._hvp_device import CALLS, Given, product_on_device
from theorylab.kernels._hvp_plans import Sizes
from theorylab.kernels._paths import emulating


def glm_hvp(A: Array, h: Array, V: Array, reg: float = 0.0, out: Array | None = None) -> Array:
    """Return A_i^T diag(h_i) A_i V_i / m + reg V_i for every client, reading A once.

    The bits are the same for every number of threads and instruction set, for a batch and its runs
    one by one, and for k vectors and each of them alone. Sums are in the dtype of A, in the order
    of csrc/kernels/glm_hvp.cuh; values are not checked: nan and inf pass through.

    Args:
        A: data, (n, m, d), or (R, n, m, d): each run its own. float32 or float64, C-contiguous;
            NumPy array, torch tensor or CuPy array, and all others like it. On a GPU the call only
            puts kernels on the library's current stream; float64 gives the host's bits, and so
            does float32 where nothing is so small that CuPy's compiler would flush it to 0.
        h: curvatures l''(<a_j, x>), (n, m) or (R, n, m). Rows behind a run's last nonzero h are
            padding and not read; m counts them.
        V: k vectors a client, (n, k, d) or (R, n, k, d); with R if A or h has it.
        reg: a finite number; 0 adds nothing.
        out: as V, overlapping nothing.

    Returns:
        As V. Beyond it a call on the host uses at most 32 MiB for sums of chunks (few clients), and
        some rows of V a thread; on a GPU V once for each chunk of 256 rows (few clients), and where
        not two rows fit a block k numbers a row.

    Raises:
        TypeError: wrong kind or dtype.
        ValueError: wrong shape or layout, no row, or overlap.
        MemoryError: the GPU has no room.
        RuntimeError: a launch failed.

    >>> A = np.array([[[1.0, 0.0], [1.0, 2.0]]])  # 1 client, 2 rows, 2 coordinates
    >>> glm_hvp(A, np.array([[1.0, 0.5]]), np.array([[[1.0, 1.0]]])).tolist()
    [[[1.25, 1.5]]]
    """
    made = plain("glm_hvp", A, h, None, V, reg, None, None, False, out)
    if made is not None:
        return made
    arrays = _arrays("glm_hvp", "A", A)
    return _product(arrays, A, ("h", h), None, ("V", V), reg, out)


def softmax_hvp(
    A: Array, prob: Array, weight: Array, V: Array, reg: float = 0.0, out: Array | None = None
) -> Array:
    """Return sum_j w_j a_j ((diag p_j - p_j p_j^T) V^T a_j)^T + reg V for every client and V.

    The Hessian of sum_j w_j (cross-entropy of softmax(W^T a_j)) at p_j = softmax(W^T a_j), which
    is taken as given. Order of sums, bits and values as ``glm_hvp``.

    Args:
        A: data, (n, m, d) or (R, n, m, d).
        prob: p, (n, m, C) or (R, n, m, C).
        weight: w, (n, m) or (R, n, m), 1/m included; with R exactly where prob has it. Rows behind
            a run's last nonzero weight are padding and not read.
        V: (n, k, d, C) or (R, n, k, d, C); with R if another has it.
        reg, out: as in ``glm_hvp``.

    Returns:
        As V. On a GPU a call also uses k C numbers a row.

    Raises:
        TypeError, ValueError, MemoryError, RuntimeError: as ``glm_hvp``.

    >>> A, p, w = np.array([[[1.0, 2.0]]]), np.array([[[0.5, 0.5]]]), np.array([[1.0]])
    >>> softmax_hvp(A, p, w, np.array([[[[1.0, 0.0], [0.0, 0.0]]]])).tolist()
    [[[[0.25, -0.25], [0.5, -0.5]]]]
    """
    if prob is not None:
        made = plain("softmax_hvp", A, weight, prob, V, reg, None, None, False, out)
        if made is not None:
            return made
    arrays = _arrays("softmax_hvp", "A", A)
    return _product(arrays, A, ("weight", weight), prob, ("V", V), reg, out)


def plain(
    where: str, A: Any, h: Any, prob: Any, V: Any, reg: Any, c: Any, s: Any, before: bool, out: Any
) -> Array | None:
    """The product of plain NumPy arrays, checked in C++ alone, or of arrays on a GPU like those of
    an earlier call; None: of another kind, or wrong.
    """
    made: Array | None = None
    if not emulating():
        made = _core.plain_hvp(A, h, prob, V, reg, c, s, before, out)
    if made is None and isinstance(reg, float | int):
        given = tuple(array for array in (A, h, prob, V, c, s) if array is not None)
        again = CALLS.again((where, reg, before), given, None if out is None else (out,))
        made = None if again is None else again[0]
    return made


def _arrays(where: str, name: str, first: Array) -> Arrays | DeviceArrays:
    on_gpu = on_device(first)
    return DeviceArrays(where, name, first, listed=True) if on_gpu else Arrays(where, name, first)


def _product(
    arrays: Arrays | DeviceArrays,
    data: Array,
    weighted: tuple[str, Array],
    prob: Array | None,
    vectors: tuple[str, Array],
    reg: float,
    out: Array | None,
    mixing: tuple[Array, Array, bool] | None = None,
) -> Array:
    """A call that is not plain: on a GPU, of tensors, or refused, in words.

    mixing: c, s, and whether the product is of what was mixed.
    """
    where, (named, given), (name, u) = arrays.where, weighted, vectors
    take: Any = arrays.take if isinstance(arrays, DeviceArrays) else arrays.numpy
    A, h, V = (take(*pair) for pair in (("A", data), (named, given), (name, u)))
    if len(A.shape) not in (3, 4):
        raise ValueError(f"{where}: A has shape {A.shape}; need (n,m,d) or (R,n,m,d)")
    n, m, d = A.shape[-3:]
    if not m:
        raise ValueError(f"{where}: A has shape {A.shape}; need at least one row a client")
    classes: tuple[int, ...] = ()
    p = c = s = None
    if prob is not None:
        p = take("prob", prob)
        if p.shape[-3:-1] != (n, m) or len(p.shape) not in (3, 4) or not p.shape[-1]:
            raise ValueError(
                f"{where}: prob has shape {p.shape}, but A has {A.shape}; need ({n},{m},C) or "
                f"(R,{n},{m},C)"
            )
        classes = p.shape[-1:]
    tail = (d, *classes)
    last = ",".join(map(str, tail))
    if len(V.shape) not in (2 + len(tail), 3 + len(tail)) or (
        V.shape[-len(tail) :] != tail or V.shape[-len(tail) - 2] != n
    ):
        raise ValueError(
            f"{where}: {name} has shape {V.shape}, but A has {A.shape}; need ({n},k,{last}) or "
            f"(R,{n},k,{last})"
        )
    runs, k = V.shape[: len(V.shape) - len(tail) - 2], V.shape[-len(tail) - 1]
    checked: list[tuple[str, Any, tuple[int, ...]]] = [("A", A, (n, m, d)), (named, h, (n, m))]
    if p is not None:
        checked.append(("prob", p, (n, m, *classes)))
    if mixing is not None:
        c, s = take("c", mixing[0]), take("s", mixing[1])
        checked += [("c", c, (n, n)), ("s", s, (n,))]
    own = {}
    for label, array, shape in checked:
        own[label] = len(array.shape) == len(shape) + 1
        if array.shape not in (shape, (*runs, *shape)):
            alone = ",".join(map(str, shape))
            each = f" or ({runs[0]},{alone})" if runs else f", as {name} has no R"
            raise ValueError(f"{where}: {label} has shape {array.shape}; need ({alone}){each}")
    if p is not None and own["prob"] != own[named]:
        raise ValueError(
            f"{where}: prob has shape {p.shape}, {named} {h.shape}; need both with R, or neither"
        )
    if not math.isfinite(reg):
        raise ValueError(f"{where}: reg is {reg!r}; need a finite number")
    count, columns = runs[0] if runs else 1, classes[0] if classes else 0
    before = mixing is not None and mixing[2]
    own_c, own_s = own.get("c", False), own.get("s", False)
    if isinstance(arrays, DeviceArrays):
        seen = {label: array for label, array, _ in checked} | {name: V}
        cut = Sizes(count, n, m, d, columns, k, own["A"])
        whole = Given(A, h, p, V, c, s, seen, own[named], own_c, own_s, float(reg), before)
        return product_on_device(arrays, cut, whole, out, (where, float(reg), before))
    made, none = arrays.into(out, V), arrays.empty()
    p, c, s = (none if array is None else array for array in (p, c, s))
    sizes, flags = [count, n, m, d, columns, k], [own["A"], own[named], own_c, own_s]
    _core.glm_hvp(where, sizes, flags, A, h, p, V, float(reg), c, s, before, made)
    return arrays.given_back(out, made)
