"""The products of glm_hvp, softmax_hvp and mix_jvp as others write them: batched products."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Given = dict[str, NDArray[np.float32]]


def torch_peer(
    kernel: str, given: Mapping[str, Any], reg: float, *, reuse: bool
) -> Callable[[], object]:
    """Two batched products, and one matrix product for the mix. reuse: into its own buffers.

    given: NumPy arrays, or tensors, which may lie on a GPU.
    """
    import torch

    tensors = {
        name: array if isinstance(array, torch.Tensor) else torch.from_numpy(array)
        for name, array in given.items()
    }
    A, h, V, prob = tensors["A"], tensors["h"], tensors["V"], tensors.get("prob")
    n, m, _ = A.shape
    k, size = V.shape[1], V[0, 0].numel()
    columns = k * size // A.shape[2]
    z_out, sum_out, mixed_out = (
        torch.empty(shape, dtype=A.dtype, device=A.device) if reuse else None
        for shape in ((n, m, columns), (n, columns, A.shape[2]), (n, k * size))
    )

    def glm() -> Any:
        z = torch.bmm(A, V.transpose(1, 2), out=z_out)
        z.mul_((h / m)[..., None])
        out = torch.bmm(z.transpose(1, 2), A, out=sum_out)
        return out.add_(V, alpha=reg)

    def softmax() -> Any:
        assert prob is not None
        side_by_side = V.transpose(1, 2).reshape(n, A.shape[2], columns)
        z = torch.bmm(A, side_by_side, out=z_out).view(n, m, k, -1)
        p = prob[:, :, None]
        z.sub_((p * z).sum(dim=-1, keepdim=True)).mul_(p * h[..., None, None])
        out = torch.bmm(z.view(n, m, columns).transpose(1, 2), A, out=sum_out)
        return out.view(n, k, -1, A.shape[2]).transpose(2, 3).add(V, alpha=reg)

    product = glm if prob is None else softmax
    if kernel != "mix_jvp":
        return product
    c, s = tensors["c"], tensors["s"].reshape(n, *[1] * (V.ndim - 1))

    def step() -> Any:
        mixed = torch.mm(c, V.reshape(n, -1), out=mixed_out).view(V.shape)
        return mixed.sub_(product().mul_(s))

    return step


def numpy_peer(kernel: str, given: Given, reg: float) -> Callable[[], object]:
    """The same with NumPy's matmul."""
    A, h, V, prob = given["A"], given["h"], given["V"], given.get("prob")
    weight, scale = np.float32(reg), np.float32(A.shape[1])

    def product() -> NDArray[np.float32]:
        if prob is None:
            z = np.matmul(A, V.swapaxes(1, 2))
            z *= (h / scale)[..., None]
            out = np.matmul(z.swapaxes(1, 2), A)
        else:
            Z, p = np.matmul(A[:, None], V), prob[:, None]
            Z -= (p * Z).sum(axis=-1, keepdims=True)
            Z *= p * h[:, None, :, None]
            out = np.matmul(A.swapaxes(1, 2)[:, None], Z)
        out += weight * V
        return np.asarray(out, np.float32)

    if kernel != "mix_jvp":
        return product
    c, s = given["c"], given["s"].reshape(-1, *[1] * (V.ndim - 1))

    def step() -> object:
        return (c @ V.reshape(len(V), -1)).reshape(V.shape) - s * product()

    return step
