r"""A primal-dual interior point method for the programs of worst cases, in NumPy.

    maximise <M, G> + c f   with <A_k, G> + E_k f + z_k = b_k,  z >= 0,  G positive semidefinite,
    minimise b y            with S = sum y_k A_k - M positive semidefinite,  E^T y = c,  y >= 0.

Of an equality z_k is 0, and y_k has any sign.

The direction is that of Helmberg, Kojima and Monteiro with Mehrotra's corrector. Every A_k is a sum
of a few products p q^T, so its Schur complement costs m^2 d + m^3 (not d^6): entry (k, l) is
<A_k, G A_l S^{-1}>, made of p^T G q and p^T S^{-1} q alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from theorylab.worst.program import Block

Floats = NDArray[np.float64]

ITERATIONS = 80
GAP = 1e-10  # relative; below it rounding moves the iterates
BEGIN = 10.0  # of the first iterates: larger than the solution, as a rule
STALLED, FAR = 3, 1e12  # iterates without progress; a value that has no bound


class NotSolvedError(ArithmeticError):
    """The method stopped before the gap was small; the line says where."""


@dataclass(frozen=True)
class Solution:
    """primal <= worst case <= dual up to ``residual``; y (m,), f (values,), G and S (W, d, d)."""

    primal: float
    dual: float
    residual: float
    y: Floats
    G: NDArray[Any]
    f: Floats
    S: NDArray[Any]

    @property
    def gap(self) -> float:
        """The relative distance of the two values."""
        return abs(self.dual - self.primal) / max(1e-12, abs(self.dual))


def solve(block: Block, M: Any, level: Floats, *, gap: float = GAP) -> Solution:
    """Solve the program of ``block`` with the metric <M, G> + level f; M (W, d, d).

    G, f and the values are solved for in a unit of theirs, a power of 4 near the largest b, so that
    the first iterates are as large as the solution. y and S do not depend on it.

    Raises NotSolvedError where the iterates leave every bound, or the gap stays above 1e-4.
    """
    exponent = np.frexp(np.abs(block.b).max(initial=0))[1]
    unit = 4.0 ** ((int(exponent) - 1) // 2)
    made = _solved(replace(block, b=block.b / unit), M, level, gap)
    primal, dual = unit * made.primal, unit * made.dual
    return replace(made, primal=primal, dual=dual, G=unit * made.G, f=unit * made.f)


def _solved(block: Block, M: Any, level: Floats, gap: float) -> Solution:
    W, d = M.shape[:2]
    free, E, b = len(level), block.E, block.b
    signed = ~block.equal
    size = W * d + int(signed.sum())
    G = BEGIN * np.broadcast_to(np.eye(d, dtype=M.dtype), M.shape)
    S = 1 * G
    y, z, f = np.where(signed, BEGIN, 0.0), np.where(signed, BEGIN, 0.0), np.zeros(free)
    best: Solution | None = None
    best_error, stalled = np.inf, 0
    for _ in range(ITERATIONS):
        rd, re = M - block.adjoint(y) + S, level - E.T @ y
        rp = b - block.forms(G) - E @ f - z
        mu = (_inner(G, S) + float(y @ z)) / size
        primal, dual = _inner(M, G) + float(level @ f), float(b @ y)
        residual = max(float(np.abs(r).max(initial=0)) for r in (rd, re, rp))
        now = Solution(primal, dual, residual, y, G, f, S)
        error = max(max(abs(dual - primal), mu * size) / (1 + abs(dual)), residual)
        stalled = stalled + 1 if error > 0.9 * best_error else 0
        if best is None or error < best_error:
            best, best_error = now, error
        if error < gap:
            return now
        if (stalled > STALLED and best_error < 1e-5) or not np.isfinite(error) or abs(dual) > FAR:
            break
        try:
            step = _Step(block, G, S, y, z, rd, re, rp)
            dG, dS, dy, dz, df = step.direction(0.0, None)
            a, c = _reach(G, dG, z, dz), _reach(S, dS, y[signed], dy[signed])
            after = _inner(G + a * dG, S + c * dS) + float((z + a * dz) @ (y + c * dy))
            power = max(1.0, 3 * min(1.0, a, c) ** 2)  # a short step says little of the next
            sigma = min(1.0, max(1e-6, (max(0.0, after) / size / mu) ** power))
            dG, dS, dy, dz, df = step.direction(sigma * mu, (dG, dS, dy, dz))
            a, c = _reach(G, dG, z, dz), _reach(S, dS, y[signed], dy[signed])
        except (LinAlgError, ValueError):  # rounding: the last good iterate is what there is
            break
        if max(a, c) < 1e-6:
            break
        near = 0.9 + 0.09 * min(1.0, a, c)  # of the way to the boundary
        a, c = min(1.0, near * a), min(1.0, near * c)
        G, z, f = G + a * dG, z + a * dz, f + a * df
        S, y = S + c * dS, y + c * dy
    assert best is not None
    if best_error > 1e-4:
        raise NotSolvedError(f"the solver stopped with a gap of {best.gap:.1e}")
    return best


class _Step:
    """The linear system of one iterate, factored once for both directions."""

    def __init__(
        self, block: Block, G: Any, S: Any, y: Floats, z: Floats, rd: Any, re: Floats, rp: Floats
    ) -> None:
        self.block, self.G, self.z = block, G, z
        self.below = np.divide(1.0, y, out=np.zeros_like(y), where=~block.equal)  # 1 / y
        self.rd, self.re, self.rp = rd, re, rp
        half = np.linalg.inv(np.linalg.cholesky(S))
        self.inverse = np.swapaxes(half.conj(), 1, 2) @ half
        H = _schur(block, G, self.inverse)
        H[np.diag_indices_from(H)] += z * self.below
        self.K = _factor(H)
        self.KE = cho_solve(self.K, block.E)
        self.F = _factor(block.E.T @ self.KE)

    def direction(
        self, target: float, before: tuple[Any, Any, Floats, Floats] | None
    ) -> tuple[Any, Any, Floats, Floats, Floats]:
        block, G, inverse, z, below = self.block, self.G, self.inverse, self.z, self.below
        X = target * inverse - G + _sym(G @ self.rd @ inverse)
        slack = target * below - z
        if before is not None:
            dG, dS, dy, dz = before
            X = X - _sym(dG @ dS @ inverse)
            slack = slack - dy * dz * below
        dy, df = self._solved(block.forms(X) + slack - self.rp, self.re)
        for last in (False, False, True):  # again for what rounding has left of both equations
            A = block.adjoint(dy)
            dz, dG = slack - z * below * dy, X - _sym(G @ A @ inverse)
            if last:
                return dG, A - self.rd, dy, dz, df
            left = block.forms(dG) + block.E @ df + dz - self.rp
            more, free = self._solved(left, self.re - block.E.T @ dy)
            dy, df = dy + more, df + free
        raise AssertionError

    def _solved(self, r: Floats, re: Floats) -> tuple[Floats, Floats]:
        """(dy, df) with K dy - E df = r, E^T dy = re."""
        Kr = cho_solve(self.K, r)
        df = cho_solve(self.F, re - self.block.E.T @ Kr) if len(re) else re
        return Kr + self.KE @ df, df


def _inner(X: Any, Y: Any) -> float:
    return float((X * Y.conj()).sum().real)


def _sym(X: Any) -> Any:
    return (X + np.swapaxes(X.conj(), -1, -2)) / 2


def _factor(K: Floats) -> tuple[Floats, bool]:
    """A Cholesky factor; where rounding breaks it, of K with a little more on its diagonal."""
    if not len(K):
        return K, True
    for share in (0.0, 1e-15, 1e-13, 1e-11):
        try:
            lifted = K + np.diag(share * np.diag(K)) if share else K
            factor, lower = cho_factor(lifted, lower=True)
            return factor, bool(lower)
        except LinAlgError:
            continue
    raise LinAlgError("the Schur complement is not positive definite")


def _schur(block: Block, G: Any, inverse: Any) -> Floats:
    """<A_k, G A_l S^{-1}> of all k and l, (m, m).

    Of two terms p q^T it is the sum of four products of p^T G p' and q^T S^{-1} q'; of squares,
    where p is q, these are one.
    """
    m, square = len(block.b), block.p == block.q
    p, q, con, coef = (a[~square] for a in (block.p, block.q, block.con, block.coef))
    r, own, weight = (a[square] for a in (block.p, block.con, block.coef))
    mixed = np.zeros((len(p), len(p)))
    cross, squares = np.zeros((len(p), len(r))), np.zeros((len(r), len(r)))
    for V, here, there in zip(block.vectors, G, inverse, strict=True):
        g, s = V @ here @ V.conj().T, (V @ there @ V.conj().T).conj()
        gp, gq, sp, sq = g[p], g[q], s[p], s[q]
        mixed += (gp[:, q] * sq[:, p]).real
        mixed += (gp[:, p] * sq[:, q]).real
        mixed += (gq[:, q] * sp[:, p]).real
        mixed += (gq[:, p] * sp[:, q]).real
        cross += (gp[:, r] * sq[:, r]).real
        cross += (gq[:, r] * sp[:, r]).real
        squares += (g[np.ix_(r, r)] * s[np.ix_(r, r)]).real
    mixed *= np.outer(coef / 4, coef)
    cross *= np.outer(coef / 2, weight)
    squares *= np.outer(weight, weight)
    across = _summed(cross, con, own, m)
    made = _summed(mixed, con, con, m) + across + across.T + _summed(squares, own, own, m)
    return np.asarray(_sym(made))


def _summed(H: Floats, rows: Any, columns: Any, m: int) -> Floats:
    """Entries of terms added up to those of their inequalities, (m, m); both lists rise."""
    made = np.zeros((m, m))
    if H.size:
        a = np.flatnonzero(np.diff(rows, prepend=-1))
        b = np.flatnonzero(np.diff(columns, prepend=-1))
        H = H if len(a) == len(rows) else np.add.reduceat(H, a, axis=0)
        H = H if len(b) == len(columns) else np.add.reduceat(H, b, axis=1)
        made[np.ix_(rows[a], columns[b])] = H
    return made


def _reach(X: Any, dX: Any, z: Floats, dz: Floats) -> float:
    """How far (X, z) can go along (dX, dz) and stay positive, at most 1e3."""
    most = 1e3
    down = dz < 0
    if down.any():
        most = min(most, float((-z[down] / dz[down]).min()))
    if X.shape[-1]:
        half = np.linalg.inv(np.linalg.cholesky(X))
        least = float(np.linalg.eigvalsh(_sym(half @ dX @ np.swapaxes(half.conj(), 1, 2))).min())
        if least < 0:
            most = min(most, -1 / least)
    return most
