"""The constants of ``sin_sin``, as its module text proves them."""

from __future__ import annotations

import math
from hashlib import sha256
from typing import Any

import numpy as np

from theorylab.kept import kept
from theorylab.known import EPS, How, Known
from theorylab.problems._options import Array

_MOST = 256
# Each check makes its problem anew, and those of a paper share a few: the descent costs most.
_KEPT: dict[tuple[bool, bytes], tuple[float, float, float]] = {}
ROUNDING = "up to the rounding of the eigenvalues, about d eps L"


def smoothness(A: Array, B: Array, c: Array, m: int) -> dict[str, Known]:
    """L, L_u, L_v, L_uv and L_vu, all exact."""
    strong = float(np.abs(c).max())
    top = {part: _end(H, strong, m, -1) for part, H in (("u", A), ("v", B))}
    cross = Known(strong, How.EXACT, "max_i |c_i|, attained where all cosines are 1")
    return {
        "L": Known(max(top.values()), How.EXACT, f"max(L_u, L_v), see sin_sin, {ROUNDING}"),
        "L_u": Known(top["u"], How.EXACT, f"lambda_max(A + max |c_i| E), {ROUNDING}"),
        "L_v": Known(top["v"], How.EXACT, f"lambda_max(B + max |c_i| E), {ROUNDING}"),
        "L_uv": cross,
        "L_vu": cross,
    }


def convexity(A: Array, B: Array, c: Array, phases: Array) -> Known:
    """mu of f: the least eigenvalue of A - cbar E and B - cbar E; negative: not known convex."""
    m, mean = phases.shape[1], float(np.abs(c).mean())
    least = min(_end(H, -mean, m, 0) for H in (A, B))
    together = bool(np.all(phases == phases[0])) and bool(np.all(c >= 0) or np.all(c <= 0))
    source = "least eigenvalue of A - mean |c_i| E and of B - mean |c_i| E"
    if together or mean == 0:
        return Known(least, How.EXACT, f"{source}, attained: one phase, one sign, {ROUNDING}")
    return Known(least - 64 * len(A) * EPS * (abs(least) + 2 * mean), How.LOWER, source)


def heterogeneity(A: Array, B: Array, c: Array, phases: Array, centers: Array) -> Known:
    """sigma_g, of the whole gradient at one (u, v) for all clients."""
    m, d_u = phases.shape[1], len(A)
    gap = centers - centers[0]  # equal centers give 0 to the bit
    gap = gap - gap.mean(axis=0)
    p = np.matmul(A, gap[:, :d_u, None])[..., 0]
    q = np.matmul(B, gap[:, d_u:, None])[..., 0]
    turned = c[:, None] * np.exp(1j * phases)
    turned = turned - turned[0]
    rho = np.abs(turned - turned.mean(axis=0))
    larger = np.maximum(np.abs(p[:, :m]), np.abs(q[:, :m]))
    squares = (p**2).sum(axis=1) + (q**2).sum(axis=1) + (rho**2 + 2 * rho * larger).sum(axis=1)
    source = "root of max_i sum_k p^2 + q^2 + rho^2 + 2 rho max(|p|, |q|), see sin_sin"
    return Known(math.sqrt(float(squares.max())), How.EXACT, source)


def diversity(p: Array, c: Array, m: int) -> dict[str, Known]:
    """partial_sigma_g and partial_delta, from p_i = A (a_i - mean a), (n, d_u)."""
    n, size = len(p), np.abs(c)
    reach = size * (1 - 1 / n) + (size.sum() - size) / n if n > 1 else np.zeros(1)
    away = np.abs(p)
    away[:, :m] += reach[:, None]
    worst = float(np.linalg.norm(away, axis=1).max())
    largest = Known(worst, How.EXACT, "root of max_i sum_k (|p_ik| + R_i)^2, see sin_sin")
    rest = float((p[:, m:] ** 2).sum()) / n
    if np.all(size == size[0]):
        square = rest + sum(_largest_variance(p[:, k], float(size[0])) for k in range(m))
        source = "root of the largest variances of -p_ik +- |c| over the signs, see sin_sin"
        return {
            "partial_sigma_g": largest,
            "partial_delta": Known(math.sqrt(square), How.EXACT, source),
        }
    square = rest + float(((np.abs(p[:, :m]) + size[:, None]) ** 2).sum()) / n
    bound = min(math.sqrt(square), worst) * (1 + (n + p.shape[1] + 16) * EPS)
    source = "at most root of the mean of (|p_ik| + |c_i|)^2, and partial_sigma_g, see sin_sin"
    return {"partial_sigma_g": largest, "partial_delta": Known(bound, How.UPPER, source)}


