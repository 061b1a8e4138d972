"""f_i(x) = max_k a_ik x + b_ik: convex, with kinks where two pieces meet.

There the subgradient taken is the slope of the first piece that attains the maximum. B is at most
max_ik |a_ik|, entry by entry. f* is the value of a linear program. With l_ik >= 0, sum_k l_ik = 1
and sum_ik l_ik a_ik = 0 in fractions, sum_ik l_ik b_ik / n is at most f*; f at any x is not less.
"""
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

import functools
import math
from fractions import Fraction

import numpy as np

from theorylab.known import How, Known
from theorylab.problems._nonsmooth import Nonsmooth
from theorylab.problems.formula import Option, Options

_MOST = 400  # pieces of all clients: their fractions are solved for
_USED = 1e-9  # a smaller multiplier of the program is 0


class MaxAffine(Nonsmooth, name="max-affine"):
    """See the head of this module. x* is not known, for f may be flat at its minimum.

    Args:
        clients: n. dim: d, 1 unless the slopes say otherwise. shared: d_u.
        slopes: a, (n, k, d). offsets: b, (n, k). One number stands for all entries.

    >>> MaxAffine(1, slopes=[[[1.0], [-3.0]]], offsets=0.5).loss(np.full((1, 1, 1), -2.0)).tolist()
    [[6.5]]
    """

    options = Options(
        slopes=Option(1.0, each=True, shape="k d", moves=(-100.0, 100.0)),
        offsets=Option(0.0, each=True, shape="k", moves=(-100.0, 100.0)),
    )
    subgradient = "the slope of the first piece that attains the maximum"

    @staticmethod
    def client_loss(x, slopes, offsets):
        pieces = slopes @ x + offsets
        return functools.reduce(np.maximum, [pieces[k] for k in range(len(offsets))])

    @staticmethod
    def client_gradient(x, slopes, offsets):
        pieces = slopes @ x + offsets
        top, slope = pieces[0], slopes[0]
        for k in range(1, len(offsets)):
            slope = np.where(pieces[k] > top, slopes[k], slope)
            top = np.maximum(top, pieces[k])
        return slope + 0 * x

    @property
    def jumps(self):
        slopes = self.formula.data["slopes"]
        return bool((slopes != slopes[:, :1]).any())

    @functools.cached_property
    def bottom(self):
        """f*, where the program's solution is one in fractions, too; None also of an f that has no
        least value."""
        from scipy.optimize import linprog  # slow to import

        slopes, offsets = (self.formula.data[name] for name in ("slopes", "offsets"))
        a, b, n = slopes.reshape(-1, self.dim), offsets.ravel(), self.clients
        if len(b) > _MOST:
            return None, None
        rows = np.vstack([np.repeat(np.eye(n), len(b) // n, axis=1), a.T])
        right = np.append(np.ones(n), np.zeros(self.dim))
        found = linprog(-b, A_eq=rows, b_eq=right, method="highs-ds")
        used = np.flatnonzero(found.x > _USED) if found.status == 0 else np.zeros(0, int)
        l = _solved(rows[:, used], right) if len(used) else None  # noqa: E741
        if l is None or min(l) < 0:
            return None, None
        low = sum(share * Fraction(b[k]) for share, k in zip(l, used, strict=True)) / n
        tight = _solved(rows[:, used].T, -b[used])  # levels -s_i, then x
        places = [list(map(Fraction, found.eqlin.marginals[n:])), *([tight[n:]] if tight else [])]
        high = min(_value(slopes, offsets, x) for x in places)
        ends = _below(low), -_below(-high)
        source = "multipliers and a point of the linear program, in fractions"
        if ends[0] == ends[1]:
            return Known(ends[0], How.EXACT, source), None
        return Known(ends[0], How.CERTIFIED, source, lower=ends[0], upper=ends[1]), None


def _solved(rows, right):
    """One solution of rows y = right in fractions, 0 where it is free; None where there is none."""
    from flint import fmpq, fmpq_mat  # slow to import

    both = [[fmpq(*float(v).as_integer_ratio()) for v in (*row, r)]
            for row, r in zip(rows, right, strict=True)]  # fmt: skip
    reduced, rank = fmpq_mat(both).rref()
    y = [Fraction(0)] * rows.shape[1]
    for i in range(rank):
        k = next(k for k in range(len(y) + 1) if reduced[i, k] != 0)
        if k == len(y):
            return None
        y[k] = Fraction(int(reduced[i, len(y)].p), int(reduced[i, len(y)].q))
    return y


def _value(slopes, offsets, x):
    """f at x, in fractions."""
    pieces = [[sum(Fraction(v) * at for v, at in zip(row, x, strict=True)) + Fraction(b)
               for row, b in zip(*client, strict=True)]
              for client in zip(slopes, offsets, strict=True)]  # fmt: skip
    return sum(map(max, pieces)) / len(pieces)


def _below(number):
    """The largest float that is at most the fraction, or the one below it."""
    near = float(number)
    return near if Fraction(near) <= number else math.nextafter(near, -math.inf)
