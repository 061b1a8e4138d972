"""Client losses whose data are on a GPU already: checked once, padded there where they must be."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from theorylab.kernels._arrays import integers
from theorylab.kernels._device import Array, DeviceArrays, on_device
from theorylab.kernels._local_steps_tables import LossTable

_PACKET = 16  # bytes that travel together: rows start on one


def placed(data: Array) -> bool:
    """Whether data are a GPU's; NumPy arrays never are, even where points play that they were."""
    return not isinstance(data, np.ndarray) and on_device(data)


def regression(
    features: Array,
    labels: Array,
    sizes: NDArray[np.int64],
    inputs: int | None,
    columns: int,
    batch: int | None,
    reg: float,
) -> LossTable:
    """features (m, p) on a GPU; labels (m,) beside them or on the host; sizes (n,) on the host.

    Labels are read once, here: the only wait for the GPU.
    """
    if inputs is not None:
        raise ValueError(
            f"local_steps: inputs {inputs} came with features on a GPU; need features (m,p)"
        )
    call = DeviceArrays("local_steps", "features", features)
    taken = call.take("features", features)
    if len(taken.shape) != 2 or min(taken.shape) < 1:
        raise ValueError(f"local_steps: features have shape {taken.shape}; need (m,p)")
    m, p = taken.shape
    sizes = integers("local_steps", "sizes", sizes) if isinstance(sizes, np.ndarray) else sizes
    if not isinstance(sizes, np.ndarray) or sizes.ndim != 1 or not len(sizes):
        raise TypeError(f"local_steps: sizes are {type(sizes).__name__}; need a NumPy array (n,)")
    if sizes.min() < 1 or sizes.sum() != m:
        raise ValueError(
            f"local_steps: sizes sum to {sizes.sum()}, the least is {sizes.min()}, for m={m} rows; "
            "need m, each at least 1"
        )
    if isinstance(labels, np.ndarray):
        labels = integers("local_steps", "labels", labels)
        shape = labels.shape
    else:
        shape = call.take("labels", labels, np.int64).shape
    if shape != (m,):
        raise ValueError(f"local_steps: labels have shape {shape}; need ({m},)")
    low, high, classes = int(labels.min()), int(labels.max()), max(columns, 2)
    if low < 0 or high >= classes:
        raise ValueError(
            f"local_steps: label {low if low < 0 else high} came; need 0 to {classes - 1}"
        )
    if columns < 1:
        raise ValueError(f"local_steps: columns {columns} came; need at least 1")
    rows = _padded(call, features)
    return LossTable(
        "kSoftmax" if columns > 1 else "kLogistic", len(sizes), p * columns, call.dtype,
        columns=columns, features=p, stride=rows.shape[1], most=int(sizes.max()), rows=rows,
        labels=labels, sizes=sizes, batch=batch or 0, reg=reg,
    )  # fmt: skip


def quadratic(H: Array, centers: Array, noise: float) -> LossTable:
    """H (n, d, d) or (n, d), and centers (n, d), on one GPU."""
    call = DeviceArrays("local_steps", "H", H)
    given, middle = call.take("H", H).shape, call.take("centers", centers).shape
    n, d = middle if len(middle) == 2 else (0, 0)
    if given not in ((n, d, d), (n, d)) or not n * d:
        raise ValueError(
            f"local_steps: H has shape {given}, centers {middle}; need (n,d,d) or (n,d), and (n,d)"
        )
    if len(given) == 2:
        return LossTable("kDiagonal", n, d, call.dtype, rows=H, centers=centers, noise=noise)
    rows = _padded(call, H.reshape(n * d, d))
    return LossTable(
        "kDense", n, d, call.dtype, stride=rows.shape[1], rows=rows, centers=centers, noise=noise
    )


def separable(centers: Array, *, scale: float, noise: float, clip: float | None) -> LossTable:
    """centers (n, d) on a GPU."""
    call = DeviceArrays("local_steps", "centers", centers)
    shape = call.take("centers", centers).shape
    if len(shape) != 2 or min(shape) < 1:
        raise ValueError(f"local_steps: centers have shape {shape}; need (n,d)")
    family = "kClipped" if clip else "kLogCosh"
    return LossTable(
        family, shape[0], shape[1], call.dtype,
        centers=centers, scale=scale, clip=clip or 0.0, noise=noise,
    )  # fmt: skip


def _padded(call: DeviceArrays, rows: Array) -> Array:
    """The rows themselves where each starts on a packet, or a copy whose rows end in zeros."""
    m, p = rows.shape
    size = call.dtype.itemsize
    if p * size % _PACKET == 0 and call.library.address(rows) % _PACKET == 0:
        return rows
    across = -(-p * size // _PACKET) * _PACKET // size
    call.check_room(m * across * size, "the client losses need")
    made = call.library.empty((m, across), call.dtype, call.device)
    made[:, :p] = rows
    made[:, p:] = 0
    return made
