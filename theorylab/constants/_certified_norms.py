"""Enclosures of the norms of a matrix of balls (``arb_mat``)."""

from __future__ import annotations

from typing import Any

import numpy as np
from flint import arb, arb_mat, ctx

from theorylab.constants._certified_matrix import above

NORM_BITS = 96
Ends = tuple[Any, Any]


class RefusedError(Exception):
    """No certificate; the text says why."""


def row_norm(M: Any) -> Any:
    """Largest row sum of absolute values, as a ball."""
    best = arb(0)
    for row in M.tolist():
        best = best.max(sum((abs(v) for v in row), arb(0)))
    return best


def row_norm_ends(M: Any) -> Ends:
    """(lower, upper) of ``row_norm``."""
    ball = row_norm(M)
    return ball.lower(), ball.upper()


def two_norm(M: Any) -> Ends:
    """(lower, upper) of the largest singular value.

    V approximates the eigenvectors of A = M^T M; it need not be right. With B = V^T A V and
    G = V^T V, x = V y gives x^T A x / x^T x = y^T B y / y^T G y: at least B_kk / G_kk, at most
    (Gershgorin) max_i sum_j |B_ij| / (1 - max_i sum_j |(G - I)_ij|), if that denominator is
    positive, which also proves that V is invertible.
    """
    n = M.nrows()
    A = M.transpose() * M
    scale = max((above(abs(A[i, i])) for i in range(n)), default=0.0)
    if scale == 0:
        return arb(0), arb(0)
    near = np.array([float((v / scale).mid()) for v in A.entries()]).reshape(n, n)
    if not np.all(np.isfinite(near)):
        raise RefusedError("the products have lost all digits")
    V = arb_mat(np.linalg.eigh((near + near.T) / 2)[1].tolist())
    with ctx.workprec(NORM_BITS):  # V is good to 53 bits only
        B, G = V.transpose() * A * V, V.transpose() * V
        top = row_norm(B)
        off = row_norm(G - arb_mat(n, n, identity(n)))
    if not off < 1:
        raise RefusedError("no approximate eigenvectors")
    ratios = [B[k, k] / G[k, k] for k in (0, n - 1)]
    low = ratios[0].max(ratios[1]).abs_lower() if ratios[-1] > 0 else arb(0)
    return arb(low).sqrt().lower(), (top / (1 - off)).abs_upper().sqrt().upper()


def identity(n: int) -> list[int]:
    """The entries of I, row by row."""
    return [int(i == j) for i in range(n) for j in range(n)]
