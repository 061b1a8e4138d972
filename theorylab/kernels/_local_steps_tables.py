"""What the losses of all clients read: rows padded to whole lines, and where they lie."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab import _core
from theorylab.kernels._arrays import integers, laid_out
from theorylab.kernels._limits import MOST_BATCH

Array = Any  # NumPy's; torch's or CuPy's where the data are on a GPU
FLOATS = (np.dtype(np.float64), np.dtype(np.float32))
NO_INTEGERS = np.empty(0, np.int64)
_LINE = 64  # bytes: rows of data and of H are padded with 0 to a multiple
FEW_BYTES = 128  # of a row of H: tl::kFewBytes, shorter ones are not padded on the host
_LARGE = 4 << 20  # bytes; from here own huge pages


@dataclass(frozen=True)
class LossTable:
    """LossTable of csrc/kernels/local_steps.cuh. Arrays that a family does not read are None.

    family: an enumerator of tl::Family. rows: data (m, stride), H (n d, stride) or diagonals
    (n, d); on the host short rows of H are not padded. single: the data in single precision where
    that is exact. most: rows of a gradient, of the client with the most. batch: 0 where all rows
    are taken.
    """

    family: str
    clients: int
    dim: int
    dtype: np.dtype[Any]
    columns: int = 1
    features: int = 0
    stride: int = 0
    most: int = 0
    rows: Array | None = None
    single: Array | None = None
    centers: Array | None = None
    labels: Array | None = None
    sizes: NDArray[np.int64] | None = None
    batch: int = 0
    reg: float = 0.0
    scale: float = 1.0
    clip: float = 0.0
    noise: float = 0.0


def aligned_rows(features: Array, order: NDArray[np.int64] | None = None) -> NDArray[Any]:
    """A copy of (m, p) as (m, width): zeros up to whole lines of the cache, and aligned to them.

    A load that crosses a line costs two, and small pages cost a search each.

    Args:
        order: (m',), which rows to take; None: all as they are.
    """
    dtype = float_dtype("features", features)
    rows = len(features) if order is None else len(order)
    made = _aligned((rows, padded(features.shape[1], dtype)), dtype)
    made[:, : features.shape[1]] = features if order is None else features[order]
    return made


def aligned_matrices(n: int, d: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Zeros as rows for ``ClientLosses.quadratic``, and (n, d, d) float64 matrices inside them."""
    width = d if _few(d, FLOATS[0]) else padded(d, FLOATS[0])
    rows = _aligned((n * d, width), FLOATS[0])
    return rows, rows.reshape(n, d, width)[:, :, :d]


def rows_of(H: NDArray[Any], rows: NDArray[Any] | None) -> NDArray[Any]:
    """The rows in which H (n, d, d) lies, (n d, width), or a copy of it as such.

    Short rows are read where they lie; the others are padded.
    """
    if rows is not None and np.may_share_memory(H, rows):
        return rows
    n, d, _ = H.shape
    few = _few(d, H.dtype)
    return laid_out(H).reshape(n * d, d) if few else aligned_rows(H.reshape(n * d, d))


def _few(d: int, dtype: np.dtype[Any]) -> bool:
    return d * dtype.itemsize <= FEW_BYTES


def singles(rows: NDArray[Any]) -> NDArray[np.float32] | None:
    """The rows in single precision if that loses nothing."""
    made = _aligned((len(rows), rows.shape[1]), np.dtype(np.float32))
    with np.errstate(over="ignore"):
        np.copyto(made, rows, casting="same_kind")
    return made if np.array_equal(made, rows) else None


def float_dtype(name: str, a: Array) -> np.dtype[Any]:
    """The dtype of a NumPy array; TypeError if it is none of float32 or float64."""
    if not isinstance(a, np.ndarray) or a.dtype not in FLOATS:
        came = getattr(a, "dtype", type(a).__name__)
        raise TypeError(f"local_steps: {name} is {came}; need a NumPy array, float32 or float64")
    kind: np.dtype[Any] = a.dtype
    return kind


def padded(length: int, dtype: np.dtype[Any]) -> int:
    """``length`` numbers, padded to whole lines."""
    line = _LINE // dtype.itemsize
    return -(-length // line) * line


def check_finite(**numbers: float | None) -> None:
    """TypeError or ValueError in one line if one is no finite real number; None is passed over."""
    for name, value in numbers.items():
        if value is None:
            continue
        if type(value) is not float and (isinstance(value, bool) or not isinstance(value, Real)):
            raise TypeError(f"local_steps: {name} is {value!r}; need a number")
        if not math.isfinite(value):
            raise ValueError(f"local_steps: {name} is {value!r}; need a finite number")


def check_level(name: str, value: float) -> None:
    """The same for a number that may not be negative."""
    check_finite(**{name: value})
    if value < 0:
        raise ValueError(f"local_steps: {name} is {value!r}; need at least 0")


def check_batch(batch: int | None) -> None:
    """TypeError or ValueError in one line if it is neither None nor 1 to ``MOST_BATCH``."""
    if batch is None:
        return
    if isinstance(batch, bool) or not isinstance(batch, int | np.integer):
        raise TypeError(f"local_steps: batch is {batch!r}; need an int or None")
    if not 1 <= batch <= MOST_BATCH:
        raise ValueError(f"local_steps: batch is {batch}; need 1 to {MOST_BATCH}")


def checked_ids(runs: NDArray[np.int64], R: int) -> NDArray[np.int64]:
    """The ids (R,), int64; ValueError in one line if they are none."""
    ids = integers("local_steps", "runs", runs)
    if ids.shape != (R,) or (ids.size and not 0 <= ids.min() <= ids.max() < 2**32):
        raise ValueError(f"local_steps: runs have shape {ids.shape}; need R={R} ids")
    return ids


def checked_counts(
    counts: NDArray[np.int64], shape: tuple[int, int], steps: int
) -> NDArray[np.int64]:
    """The counts (R, n), int64; ValueError in one line if one is not in 0 .. steps."""
    work = integers("local_steps", "counts", counts)
    if work.shape != shape or (work.size and not 0 <= work.min() <= work.max() <= steps):
        raise ValueError(
            f"local_steps: counts have shape {work.shape}; need ({shape[0]},{shape[1]}), "
            f"each 0 to {steps}"
        )
    return work


def checked_sample(
    rows: NDArray[np.int64] | None,
    noise: NDArray[np.float64] | None,
    row_shape: tuple[int | None, ...],
    noise_shape: tuple[int, ...],
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Drawn row numbers and noise as the kernel takes them, empty where there are none."""
    taken = NO_INTEGERS if rows is None else integers("local_steps", "rows", rows)
    if noise is not None and float_dtype("noise", noise) != np.float64:
        raise TypeError(f"local_steps: noise has dtype {noise.dtype}; need float64")
    for name, given, shape in (("rows", rows, row_shape), ("noise", noise, noise_shape)):
        if given is not None and given.shape != shape:
            raise ValueError(
                f"local_steps: {name} have shape {given.shape}; need ({','.join(map(str, shape))})"
            )
    return taken, np.empty(0) if noise is None else laid_out(noise)


def _aligned(shape: tuple[int, int], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Zeros that start on a line of the cache, in huge pages where they are large."""
    size = shape[0] * shape[1]
    if size * dtype.itemsize >= _LARGE:
        made: NDArray[Any] = (_core.fresh64 if dtype == np.float64 else _core.fresh32)(shape)
    else:
        room = np.empty(size + _LINE // dtype.itemsize, dtype)
        skip = -room.ctypes.data % _LINE // dtype.itemsize
        made = room[skip : skip + size].reshape(shape)
    made[:] = 0
    return made
