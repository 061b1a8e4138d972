"""The norms of M(t, s) and of N(t, s) = M(t, s) diag(w(s)), one lag t - s after another.

``Stack`` holds M of many starts s at once, and its 2-norms are largest singular values. ``Sums`` is
for many clients: every norm is made of sums over |E|, E(t, s) = diag(w(t)) M(t, s), so M is never
formed, and so few columns are worked on together that they stay in a core's cache.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from theorylab.constants._weight_table import WeightTable
from theorylab.kernels import Mixing, push_mix
from theorylab.kernels._lag_sums import LagSums, first_lag, lag_sums
from theorylab.kernels._matrix_norms import largest_norms

Floats = NDArray[np.float64]

CACHED = 2**13  # entries of M and of E worked on together, 64 KB of each
FEW = 16  # rounds of a period whose matrices are checked once, and not at every lag
SMALL = 1e-100  # from here on entries are scaled before they are squared
LEAST = 1e-150  # of the largest entry: what is smaller counts as this, so that its square is there


@dataclass(frozen=True)
class Stack:
    """One lag of b starts: M and E (b, n, n), ``before`` the weights w(s) (b, n).

    2-norms up to ``known`` are not looked for, and none is where ``known`` is inf.
    """

    M: Floats
    E: Floats
    before: Floats

    def of_M(self, known: float) -> dict[str, float]:
        """The largest row norm and 2-norm of M."""
        return norms(self.M, known)

    def of_N(self, known: float) -> dict[str, float]:
        """The same of N."""
        return norms(self.M * self.before[:, None, :], known)

    def entry(self) -> float:
        """The largest |E_ij|."""
        return float(np.abs(self.E).max())

    def column(self) -> float:
        """The largest column sum of |E|."""
        return float(np.abs(self.E).sum(axis=1).max())

    def row(self) -> float:
        """The largest row sum of |E|."""
        return float(np.abs(self.E).sum(axis=2).max())


@dataclass(frozen=True)
class Sums:
    """One lag of one start, with the methods of ``Stack``: sums over |E| (n, n).

    ``before``: the weights w(s), (n,). ``down``: a power of 2, by which entries were multiplied
    before they were squared.
    """

    sums: LagSums
    before: Floats
    down: float = 1.0

    def of_M(self, known: float) -> dict[str, float]:
        """The largest row norm of M, and a bound on its 2-norm."""
        return self._norms(0, self.sums.columns[1], known)

    def of_N(self, known: float) -> dict[str, float]:
        """The same of N."""
        return self._norms(1, self.sums.columns[1] * self.before, known)

    def entry(self) -> float:
        """The largest |E_ij|."""
        return self.sums.top

    def column(self) -> float:
        """The largest column sum of |E|."""
        return float(self.sums.columns[0].max())

    def row(self) -> float:
        """The largest row sum of |E|."""
        return float(self.sums.rows[:, 0].max())

    def _norms(self, which: int, columns: Floats, known: float) -> dict[str, float]:
        sums = self.sums
        row = float((sums.rows[:, which] / sums.weights).max())
        if known == np.inf or sums.top == 0 or sums.squares is None:
            return {"row": row, "spectral": known}
        frobenius = np.sqrt((sums.squares[:, which] / sums.weights**2).sum()) / self.down
        bound = min(float(frobenius), float(np.sqrt(row) * np.sqrt(columns.max())))
        return {"row": row, "spectral": bound * (1 + 1e-12)}


def summed(
    P: list[Mixing], table: WeightTable, start: int, horizon: int | None, two_norm: bool
) -> Iterator[Sums]:
    """For lag 0, 1, ...: the sums of E(start + lag, start), inside the horizon."""
    before = table.table[table.rows(np.array([start]))][0]
    E = first_lag(before)
    sums = lag_sums(None, E, before, before, 1.0 if two_norm else None)
    down = 1.0
    for lag in itertools.count():
        yield Sums(sums, before, down)
        t = start + lag
        if horizon is not None and t >= horizon:
            return
        here = np.ascontiguousarray(table.table[table.rows(np.array([t]))][0])
        # 2^1023 lifts whatever float64 holds; what 2^1024 lifts is no number
        down = 2.0 ** min(-np.frexp(sums.top)[1], 1023) if 0 < sums.top < SMALL else 1.0
        sums = lag_sums(P[t % len(P)], E, here, before, down if two_norm else None)


def stacked(
    P: list[csr_array], table: WeightTable, starts: NDArray[np.int64], horizon: int | None
) -> Iterator[Stack]:
    """For lag 0, 1, ...: M(s + lag, s) and E(s + lag, s) of the starts s inside the horizon.

    One ``push_mix`` is one lag for every s: x = E, w = w(t), so x1 = E and z1 = M one round on.
    The arrays are overwritten by the next lag.
    """
    n = table.table.shape[1]
    before = table.table[table.rows(starts)]
    E, M = np.zeros((2, len(starts), n, n))
    M[:, np.arange(n), np.arange(n)] = 1 / before
    M -= 1 / n
    np.multiply(M, before[:, :, None], out=E)
    spare, there = np.empty_like(E), np.empty_like(before)
    period, mixings = len(P), dict[tuple[int, int], Mixing]()
    held = max(1, CACHED // n**2)
    for lag in itertools.count():
        yield Stack(M, E, before)
        m = len(starts)
        if horizon is not None:  # starts ascend: the first m stay
            m = int(np.count_nonzero(starts + lag < horizon))
        if not m:
            return
        t = starts[:m] + lag
        here = np.ascontiguousarray(table.table[table.rows(t)])
        starts, before, M, spare, there = starts[:m], before[:m], M[:m], spare[:m], there[:m]
        phase = m, lag % period
        mixing = mixings.get(phase) or Mixing(P[0] if period == 1 else [P[k] for k in t % period])
        if period <= FEW:
            mixings[phase] = mixing
        push_mix(mixing, E[:m], here, out=(spare, there, M))
        E, spare = spare, E[:m]
        mean = E.sum(axis=1) / n
        for k in range(0, m, held):
            part = slice(k, k + held)
            M[part] -= mean[part, None, :]
            E[part] -= there[part, :, None] * mean[part, None, :]


def lengths(a: Floats, axis: int) -> Floats:
    """2-norms along an axis of entries >= 0, whose squares float64 may lack; hardly too large."""
    scale = float(a.max()) or 1.0
    return np.asarray(scale * np.sqrt((np.maximum(a / scale, LEAST) ** 2).sum(axis=axis)))


def norms(M: Floats, known: float) -> dict[str, float]:
    """Largest row norm and 2-norm of M (b, n, n); 2-norms up to ``known`` are not looked for."""
    row, two = largest_norms(M, known)
    return {"row": row, "spectral": two}
