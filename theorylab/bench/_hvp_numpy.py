"""The products of glm_hvp, softmax_hvp and mix_jvp as NumPy has them: batched products."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Given = dict[str, NDArray[Any]]


def numpy_peer(
    kernel: str, given: Given, reg: float, *, reuse: bool = False
) -> Callable[[], object]:
    """Two batched products, and one matrix product for the mix. reuse: into its own buffers."""
    A, h, V, prob = given["A"], given["h"], given["V"], given.get("prob")
    n, m, _ = A.shape
    weight, scale = A.dtype.type(reg), A.dtype.type(m)
    by_rows, by_data = A.swapaxes(1, 2), V.swapaxes(1, 2)
    tail = V.shape[1:2] if prob is None else V.shape[3:]
    z_out, sum_out, mixed_out = (
        np.empty(shape, A.dtype) if reuse else None
        for shape in (
            (n, m, *tail) if prob is None else (n, V.shape[1], m, *tail),
            V.shape,
            (n, V[0].size),
        )
    )

    def product() -> NDArray[Any]:
        if prob is None:
            z = np.matmul(A, by_data, out=z_out)
            z *= (h / scale)[..., None]
            out = np.matmul(z.swapaxes(1, 2), A, out=sum_out)
        else:
            Z, p = np.matmul(A[:, None], V, out=z_out), prob[:, None]
            Z -= (p * Z).sum(axis=-1, keepdims=True)
            Z *= p * h[:, None, :, None]
            out = np.matmul(by_rows[:, None], Z, out=sum_out)
        out += weight * V
        return np.asarray(out)

    if kernel != "mix_jvp":
        return product
    c, s = given["c"], given["s"].reshape(-1, *[1] * (V.ndim - 1))

    def step() -> object:
        made = product()
        made *= s
        mixed = np.matmul(c, V.reshape(len(V), -1), out=mixed_out).reshape(V.shape)
        mixed -= made
        return mixed

    return step
