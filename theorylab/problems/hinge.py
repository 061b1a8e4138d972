"""f_i(x) = mean_j max(0, 1 - a_ij x) + r |x|^2 / 2: the hinge loss, of a support vector machine.

A row a_ij is a sample's features times its label, 1 or -1. Where a margin a_ij x is 1 the
subgradient taken is that of the flat side. With r > 0 the dual, max of mean_ij u_ij -
|mean_ij u_ij a_ij|^2 / (2 r) over u in [0, 1], encloses f*, and x* as f is r-strongly convex.
"""
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

import functools

import numpy as np

from theorylab.known import EPS, How, Known
from theorylab.problems._minimum import NARROW, Minimum
from theorylab.problems._nonsmooth import Nonsmooth
from theorylab.problems.formula import Option, Options

_SWEEPS, _TURNS = 2_000, 200_000  # over all u; of one u each


class Hinge(Nonsmooth, name="hinge"):
    """See the head of this module.

    Args:
        clients: n. dim: d, 1 unless the rows say otherwise. shared: d_u.
        rows: a, (n, m, d). reg: r >= 0.

    >>> Hinge(1, rows=[[[2.0]]], reg=0.5).gradient(np.full((1, 1, 1), 0.25)).tolist()
    [[[-1.875]]]
    """

    options = Options(
        rows=Option(1.0, each=True, shape="m d", moves=(-100.0, 100.0)),
        reg=Option(0.1, at_least=0, moves=(0.0, 10.0)),
    )
    subgradient = "that of the flat side where a_ij x = 1"

    @staticmethod
    def client_loss(x, rows, reg):
        return np.maximum(0, 1 - rows @ x).mean() + reg * (x @ x) / 2

    @staticmethod
    def client_gradient(x, rows, reg):
        return reg * x - (rows.T @ np.where(rows @ x < 1, 1.0, 0.0)) / len(rows)

    @property
    def jumps(self):
        return bool(self.formula.data["rows"].any())

    @property
    def convexity(self):
        return float(self.formula.data["reg"])

    @functools.cached_property
    def bottom(self):
        A, r = self.formula.data["rows"].reshape(-1, self.dim), self.convexity
        if r == 0:
            return Known(0.0, How.LOWER, "a mean of numbers >= 0"), None
        N, sizes = len(A), (A * A).sum(1)
        u, x = np.zeros(N), np.zeros(self.dim)
        best = _gap(A, u, x, r)
        for _ in range(min(_SWEEPS, _TURNS // N)):
            for k in np.flatnonzero(sizes):
                moved = min(max(u[k] + (1 - A[k] @ x) * N * r / sizes[k], 0.0), 1.0)
                x, u[k] = x + (moved - u[k]) / (N * r) * A[k], moved
            x = A.T @ u / (N * r)  # without the rounding of the steps
            best = min(best, _gap(A, u, x, r), key=lambda each: each[0])
            if best[0] <= 4 * best[3]:
                break
        gap, star, x, _ = best
        off = float(np.sqrt(2 * gap / r)) * (1 + 4 * EPS)
        found = Minimum(x, off, "sqrt(2 gap / r), by the gap to the dual of an r-strongly convex f")
        return star, found if off <= NARROW * (1 + np.abs(x).max(initial=0)) else None


def _gap(A, u, x, r):
    """(f(x) - the dual at u, f* enclosed, x, the rounding in both), for x = A^T u / (N r)."""
    room = (sum(A.shape) + 16) * EPS * (1 + (np.abs(A) @ np.abs(x)).mean() + r * (x @ x))
    high = float(np.maximum(0, 1 - A @ x).mean() + r * (x @ x) / 2 + room)
    low = float(u.mean() - r * (x @ x) / 2 - room)
    star = Known(low, How.CERTIFIED, "f and its dual near the minimum", lower=low, upper=high)
    return high - low, star, x, room
