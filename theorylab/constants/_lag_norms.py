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
from theorylab.kernels._matrix_norms import largest_norms

Floats = NDArray[np.float64]

CACHED = 2**13  # entries of M and of E worked on together, 64 KB of each
COLUMNS = 2**16  # entries of E worked on together in ``Sums``: 512 KB, and as much of |E|
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


class Sums:
    """One lag of one start, with the methods of ``Stack``: sums over |E| (n, n).

    Args:
        here, before: the weights w(t) and w(s), (n,) each.
        scale: what entries are divided by before they are squared.
    """

    def __init__(self, here: Floats, before: Floats, scale: float) -> None:
        self._here, self._before, self._scale = here, before, scale
        n = len(here)
        self.top = 0.0
        self._rows, self._squares = np.zeros((n, 2)), np.zeros((n, 2))  # of E, of E diag(before)
        self._columns = np.zeros((2, n))  # of E, of M

    def add(self, E: Floats, low: int, two_norm: bool, spare: Floats) -> None:
        """Columns ``low``, low + 1, ... of E, (n, c); ``spare``, as large, is overwritten."""
        n, c = E.shape
        part = slice(low, low + c)
        absolute = np.abs(E, out=spare)
        self.top = max(self.top, float(absolute.max()))
        weights = np.stack([np.ones(c), self._before[part]], axis=1)
        self._rows += absolute @ weights
        self._columns[:, part] = np.stack([np.ones(n), 1 / self._here]) @ absolute
        if two_norm:
            if self._scale != 1:
                absolute /= self._scale
            absolute *= absolute
            self._squares += absolute @ (weights * weights)

    def of_M(self, known: float) -> dict[str, float]:
        """The largest row norm of M, and a bound on its 2-norm."""
        return self._norms(0, self._columns[1], known)

    def of_N(self, known: float) -> dict[str, float]:
        """The same of N."""
        return self._norms(1, self._columns[1] * self._before, known)

    def entry(self) -> float:
        """The largest |E_ij|."""
        return self.top

    def column(self) -> float:
        """The largest column sum of |E|."""
        return float(self._columns[0].max())

    def row(self) -> float:
        """The largest row sum of |E|."""
        return float(self._rows[:, 0].max())

    def _norms(self, which: int, columns: Floats, known: float) -> dict[str, float]:
        row = float((self._rows[:, which] / self._here).max())
        if known == np.inf or self.top == 0:
            return {"row": row, "spectral": known}
        frobenius = self._scale * np.sqrt((self._squares[:, which] / self._here**2).sum())
        bound = min(float(frobenius), float(np.sqrt(row) * np.sqrt(columns.max())))
        return {"row": row, "spectral": bound * (1 + 1e-12)}


def summed(
    P: list[Mixing], table: WeightTable, start: int, horizon: int | None, two_norm: bool
) -> Iterator[Sums]:
    """For lag 0, 1, ...: the sums of E(start + lag, start), inside the horizon.

    One ``push_mix`` is one lag of a few columns, and BLAS takes their w-average out in place.
    """
    from scipy.linalg.blas import dger

    before = table.table[table.rows(np.array([start]))][0]
    n = len(before)
    width = min(n, max(16, COLUMNS // n))
    lows = range(0, n, width)
    buffers = np.empty((len(lows) + 2, n * width))
    held = list(buffers)
    spare, unused = held.pop(), held.pop()
    found, there, ones = Sums(before, before, 1.0), np.empty(n), np.ones(n)
    for k, low in enumerate(lows):
        E = _columns(held[k], low, n, width)
        E[:] = before[:, None] / -n
        E[np.arange(low, low + E.shape[1]), np.arange(E.shape[1])] += 1
        found.add(E, low, two_norm, _columns(unused, low, n, width))
    for lag in itertools.count():
        yield found
        t = start + lag
        if horizon is not None and t >= horizon:
            return
        here = np.ascontiguousarray(table.table[table.rows(np.array([t]))][0])
        scale = found.top if 0 < found.top < SMALL else 1.0
        for k, low in enumerate(lows):
            E, x, z = (_columns(part, low, n, width) for part in (held[k], spare, unused))
            push_mix(P[t % len(P)], E, here, out=(x, there, z))
            held[k], spare = spare, held[k]
            dger(-1 / n, ones @ x, there, a=x.T, overwrite_a=1)
            if k == 0:
                found = Sums(there.copy(), before, scale)
            found.add(x, low, two_norm, z)


def _columns(buffer: Floats, low: int, n: int, width: int) -> Floats:
    """Room for the columns from ``low`` on, (n, width) but for the last ones."""
    c = min(width, n - low)
    return buffer[: n * c].reshape(n, c)


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
