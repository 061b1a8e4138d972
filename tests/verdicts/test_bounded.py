"""The minimum between two numbers is scipy's, step by step."""

import math

import pytest
from scipy.optimize import minimize_scalar

from theorylab.verdicts._bounded import minimum_between

FUNCTIONS = [
    lambda x: (x - 1) ** 2,
    lambda x: abs(x - 0.3),
    lambda x: x,
    lambda x: -x,
    lambda x: 1.0,
    lambda x: math.exp(x) - 2 * x,
    lambda x: math.cos(3 * x) + 0.1 * x,
    lambda x: max(-2 * x, x**3, 0.4 - x),
    lambda x: math.floor(4 * x),
]
ENDS = [(-1.0, 3.0), (0.0, 0.7), (-8.25, -0.001), (1e-9, 40.0), (-1e-3, 1e-3)]


class Seen:
    """A function that keeps the points that it was asked for."""

    def __init__(self, f):
        self.f, self.points = f, []

    def __call__(self, x):
        self.points.append(float(x))
        return self.f(x)


@pytest.mark.parametrize("within", [1e-1, 1e-4, 1e-12])
@pytest.mark.parametrize("ends", ENDS)
def test_every_point_that_is_looked_at_is_that_of_scipy(ends, within):
    for f in FUNCTIONS:
        ours, theirs = Seen(f), Seen(f)
        place = minimum_between(ours, *ends, within)
        found = minimize_scalar(theirs, bounds=ends, method="bounded", options={"xatol": within})
        assert place == found.x
        assert ours.points == theirs.points
