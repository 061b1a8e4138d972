"""f_i(x) = m_i |x - c_i|^2 / 2 + sum_k s_ik max(a_ik x - t_ik, 0)^2 / 2: strongly convex pieces.

The curvature jumps by s_ik a_ik a_ik^T where a_ik x = t_ik; the gradient is continuous. mu is at
least the mean of m_i, and L at most max_i of m_i + |sum_k s_ik a_ik a_ik^T|.
"""
# mypy: disable-error-code=no-untyped-def

import numpy as np

from theorylab.problems.formula import FormulaProblem, Option, Options


class PiecewiseQuadratic(FormulaProblem, name="piecewise-quadratic"):
    """See the head of this module.

    Args:
        clients: n. dim: d, 1 unless arrays say otherwise. shared: d_u.
        centers: c, (n, d). least: m > 0, (n,). normals: a, (n, k, d). kinks: t, (n, k).
        jumps: s >= 0, (n, k). One number stands for all entries.

    >>> PiecewiseQuadratic(1, kinks=1.0, jumps=9.0).gradient(np.full((1, 1, 1), 2.0)).tolist()
    [[[11.0]]]
    """

    options = Options(
        centers=Option(0.0, each=True, shape="d", moves=(-100.0, 100.0), length=True),
        least=Option(1.0, each=True, above=0, moves=(1e-3, 10.0), curvature=True),
        normals=Option(1.0, each=True, shape="k d", moves=(-1.0, 1.0)),
        kinks=Option(0.0, each=True, shape="k", moves=(-10.0, 10.0), length=True),
        jumps=Option(1.0, each=True, shape="k", at_least=0, moves=(0.0, 1e3), curvature=True),
    )

    @staticmethod
    def client_loss(x, centers, least, normals, kinks, jumps):
        over = np.maximum(normals @ x - kinks, 0)
        return least * ((x - centers) ** 2).sum() / 2 + (jumps * over**2).sum() / 2

    @staticmethod
    def client_gradient(x, centers, least, normals, kinks, jumps):
        return least * (x - centers) + normals.T @ (jumps * np.maximum(normals @ x - kinks, 0))