def _largest_variance(p: Array, c: float) -> float:
    """The largest variance of -p_i +- c over all signs: + on the largest -p_i, n + 1 cases."""
    if c == 0:
        return float(np.var(p))
    order = np.sort(-p)
    return max(
        float(np.var(order + np.where(np.arange(len(p)) >= k, c, -c))) for k in range(len(p) + 1)
    )


def infimum(problem: Any, personal: bool) -> Known:
    """f_star, or F_star of F(u, V) if ``personal``: a proven lower bound."""
    n, d_u, m = problem.clients, problem.shared, problem.coupled
    A, B, centers = problem.A, problem.B, problem.centers
    size = np.abs(problem.c)
    mean = float(size.mean())
    middle = centers[0] + (centers - centers[0]).mean(axis=0)
    start = np.broadcast_to(middle, centers.shape).copy()
    if personal:
        start[:, d_u:] = centers[:, d_u:]
    gap = start - centers
    flat = 0.5 * float(np.einsum("ni,ij,nj->", gap[:, :d_u], A, gap[:, :d_u])) / n
    flat += 0.5 * float(np.einsum("ni,ij,nj->", gap[:, d_u:], B, gap[:, d_u:])) / n
    terms = 8 * (n + problem.dim + 16) * EPS
    low = flat * (1 - terms) - m * mean * (1 + terms)
    source = "least of the quadratics, minus m mean |c_i|"
    if mean == 0:
        return Known(flat, How.EXACT, "no coupling: the least of the quadratics")
    mu = _end(A, -mean, m, 0)
    if personal:
        mu = min(mu, _end(B, -float(size.max()), m, 0) / n)
    else:
        mu = min(mu, _end(B, -mean, m, 0))
    mu -= terms * (abs(mu) + 2 * float(size.max()))
    if mu > 0:
        value, square, error = kept(
            _KEPT,
            (personal, _digest(A, B, problem.c, problem.phases, centers)),
            lambda: _descended(problem, start, personal),
            most=_MOST,
        )
        tight = value - error - square / (2 * mu) * (1 + terms)
        if tight > low:
            low, source = tight, "F(x) - |grad F(x)|^2 / (2 mu) at a near-minimiser, F convex"
    return Known(low, How.LOWER, f"{source}, see sin_sin")


def _digest(*tables: Array) -> bytes:
    """Of the tables' shapes and bits: the tables themselves may be too large to keep."""
    digest = sha256()
    for table in tables:
        digest.update(repr(table.shape).encode())
        digest.update(table.tobytes())
    return digest.digest()


def _descended(problem: Any, start: Array, personal: bool) -> tuple[float, float, float]:
    """F, |grad F|^2 (rounding included) and the rounding of F, where L-BFGS stops."""
    n, d_u = problem.clients, problem.shared
    split = d_u if personal else problem.dim

    def point(flat: Array) -> Array:
        x = np.empty((1, n, problem.dim))
        x[0, :, :split] = flat[:split]
        x[0, :, split:] = flat[split:].reshape(n, -1)
        return x

    def value(flat: Array) -> tuple[float, Array]:
        x = point(flat)
        g = problem.gradient(x)[0] / n
        own = g[:, split:].ravel()
        return float(problem.loss(x).mean()), np.concatenate([g[:, :split].sum(axis=0), own])

    first = np.concatenate([start[0, :split], start[:, split:].ravel()])
    exact = {"maxiter": 10_000, "maxfun": 100_000, "ftol": 0.0, "gtol": 1e-13, "maxcor": 30}
    from scipy.optimize import minimize  # slow to import

    best = minimize(value, first, jac=True, method="L-BFGS-B", options=exact).x
    found, g = value(best)
    # Rounding: sums of n + d terms, each quadratic term at most its norm product.
    distance = np.linalg.norm(point(best)[0] - problem.centers, axis=1)
    L = smoothness(problem.A, problem.B, problem.c, 1)["L"].value + float(np.abs(problem.c).max())
    terms = 8 * (n + problem.dim + 16) * EPS
    slack = terms * float((L * distance**2).mean() + L * problem.dim)
    blur = terms * L * (float(distance.max()) + math.sqrt(problem.dim)) * 2
    return found, (float(np.linalg.norm(g)) + blur) ** 2, slack


def _end(H: Array, shift: float, m: int, which: int) -> float:
    """Eigenvalue ``which`` (0 least, -1 largest) of H + shift E, E with m ones."""
    ones = np.diag(np.arange(len(H)) < m).astype(float)
    return float(np.linalg.eigvalsh(H + shift * ones)[which])
