"""f_i(x) = max_k a_ik x + b_ik: convex, with kinks where two pieces meet.

There the subgradient taken is the slope of the first piece that attains the maximum. B is at most
max_ik |a_ik|, entry by entry.
"""
# mypy: disable-error-code=no-untyped-def

import functools

import numpy as np

from theorylab.problems._nonsmooth import Nonsmooth
from theorylab.problems.formula import Option, Options


class MaxAffine(Nonsmooth, name="max-affine"):
    """See the head of this module. f_star and x* are not known.

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

    @property
    def bottom(self):
        return None, None
