"""The local steps of ``theorylab bench engine`` by torch.func."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.bench._peers import ALPHA, BATCH, ETA, RHO, SEED, STEPS

Array = NDArray[Any]


def torch_logistic(losses: Any, x: Array, w: Array, samples: list[Any] | None) -> Callable[[], Any]:
    """vmap(grad) over all R n models at once."""
    import torch

    def loss(z: Any, A: Any, b: Any) -> Any:
        return torch.nn.functional.binary_cross_entropy_with_logits(A @ z, b)

    gradient = torch.func.vmap(torch.func.grad(loss))
    X = torch.from_numpy(np.ascontiguousarray(losses.features))
    t = torch.from_numpy(losses.targets[:, 0])
    flat = torch.from_numpy(x.reshape(-1, losses.dim))
    weight = torch.from_numpy(w.reshape(-1, 1))
    starts, sizes = (
        torch.from_numpy(np.tile(part, len(x)))[:, None] for part in (losses.starts, losses.sizes)
    )
    draws = torch.Generator().manual_seed(SEED)

    def rows(k: int) -> Any:
        if samples:
            return starts + torch.from_numpy(samples[k].reshape(-1, BATCH))
        u = torch.rand((len(flat), BATCH), generator=draws, dtype=torch.float64)
        return starts + (u * sizes).long()

    def all_at_once() -> Any:
        model, v = flat.clone(), torch.zeros_like(flat)
        for k in range(STEPS):
            chosen = rows(k)
            A, b, z = X[chosen], t[chosen], model / weight
            g = gradient(z, A, b)
            size = torch.linalg.vector_norm(g, dim=1, keepdim=True)
            z = z + RHO * torch.where(size > 0, g / size, 0.0)
            v.mul_(ALPHA).add_(gradient(z, A, b))
            model.sub_(v, alpha=ETA)
        return model.reshape(x.shape)

    return all_at_once
