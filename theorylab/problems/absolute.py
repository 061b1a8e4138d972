"""f_i(x) = w_i |x - c_i|_1: convex, with a kink at each center, where the subgradient taken is 0.

B = max_i w_i sqrt(d). A weighted median of the centers, coordinate by coordinate, is a minimiser.
"""
# mypy: disable-error-code=no-untyped-def

import functools
from fractions import Fraction

import numpy as np

from theorylab.known import EPS, How, Known
from theorylab.problems._minimum import Minimum
from theorylab.problems._nonsmooth import Nonsmooth
from theorylab.problems.formula import Option, Options


class Absolute(Nonsmooth, name="absolute"):
    """See the head of this module.

    Args:
        clients: n. dim: d, 1 unless the centers say otherwise. shared: d_u.
        centers: c, (n, d). weight: w > 0, (n,). One number stands for all entries.

    >>> Absolute(3, centers=[[0.0], [1.0], [5.0]]).gradient(np.ones((1, 3, 1)))[0, :, 0].tolist()
    [1.0, 0.0, -1.0]
    """

    options = Options(
        centers=Option(0.0, each=True, shape="d", moves=(-100.0, 100.0), length=True),
        weight=Option(1.0, each=True, above=0, moves=(1e-3, 1e3)),
    )
    subgradient = "0 where x_j = c_ij"
    jumps = True

    @staticmethod
    def client_loss(x, centers, weight):
        return weight * np.abs(x - centers).sum()

    @staticmethod
    def client_gradient(x, centers, weight):
        return weight * (np.where(x > centers, 1.0, 0.0) - np.where(x < centers, 1.0, 0.0))

    @functools.cached_property
    def bottom(self):
        """At the weighted medians, found with fractions; x* where each of them is one number."""
        c, w = self.formula.data["centers"], list(map(Fraction, self.formula.data["weight"]))
        best, alone = [], True
        for column in c.T:
            order, passed = np.argsort(column, kind="stable"), Fraction(0)
            for k in order:
                passed += w[k]
                if 2 * passed >= sum(w):
                    break
            best.append(column[k])
            alone &= 2 * passed > sum(w) or all(column[order] <= column[k])
        x = np.array(best)
        value, few = float(self.mean_loss(x[None])[0]), (self.clients + self.dim + 8) * EPS
        source = "at the weighted medians of the centers"
        low, high = value * (1 - few), value * (1 + few)
        star = Known(low, How.CERTIFIED, source, lower=low, upper=high)
        return star, Minimum(x, 0.0, source) if alone else None
