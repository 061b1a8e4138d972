"""Hessians of linear models as the kernels take them: products, and steps with a mix."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from array_api_compat import array_namespace

from theorylab.hypergradients._bilevel import Array
from theorylab.kernels import mix_jvp, softmax_hvp


class Curved(NamedTuple):
    """H_i = sum_j w_j (diag p_j - p_j p_j^T) (x) a_j a_j^T + reg I, a point W flattened row by row.

    Every part has one run or as many as another, and the result as many as the most.

    Args:
        data: a, (n, m, p) or (R, n, m, p). prob: p, (R, n, m, C). weight: w, (R, n, m).
    """

    data: Array
    prob: Array
    weight: Array
    reg: float

    def product(self, u: Array) -> Array:
        """H_i u_i, (R, n, k, p C)."""
        A, p, w, V = self._for(u)
        return softmax_hvp(A, p, w, V, self.reg).reshape(*V.shape[:3], -1)

    def step(self, c: Array, u: Array, share: Array, variant: str) -> Array:
        """u' of ``mix_jvp`` for c (R, n, n), u (R, n, k, p C), share (R, n), (R, n, k, p C)."""
        A, p, w, V = self._for(u, len(c), len(share))
        edges, s = (_whole(a if len(a) > 1 else a[0], V.dtype) for a in (c, share))
        made = mix_jvp(edges, V, s, A, w, self.reg, prob=p, variant=variant)
        return made.reshape(*V.shape[:3], -1)

    def _for(self, u: Array, *others: int) -> tuple[Array, Array, Array, Array]:
        """data, prob, weight, vectors: one run of a part is shared, not copied."""
        A, p, w = self.data, self.prob, self.weight
        xp = array_namespace(A)
        dtype = xp.result_type(A, p, w, u)
        if A.ndim == 4 and len(A) == 1:
            A = A[0]
        runs = max(len(A) if A.ndim == 4 else 1, len(p), len(w), len(u), *others)
        if len(p) == len(w) == 1:
            p, w = p[0], w[0]
        else:
            p, w = (xp.broadcast_to(a, (runs, *a.shape[1:])) for a in (p, w))
        V = xp.broadcast_to(u, (runs, *u.shape[1:]))
        V = V.reshape(*V.shape[:3], A.shape[-1], p.shape[-1])
        A, p, w, V = (_whole(a, dtype) for a in (A, p, w, V))
        return A, p, w, V


def _whole(a: Array, dtype: Any) -> Array:
    """The array in C order and this dtype: itself, if it is so."""
    if isinstance(a, np.ndarray):
        return np.ascontiguousarray(a, dtype)
    return array_namespace(a).asarray(a, dtype=dtype).contiguous()
