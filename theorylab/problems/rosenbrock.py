"""f_i(x) = w (x_2 - x_1^2)^2 / 2 + (x_1 - a_i)^2 / 2: a curved valley, not convex.

No L holds on all of R^2: the curvature in x_1 grows as 6 w x_1^2; ``curvature(low, high)`` bounds
it over a box. grad f_i - grad f is mean a - a_i in x_1, so sigma_g = max_i |a_i - mean a|. The
one minimiser is (mean a, (mean a)^2), where both squares of f are least.
"""
# mypy: disable-error-code=no-untyped-def

import functools

import numpy as np

from theorylab.known import EPS, How, Known
from theorylab.problems._minimum import Minimum
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

    @functools.cached_property
    def bottom(self):
        """f* = mean (mean a - a_i)^2 / 2, where mean a and each gap are known to ``off``."""
        targets, few = self.formula.data["targets"], (self.clients + 8) * EPS
        same = (targets == targets[0]).all()
        off = 0.0 if same else few * np.abs(targets).max()
        a = targets[0] if same else targets.mean()
        gaps = np.abs(targets - a)
        low = float((np.maximum(gaps - off, 0) ** 2).mean() / 2 * (1 - few))
        high = float(((gaps + off) ** 2).mean() / 2 * (1 + few))
        source = "mean (mean a - a_i)^2 / 2, at (mean a, (mean a)^2)"
        star = Known(low, How.CERTIFIED, source, lower=low, upper=high)
        ball = off + 2 * np.abs(a) * off + off**2 + EPS * a**2
        return star, Minimum(np.array([a, a**2]), float(ball) * (1 + few), source)
