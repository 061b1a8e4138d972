"""The products of glm_hvp, softmax_hvp and mix_jvp as others write them: batched products."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

Given = dict[str, NDArray[Any]]


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


def jax_peer(given: Given, reg: float) -> Callable[[], object]:
    """glm_hvp as XLA compiles it, which may round a product and its sum once (FMA).

    Raises:
        ModuleNotFoundError: jax is not installed.
    """
    jax = import_module("jax")
    A, h, V = given["A"], given["h"], given["V"]
    scale = len(A[0])

    def product(A: Any, h: Any, V: Any) -> Any:
        z = jax.numpy.matmul(A, V.swapaxes(1, 2)) * (h / scale)[..., None]
        return jax.numpy.matmul(z.swapaxes(1, 2), A) + reg * V

    with jax.enable_x64(A.dtype == np.float64):
        arrays = [jax.numpy.asarray(array) for array in (A, h, V)]
        compiled = jax.jit(product).lower(*arrays).compile()
    return lambda: compiled(*arrays).block_until_ready()
