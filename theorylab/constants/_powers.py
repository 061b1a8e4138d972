"""The powers of one matrix in balls: D_l = P^l - pi 1^T, and the weights w(t) = P^t 1.

w(t) = n pi + y(t), where y(t) = D_t 1 tends to 0.

P is exact (``_certified_matrix``), so that D_l keeps its digits however small it becomes, and
however far apart the entries of pi are. A float64 of a ball is its middle, rounded once.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from flint import arb, arb_mat, ctx, fmpz_mat
from numpy.typing import NDArray

from theorylab.constants._certified_matrix import ExactMatrix, above

Floats = NDArray[np.float64]

BITS = 320  # of the balls, and twice what the smallest entry of pi takes
SCALES = 4096  # bits at most
LIGHTEST = 1e-290  # of the entries of pi: float64 has what is divided by them, and C
WORK = 40_000_000  # multiplications of balls, some seconds
LAGS = 2000  # powers at most: small ones cost more than their multiplications


class UnresolvedError(ValueError):
    """The balls do not separate what they have to, within the bits that are allowed."""


class Powers:
    """P^0, P^1, ... as far as they were asked for.

    Attributes:
        D: float64 arrays (n, n), D[l] = P^l - pi 1^T.
        level: n pi, (n,).
        flat: every row of P sums to exactly 1, so that all weights are 1.
        zero: the first lag with P^l = pi 1^T exactly; None as long as there is none.
    """

    def __init__(self, P: ExactMatrix) -> None:
        n = P.clients
        self.exact, self.n, self.flat = P, n, P.doubly_stochastic()
        self.bits = BITS
        while True:
            with ctx.workprec(self.bits):
                self._P = arb_mat(P.numerators) / P.denominator
                pi = self._law()
                smallest = 0 if pi is None else min(float(v) for v in pi.entries())
            need = BITS - 2 * int(np.log2(smallest)) if smallest > 0 else 2 * self.bits
            if 0 < smallest < LIGHTEST:
                raise UnresolvedError(f"an entry of pi is {smallest:.3g}; need {LIGHTEST}")
            if smallest > 0 and need <= self.bits:
                break
            self.bits = need
            if self.bits > SCALES:
                raise UnresolvedError(f"pi is not found in balls of {SCALES} bits")
        assert pi is not None
        with ctx.workprec(self.bits):
            one = arb_mat(n, n, [int(i == j) for i in range(n) for j in range(n)])
            self._power = one - pi * arb_mat(1, n, [1] * n)
            self._level = pi * n
            self._drift = arb_mat(n, 1, [1] * n) - self._level
            self.level = _floats(self._level)[:, 0]
        self.D = [_floats(self._power)]
        self._y, self._w = [_floats(self._drift)[:, 0]], [np.ones(n)]
        self.zero: int | None = None
        self._multiplied = 0
        self._integers = fmpz_mat(n, n, [int(i == j) for i in range(n) for j in range(n)])

    def _law(self) -> Any:
        """pi, (n, 1) balls: 1^T (I - P) = 0, so that (I - P + 11^T/n) pi = 1/n says P pi = pi."""
        n = self.n
        share = arb(1) / n
        system = arb_mat(n, n, [share + int(i == j) for i in range(n) for j in range(n)]) - self._P
        try:
            return system.solve(arb_mat(n, 1, [share] * n))
        except ZeroDivisionError:
            return None

    @property
    def affordable(self) -> int:
        """The last lag that ``WORK`` allows."""
        return max(4, min(LAGS, WORK // self.n**3))

    def grow(self, last: int) -> None:
        """Make D up to lag ``last``, or up to the lag from which it is 0."""
        with ctx.workprec(self.bits):
            while len(self.D) <= last and self.zero is None:
                self._power = self._P * self._power
                self.D.append(_floats(self._power))
                if np.abs(self.D[-1]).max() < 2.0 ** -(self.bits // 2):
                    self._look_for_zero()

    def _look_for_zero(self) -> None:
        """Whether the columns of P^l are equal, in integers.

        They are by lag n - 1 or never: all other eigenvalues are then 0.
        """
        lag = len(self.D) - 1
        while self._multiplied < min(lag, self.n):
            self._integers = self.exact.numerators * self._integers
            self._multiplied += 1
        equal = all(len(set(row)) == 1 for row in self._integers.tolist())
        if self._multiplied == lag and equal:
            self.zero = lag
            self.D[-1] = np.zeros((self.n, self.n))

    def weights(self, rounds: int) -> tuple[Floats, Floats]:
        """y(t) and w(t), each (rounds, n)."""
        if self.flat:
            return np.zeros((rounds, self.n)), np.ones((rounds, self.n))
        with ctx.workprec(self.bits):
            while len(self._y) < rounds:
                self._drift = self._P * self._drift
                self._y.append(_floats(self._drift)[:, 0])
                self._w.append(_floats(self._drift + self._level)[:, 0])
        return np.array(self._y[:rounds]), np.array(self._w[:rounds])

    def radius(self) -> float:
        """At least the radius of every entry of every D and y so far.

        The radii of a product are at least P times those of its factor, and columns of P sum to 1:
        so the columns of radii have sums that never fall.
        """
        with ctx.workprec(64):
            sums = [
                sum((v.rad() for v in column), arb(0))
                for matrix in (self._power, self._drift)
                for column in matrix.transpose().tolist()
            ]
            return 2 * max(above(v) for v in sums)


def _floats(matrix: Any) -> Floats:
    shape = matrix.nrows(), matrix.ncols()
    return np.array([float(v) for v in matrix.entries()]).reshape(shape)
