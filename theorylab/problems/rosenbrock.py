"""f_i(x) = w (x_2 - x_1^2)^2 / 2 + (x_1 - a_i)^2 / 2: a curved valley, not convex.

No L holds on all of R^2: the curvature in x_1 grows as 6 w x_1^2; ``curvature(low, high)`` bounds
it over a box. grad f_i - grad f is mean a - a_i in x_1, so sigma_g = max_i |a_i - mean a|.
"""
# mypy: disable-error-code=no-untyped-def

import numpy as np

from theorylab.problems.formula import FormulaProblem, Option, Options


class Rosenbrock(FormulaProblem, name="rosenbrock"):
    """See the head of this module.

    Args:
        clients: n. shared: d_u. targets: a, (n,), or one number. steepness: w > 0.

    >>> Rosenbrock(1).gradient(np.zeros((1, 1, 2))).tolist()
    [[[-1.0, 0.0]]]
    """

    fixed_dim = 2
    options = Options(
        targets=Option(1.0, each=True, moves=(-10.0, 10.0)),
        steepness=Option(1.0, above=0, moves=(1e-2, 1e3)),
    )

    @staticmethod
    def client_loss(x, targets, steepness):
        return steepness * (x[1] - x[0] ** 2) ** 2 / 2 + (x[0] - targets) ** 2 / 2

    @staticmethod
    def client_gradient(x, targets, steepness):
        off = steepness * (x[1] - x[0] ** 2)
        return np.stack([x[0] - targets - 2 * off * x[0], off])
