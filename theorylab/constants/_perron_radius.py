"""The spectral radius of the classes that mass leaves, enclosed.

P is block triangular in the order of its strongly connected classes, so its eigenvalues are those
of the diagonal blocks. The block T of a class that mass leaves is nonnegative and irreducible: its
radius is its largest eigenvalue and min_i (T x)_i / x_i <= rho <= max_i (T x)_i / x_i for every
x > 0 (Collatz, Wielandt). So any x proves an enclosure, and no block is too far from normal.
x is kept as a logarithm, since its entries may span more than float64 does.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.linalg import ArpackError

from theorylab.arpack import eigs
from theorylab.constants._modulus import Modulus, enclosed, exactly
from theorylab.constants._reversible import balance
from theorylab.known import EPS

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

TOGETHER = 60  # power steps for all classes at once
ALONE = 400  # for one class that is too large to be solved
SOLVES = 40  # Noda's iteration converges quadratically
NARROW = 256 * EPS  # relative: a class this narrow is not worth more work


def transient_radius(P: csr_array, label: Ints, closed: int, dense: int) -> Modulus | None:
    """The largest |eigenvalue| of all classes but ``closed``; None if there is no other class.

    Args:
        label: class of each client, shape (n,).
        dense: up to this many clients a class is solved by LAPACK.
    """
    size = np.bincount(label)
    alone = (size[label] == 1) & (label != closed)
    best = None
    if alone.any():
        share = float(P.diagonal()[alone].max())
        best = exactly(share, f"what one client keeps: {int(alone.sum())} classes of one client")
    many = np.flatnonzero((size[label] > 1) & (label != closed))
    if not len(many):
        return best
    clients = many[np.argsort(label[many], kind="stable")]
    low, high = _largest(_Classes(P, label, clients), dense)
    name = "Perron root of a class that mass leaves, min and max of (T x)_i / x_i"
    found = enclosed(low, high, name)
    if best is None or best.value <= found.low:
        return found
    return best if best.value >= found.high else enclosed(best.value, found.high, name)


class _Classes:
    """The blocks of some classes on one diagonal, clients of a class side by side."""

    def __init__(self, P: csr_array, label: Ints, clients: Ints) -> None:
        place = np.full(P.shape[0], -1)
        place[clients] = np.arange(len(clients))
        row = np.repeat(np.arange(P.shape[0]), np.diff(P.indptr))
        kept = (place[row] >= 0) & (label[row] == label[P.indices])
        self.row, self.column = place[row[kept]], place[P.indices[kept]]
        self.data, self.clients = P.data[kept], len(clients)
        self.starts = np.flatnonzero(np.diff(label[clients], prepend=-1))
        self.log_x = np.zeros(len(clients))

    def block(self, start: int, stop: int) -> _Classes:
        """One of the classes by itself."""
        kept = (self.row >= start) & (self.row < stop)
        one = object.__new__(_Classes)
        one.row, one.column = self.row[kept] - start, self.column[kept] - start
        one.data, one.clients = self.data[kept], stop - start
        one.starts, one.log_x = np.zeros(1, np.int64), self.log_x[start:stop].copy()
        return one

    def scaled(self) -> Floats:
        """Entries of D^-1 T D, D = diag(x): its row sums are (T x)_i / x_i."""
        return np.asarray(self.data * np.exp(self.log_x[self.column] - self.log_x[self.row]))

    def ends(self) -> tuple[Floats, Floats, Floats]:
        """Lower and upper end for every class, and the row sums themselves."""
        entries = self.scaled()
        # Each term is off by its exponential's argument, and the sum by its number of terms.
        off = np.abs(self.log_x[self.column] - self.log_x[self.row]) + 4
        sums, room = (
            np.asarray(np.bincount(self.row, terms, self.clients), np.float64)
            for terms in (entries, entries * off)
        )
        room = 2 * EPS * (room + sums * np.bincount(self.row, minlength=self.clients))
        low = np.minimum.reduceat(sums - room, self.starts)
        return low, np.maximum.reduceat(sums + room, self.starts), sums


def _largest(classes: _Classes, dense: int) -> tuple[float, float]:
    stops = np.append(classes.starts[1:], classes.clients)
    low, high = np.zeros(len(stops)), np.full(len(stops), np.inf)
    _power(classes, low, high, TOGETHER)
    refined = np.zeros(len(stops), bool)
    while True:
        top = int(np.argmax(high))
        if refined[top] or high[top] <= low.max() * (1 + NARROW):
            return float(low.max()), float(high[top])
        part = slice(top, top + 1)
        one = classes.block(int(classes.starts[top]), int(stops[top]))
        _start(one, dense)
        if one.clients <= dense:
            _noda(one, low[part], high[part])
        else:
            _power(one, low[part], high[part], ALONE)
        refined[top] = True


def _power(classes: _Classes, low: Floats, high: Floats, steps: int) -> None:
    """x <- (T + high I) x, the shift makes it converge for a block of any period."""
    length = np.diff(np.append(classes.starts, classes.clients))
    for _ in range(steps):
        below, above, sums = classes.ends()
        np.maximum(low, below, out=low)
        np.minimum(high, above, out=high)
        if np.all(above - below <= NARROW * above):
            return
        classes.log_x += np.log(sums + np.repeat(above, length))


def _noda(one: _Classes, low: Floats, high: Floats) -> None:
    """Inverse iteration with the upper end as shift (Noda 1971): the shift falls to the radius.

    D^-1 T D has row sums of at most the shift, so the system is a diagonally dominant M-matrix.
    """
    shift, identity = np.inf, np.eye(one.clients)
    for _ in range(SOLVES):
        below, above, _ = one.ends()
        np.maximum(low, below, out=low)
        np.minimum(high, above, out=high)
        if not above[0] < shift or above[0] - below[0] <= NARROW * above[0]:
            return
        shift = float(above[0])
        T = np.zeros((one.clients, one.clients))
        T[one.row, one.column] = one.scaled()
        try:
            y = np.linalg.solve(shift * identity - T, np.ones(one.clients))
        except np.linalg.LinAlgError:
            return
        if not (np.isfinite(y).all() and y.min() > 0):
            return
        one.log_x += np.log(y / y.max())


def _start(one: _Classes, dense: int) -> None:
    """A guess at log x where there is a better one; any guess is as sound as another."""
    T = csr_array((one.data, (one.row, one.column)), (one.clients, one.clients))
    reversible = balance(T)
    if reversible is not None:  # sqrt(pi) times the Perron vector of a symmetric matrix
        T, one.log_x = reversible[0], reversible[1] / 2
    if one.clients <= dense:
        return
    try:
        _, x = eigs(T, k=1, which="LR", v0=np.ones(one.clients), ncv=24, maxiter=100)
    except ArpackError:
        return
    guess = np.log(np.maximum(np.abs(x[:, 0]), EPS**2))
    one.log_x = guess if reversible is None else guess + one.log_x
