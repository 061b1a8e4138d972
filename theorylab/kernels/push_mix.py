"""One push-sum mixing step and its debiased point, ``x1 = P x, w1 = P w, z1 = x1 / w1``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from theorylab import _core
from theorylab.kernels._arrays import Arrays
from theorylab.kernels._calls import Calls
from theorylab.kernels._device import on_device, stream_of
from theorylab.kernels._given_matrices import GivenMatrices, Parts, content_of, parts_of
from theorylab.kernels._paths import emulating
from theorylab.kernels._push_mix_device import push_mix_on_device

if TYPE_CHECKING:  # slow to import
    from scipy.sparse import csr_array

Array = Any  # numpy.ndarray, torch.Tensor or cupy.ndarray; none is imported for it
_FLOATS = (np.dtype(np.float64), np.dtype(np.float32))
_GIVEN = GivenMatrices()
_OWN = 2 << 20  # bytes; from here an output gets huge pages that come back, not np.empty


class Mixing:
    """Mixing matrices checked once, for a matrix that is used in more than one round.

    ``push_mix`` accepts a CSR matrix too, but copies and checks it in every call, so that another
    thread may write into it meanwhile: about the cost of reading it, which shows when d is small.
    A ``Mixing`` keeps private copies, so writing into ``P`` afterwards does not change it. On a GPU
    the first call uploads the entries, which then stay there as long as the ``Mixing``. Those of
    the last 16 matrices that were given as they are stay, too, while these live and have at most
    64 MiB together; each call compares every byte of such a matrix with what it was.

    Args:
        P: CSR matrix (n, n), or a sequence of R of them, one for each run. ``P[i, j]`` is the share
            of client ``j``'s mass that client ``i`` receives. Entries finite and nonnegative; that
            columns sum to 1 is the topology's duty and not checked.
        dtype: what the entries are rounded to, float64 or float32. ``push_mix`` rounds them to the
            dtype of ``x``, so a float64 ``Mixing`` serves both.

    Attributes:
        clients: n.
        runs: R, or None for one matrix shared by all runs.

    Raises:
        TypeError: not CSR, or not float32 / float64 with int32 / int64 indices.
        ValueError: not square, an index out of range, a negative or non-finite entry.

    >>> from scipy.sparse import csr_array
    >>> P = Mixing(csr_array([[0.5, 0.0], [0.5, 1.0]]))
    >>> P.clients, push_mix(P, np.array([[4.0], [1.0]]), np.ones(2))[0].tolist()
    (2, [[2.0], [3.0]])
    """

    __slots__ = ("_calls", "_matrices", "_on_device", "_parts", "clients", "runs")

    def __init__(self, P: csr_array | Sequence[csr_array], dtype: DTypeLike = np.float64) -> None:
        kind = np.dtype(dtype)
        if kind not in _FLOATS:
            raise TypeError(f"Mixing: dtype {kind} came; need float32 or float64")
        n, runs, parts = _parts(P)
        for _, _, data in parts:
            if data.dtype not in _FLOATS:
                raise TypeError(f"Mixing: P.data has dtype {data.dtype}; need float32 or float64")
        given = [
            (indptr, indices, data.astype(kind, copy=False)) for indptr, indices, data in parts
        ]
        self._take(n, runs, given)

    def _take(self, n: int, runs: int | None, parts: Parts) -> None:
        self.clients, self.runs = n, runs
        self._matrices = _core.Matrices(n, list(parts), runs is not None)  # copies
        self._parts, self._on_device = self._matrices.parts, dict[Any, Any]()
        self._calls = Calls()


def push_mix(
    P: csr_array | Sequence[csr_array] | Mixing,
    x: Array,
    w: Array,
    *,
    out: tuple[Array, Array, Array] | None = None,
    matrix_units: bool = False,
) -> tuple[Array, Array, Array]:
    """Return ``(x1, w1, z1)`` with ``x1 = P x``, ``w1 = P w``, ``z1 = x1 / w1``, in one pass.

    ``x1[r,i,k]`` adds ``P[i,j] * x[r,j,k]`` in the order in which row i of the CSR stores its
    entries, into one accumulator that starts from +0, each product rounded first; ``z1`` is the
    IEEE quotient (so a weight of 0 gives inf or nan). The bits are the same for every number of
    threads and instruction set, and for a batch and its runs one by one.

    Args:
        P: mixing matrix or matrices, see :class:`Mixing`. Its entries are rounded to x's dtype.
        x: states, shape (R, n, d) or (n, d), float32 or float64, C-contiguous; NumPy array, torch
            tensor or CuPy array. Its values are not checked: nan and inf pass through. On a GPU the
            call only puts kernels on the library's current stream; float64 gives the host's bits.
        w: push-sum weights, shape (R, n) or (n,), of x's kind and dtype.
        out: buffers for ``(x1, w1, z1)``, of the right shape, kind and dtype, overlapping nothing.
            Saves the cost of fresh memory, which is above that of the arithmetic. On the host a
            large result takes the memory of one that is gone: up to a sixteenth of the machine's
            stays for that, of which the system takes pages back where it needs them
            (``THEORYLAB_REUSE=0`` keeps none).
        matrix_units: on a GPU, multiply with a full P on its matrix units: for a P with more than
            n / 4 entries a row, n up to some hundred, x finite and below 2**127. w1 keeps the
            host's bits, x1 and z1 do not: with S = sum_j |P[i,j] x[j,k]| the error of x1 is
            below n' u S / (1 - n' u) for float64 (u = 2**-53) and (14 + 8 n') u S for float32
            (u = 2**-24, three products in tf32), n' being n rounded up to a multiple of 8.

    Returns:
        ``(x1, w1, z1)`` of x's kind: (R, n, d), (R, n), (R, n, d), or without R as x is. Beyond
        these, a call uses at most 64 MiB of memory.

    Raises:
        TypeError: wrong kind or dtype.
        ValueError: wrong shape or layout, a bad P, or overlap.
        MemoryError: the GPU has no room for the results.
        RuntimeError: a launch failed.

    >>> from scipy.sparse import csr_array
    >>> P = csr_array([[0.5, 0.0], [0.5, 1.0]])  # client 0 sends half of its mass to client 1
    >>> x1, w1, z1 = push_mix(P, np.array([[4.0], [1.0]]), np.ones(2))
    >>> x1.tolist(), w1.tolist(), z1.tolist()
    ([[2.0], [3.0]], [0.5, 1.5], [[4.0], [2.0]])
    """
    if type(P) is Mixing:
        made: Sequence[Array] | None = None
        if type(x) is np.ndarray and not (matrix_units or emulating()):
            made = _core.mixed(P._matrices, x, w, out)  # None: not NumPy, or something is wrong
        elif out is None or type(out) is tuple:
            made = P._calls.again(matrix_units, (x, w), out)
        if made is not None:
            x1, w1, z1 = made
            return x1, w1, z1
    placed = on_device(x)
    if placed and type(P) is not Mixing:
        return push_mix(_kept_mixing(P, x), x, w, out=out, matrix_units=matrix_units)
    mixing = P if type(P) is Mixing else None
    if mixing is not None:
        n, per_run, matrices = mixing.clients, mixing.runs, mixing._matrices
        parts = mixing._parts
    else:
        n, per_run, parts = _parts(P)
        matrices = _core.Matrices(n, parts, per_run is not None)
    if not placed:
        arrays = Arrays("push_mix", "x", x)
        x, w = arrays.numpy("x", x), arrays.numpy("w", w)
    elif not hasattr(w, "shape"):
        raise TypeError(f"push_mix: w is {type(w).__name__}; need an array beside x on the GPU")
    shape = tuple(x.shape)
    if x.ndim == 3:
        runs = shape[0]
    elif x.ndim == 2 and per_run is None:
        runs = 1
    else:
        need = "(n,d) or (R,n,d)" if per_run is None else "(R,n,d), one matrix for each run"
        raise ValueError(f"push_mix: x has shape {shape}; need {need}")
    if shape[-2] != n:
        raise ValueError(
            f"push_mix: x has n={shape[-2]} on axis {x.ndim - 2}, but P fixed n={n}; "
            "need (n,n),(R,n,d)"
        )
    if per_run is not None and per_run != runs:
        raise ValueError(
            f"push_mix: x has R={runs}, but P holds {per_run} matrices; need R of them"
        )
    if tuple(w.shape) != shape[:-1]:
        came = tuple(w.shape)
        raise ValueError(f"push_mix: w has shape {came}, but x has {shape}; need {shape[:-1]}")
    if out is not None and (not isinstance(out, tuple | list) or len(out) != 3):
        raise TypeError("push_mix: out needs a tuple of three arrays, (x1, w1, z1)")
    if placed and mixing is not None:
        kept, calls = mixing._on_device, mixing._calls
        return push_mix_on_device(parts, per_run is not None, x, w, out, kept, matrix_units, calls)
    if matrix_units:
        raise ValueError("push_mix: matrix_units=True with x on the host; need x on a GPU")
    if out is None:
        x1, w1, z1 = _fresh(x), np.empty(w.shape, x.dtype), _fresh(x)
    else:
        x1, w1, z1 = _buffers(out, x, w, arrays)
    _core.push_mix(matrices, runs, x, w, x1, w1, z1, parts if mixing is None else [])
    if out is not None:
        return out[0], out[1], out[2]
    return tuple(arrays.given_back(None, made) for made in (x1, w1, z1))


def _parts(P: Any) -> tuple[int, int | None, list[tuple[Any, Any, Any]]]:
    """(n, R or None, [(indptr, indices, data)]): the arrays themselves, not copies."""
    from scipy.sparse import csr_array, csr_matrix

    if isinstance(P, csr_array | csr_matrix):
        rows, columns = P.shape
        if rows != columns or not rows:
            raise ValueError(f"push_mix: P has shape {P.shape}; need (n,n) with n >= 1")
        return rows, None, [(P.indptr, P.indices, P.data)]
    if not isinstance(P, list | tuple) or not P:
        raise TypeError(
            f"push_mix: P is {type(P).__name__}; need a scipy CSR matrix, a list of R, or a Mixing"
        )
    for r, matrix in enumerate(P):
        if not isinstance(matrix, csr_array | csr_matrix):
            raise TypeError(f"push_mix: P[{r}] is {type(matrix).__name__}; need a scipy CSR matrix")
        if matrix.shape != P[0].shape:
            raise ValueError(
                f"push_mix: P[{r}] has shape {matrix.shape}, but P[0] has {P[0].shape}; need one n"
            )
    n = _parts(P[0])[0]
    return n, len(P), [(matrix.indptr, matrix.indices, matrix.data) for matrix in P]


def _kept_mixing(P: Any, x: Array) -> Mixing:
    """Of matrices that are given to a GPU as they are; the last ones' are kept while they live.

    Each stream has its own, whose memory a library hands on in the order of that stream alone.
    """
    n, runs, parts = _parts(P)
    matrices = [P] if runs is None else P
    content, how = content_of(parts), (runs is None, stream_of(x))
    made: Mixing | None = None if content is None else _GIVEN.get(matrices, content, how)
    if made is None:
        made = Mixing.__new__(Mixing)
        made._take(n, runs, parts if content is None else parts_of(content))
        if content is not None:
            _GIVEN.keep(matrices, content, made, how)
    return made


def _fresh(x: NDArray[Any]) -> NDArray[Any]:
    if x.nbytes < _OWN:
        return np.empty(x.shape, x.dtype)
    fresh = _core.fresh32 if x.dtype == np.float32 else _core.fresh64
    return fresh(x.shape)


def _buffers(out: Any, x: NDArray[Any], w: NDArray[Any], arrays: Arrays) -> list[NDArray[Any]]:
    made = []
    for position, (given, like) in enumerate(zip(out, (x, w, x), strict=True)):
        if given is None:
            raise TypeError(
                f"push_mix: out[{position}] is None; need an array like {'xwx'[position]}"
            )
        made.append(arrays.into(given, like, f"out[{position}]"))
    return made
