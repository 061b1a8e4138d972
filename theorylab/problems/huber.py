"""f_i(x) = w_i sum_j h(x_j - c_ij) with Huber's h: y^2/2 up to the width b_i, and linear beyond.

clipped-linear is the same with one width and one weight for all clients, and has a kernel. L =
max_i w_i and B = max_i w_i b_i sqrt(d).
"""
# mypy: disable-error-code=no-untyped-def

import numpy as np

from theorylab.problems.formula import FormulaProblem, Option, Options


class Huber(FormulaProblem, name="huber"):
    """See the head of this module.

    Args:
        clients: n. dim: d, 1 unless the centers say otherwise. shared: d_u.
        centers: (n, d). width: b, (n,). weight: w, (n,). One number stands for all entries.

    >>> Huber(2, centers=[[0.0], [9.0]]).gradient(np.full((1, 2, 1), 0.5))[0, :, 0].tolist()
    [0.5, -1.0]
    """

    options = Options(
        centers=Option(0.0, each=True, shape="d", moves=(-100.0, 100.0), length=True),
        width=Option(1.0, each=True, above=0, moves=(1e-3, 1e3), length=True),
        weight=Option(1.0, each=True, above=0, moves=(1e-3, 1e3), curvature=True),
    )

    @staticmethod
    def client_loss(x, centers, width, weight):
        inner = np.clip(x - centers, -width, width)
        return weight * (inner * (x - centers - inner / 2)).sum()

    @staticmethod
    def client_gradient(x, centers, width, weight):
        return weight * np.clip(x - centers, -width, width)
