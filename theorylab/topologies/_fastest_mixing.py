"""The fastest mixing symmetric Markov chain on a graph (Boyd, Diaconis, Xiao 2004).

    minimise mu(P) = ||P - 11^T/n||_2   over  P = P^T, P 1 = 1, P >= 0, P_ij = 0 off the graph

No semidefinite solver is needed: ADMM on three copies of P (the norm; the affine set; P >= 0),
each with a closed-form step (eigenvalues; one n x n solve; clipping). What it returns is then made
exactly feasible, and a bound from below is computed from ADMM's multiplier Y. Weak duality (their
Section 2.5): for Y = Y^T, Y 1 = 0, ||Y||_* <= 1 and any z with (z_i + z_j)/2 <= Y_ij on edges and
z_i <= Y_ii,

    1^T z = sum_ij P_ij (z_i + z_j)/2 <= tr(P Y) = tr((P - 11^T/n) Y) <= mu(P).

The best z of a given Y is a linear program. So ``slem - lower`` bounds how far P is from the best.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array

Floats = NDArray[np.float64]
STEP, CHECKED = 1.8, 50  # over-relaxation, iterations between two looks at the gap


class Chain(NamedTuple):
    """P (n, n); slem = ||P - 11^T/n||_2; lower <= the least slem of any chain on the graph."""

    P: Floats
    slem: float
    lower: float


def fastest_mixing(joined: NDArray[np.bool_], gap: float = 1e-4, iterations: int = 4000) -> Chain:
    """The chain of the graph ``joined`` (n, n), symmetric, its diagonal ignored.

    Stops when slem - lower <= gap, or after ``iterations``; the result says how near it is.
    """
    n = len(joined)
    free = joined | np.eye(n, dtype=bool)
    mean = np.full((n, n), 1 / n)
    best = metropolis(joined & ~np.eye(n, dtype=bool))
    slem, lower = _slem(best), 0.0
    if slem <= gap:
        return Chain(best, slem, lower)
    solve = _row_sums(free)
    penalty = n / 200  # tried from n/500 to 30 n on graphs of 10 to 100 clients: the fastest
    common = best.copy()
    duals = np.zeros((3, n, n))
    for k in range(1, iterations + 1):
        first = common - duals[0]
        parts = np.array(
            [
                mean + _shrunk(first - mean, 1 / penalty),
                solve(common - duals[1]),
                np.maximum(common - duals[2], 0) * free,
            ]
        )
        relaxed = STEP * parts + (1 - STEP) * common
        common = (relaxed + duals).mean(axis=0)
        duals += relaxed - common
        if k % CHECKED == 0 or k == iterations:
            made = _feasible(parts[1], free)
            if (found := _slem(made)) < slem:
                best, slem = made, found
            lower = max(lower, _bound(-penalty * duals[0], free))
            if slem - lower <= gap:
                break
    return Chain(best, slem, lower)


def metropolis(joined: NDArray[np.bool_]) -> Floats:
    """1 / (1 + max degree) on every edge, the rest on the diagonal: where the search starts."""
    degree = joined.sum(axis=1)
    P = np.where(joined, 1 / (1 + np.maximum(degree[:, None], degree)), 0.0)
    return P + np.diag(1 - P.sum(axis=1))


def _slem(P: Floats) -> float:
    return float(np.abs(np.linalg.eigvalsh(P - 1 / len(P))).max())


def _shrunk(X: Floats, radius: float) -> Floats:
    """prox of radius ||.||_2: X minus its projection onto the nuclear ball of that radius."""
    value, vector = np.linalg.eigh((X + X.T) / 2)
    size = np.sort(np.abs(value))[::-1]
    if size.sum() <= radius:
        return np.zeros_like(X)
    spare = (np.cumsum(size) - radius) / np.arange(1, len(size) + 1)
    cut = spare[np.flatnonzero(size > spare)[-1]]
    return np.asarray((vector * np.clip(value, -cut, cut)) @ vector.T)


def _row_sums(free: NDArray[np.bool_]) -> Callable[[Floats], Floats]:
    """The projection onto {P = P^T, support in ``free``, P 1 = 1}."""
    n = len(free)
    # With multiplier m, P = X + (m_i + m_j)/2 on the support; its row sums give (D + F) m / 2.
    system = (np.diag(free.sum(axis=1)) + free) / 2
    inverse = np.linalg.pinv(system)

    def project(X: Floats) -> Floats:
        X = np.where(free, (X + X.T) / 2, 0.0)
        m = inverse @ (np.ones(n) - X.sum(axis=1))
        return np.where(free, X + (m[:, None] + m) / 2, 0.0)

    return project


def _feasible(X: Floats, free: NDArray[np.bool_]) -> Floats:
    """A chain near X: clipped, rows scaled down to at most 1, the rest on the diagonal."""
    P = np.where(free, np.maximum((X + X.T) / 2, 0), 0.0)
    np.fill_diagonal(P, 0)
    rows = np.maximum(P.sum(axis=1), 1)
    P /= np.maximum(rows[:, None], rows)
    return P + np.diag(np.maximum(1 - P.sum(axis=1), 0))


def _bound(Y: Floats, free: NDArray[np.bool_]) -> float:
    """The largest 1^T z that ``Y``, made feasible, allows; 0 where it allows none."""
    n = len(Y)
    Y = (Y + Y.T) / 2
    Y = Y - Y.mean(axis=0) - Y.mean(axis=1)[:, None] + Y.mean()
    norm = np.abs(np.linalg.eigvalsh(Y)).sum()
    if norm == 0:
        return 0.0
    Y /= norm
    i, j = np.nonzero(np.triu(free))
    row = np.arange(len(i))
    table = coo_array((np.ones(2 * len(i)), (np.tile(row, 2), np.concatenate([i, j]))), (len(i), n))
    from scipy.optimize import linprog  # slow to import

    best = linprog(-np.ones(n), A_ub=table.tocsr(), b_ub=2 * Y[i, j], bounds=(None, None))
    if best.x is None:
        return 0.0
    # The solver's z may break a constraint by its tolerance; moving all of z down repairs it.
    broken = float(np.max(table @ best.x - 2 * Y[i, j], initial=0.0)) / 2
    return float(max(0.0, best.x.sum() - n * max(broken, 0.0)))
