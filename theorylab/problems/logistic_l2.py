"""f_i(x) = mean_j log(1 + exp(-a_ij x)) + r |x|^2 / 2: logistic regression of few, given rows.

A row a_ij is a sample's features times its label, 1 or -1. ``logistic`` is for data sets. f is
strongly convex with mu = r; L is at most r + |A_i^T A_i| / (4 m).
"""
# mypy: disable-error-code=no-untyped-def

import numpy as np

from theorylab.problems.formula import FormulaProblem, Option, Options


class LogisticL2(FormulaProblem, name="logistic-l2"):
    """See the head of this module.

    Args:
        clients: n. dim: d, 1 unless the rows say otherwise. shared: d_u.
        rows: a, (n, m, d). reg: r > 0.

    >>> LogisticL2(1, rows=[[[2.0]]], reg=0.5).gradient(np.zeros((1, 1, 1))).tolist()
    [[[-1.0]]]
    """

    options = Options(
        rows=Option(1.0, each=True, shape="m d", moves=(-100.0, 100.0)),
        reg=Option(0.1, above=0, moves=(1e-4, 10.0)),
    )

    @staticmethod
    def client_loss(x, rows, reg):
        return np.logaddexp(0, -(rows @ x)).mean() + reg * (x @ x) / 2

    @staticmethod
    def client_gradient(x, rows, reg):
        away = (1 - np.tanh((rows @ x) / 2)) / 2  # 1 / (1 + exp(a x))
        return reg * x - (rows.T @ away) / len(rows)
