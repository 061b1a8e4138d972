"""A declared x* or f* is compared by values: kinks and edges of sets have no zero gradient."""

import numpy as np
import pytest

from theorylab.known import How, Known
from theorylab.problems import Problem
from theorylab.verdicts.declared import check_declared


class Lone(Problem):
    """One client's f and a subgradient, at points (R, d); what it declares of its least value."""

    name = "test-lone"

    def __init__(self, value, slope, best, f_star=None, inside=None):
        super().__init__(1, len(best), False)
        self.value, self.slope, self.optimum = value, slope, np.array(best)
        self.known = {} if f_star is None else {"f_star": Known(f_star, How.EXACT, "by hand")}
        if inside is not None:
            self.inside = inside

    def loss(self, x):
        return self.value(x)

    def gradient(self, x):
        return self.slope(x)

    def constants(self):
        return self.known


def line(problem):
    """What is refused of it; "" where nothing is."""
    try:
        check_declared(problem, np.zeros((1, problem.dim)))
    except ValueError as error:
        return str(error)
    return ""


def least_at(best, inside=None):
    """f(x) = |x_1| + x_2, whose least value over x_2 >= -1 is -1, at (0, -1) alone."""

    def slope(x):
        return np.stack([np.sign(x[..., 0] + 1e-300), np.ones(x.shape[:-1])], axis=-1)

    return Lone(lambda x: np.abs(x[..., 0]) + x[..., 1], slope, best, inside=inside)


def half(x):
    return x[:, 1] >= -1.0


@pytest.mark.parametrize(
    ("best", "right"), [([0.0, -1.0], True), ([1e-3, -1.0], False), ([0.0, -0.999], False)]
)
def test_a_minimiser_at_a_kink_on_the_edge_of_a_set_is_taken_and_its_value_compared(best, right):
    said = line(least_at(best, half))
    assert (said == "") == right
    assert right or "need a minimiser" in said


def test_where_no_set_is_named_f_beyond_the_edge_refutes_and_the_cure_is_told():
    cure = "need a minimiser, or inside(x) on the class for a minimum over a set"
    assert line(least_at([0.0, -1.0])).endswith(cure)


def test_an_optimum_outside_of_its_own_set_is_named():
    assert "optimum is not inside its own set" in line(least_at([0.0, -2.0], half))


def test_a_set_that_gives_no_bool_a_point_is_named():
    said = line(least_at([0.0, -1.0], lambda x: x[:, 1]))
    assert "inside gives float64 of shape (" in said
    assert said.endswith("need bool, one a point")


def kink(best, f_star=None):
    """f(x) = |x - 3|, with the subgradient 1 at its least point."""
    return Lone(lambda x: np.abs(x[..., 0] - 3), lambda x: np.sign(x - 3 + 1e-300), [best], f_star)


def test_a_kink_alone_is_a_minimiser():
    assert line(kink(3.0)) == ""
    assert "need a minimiser" in line(kink(3.001))


@pytest.mark.parametrize(
    ("value", "said"),
    [(0.0, ""), (-1.0, "need one least value"), (1e-3, "need a constant that holds")],
)
def test_the_value_at_a_declared_minimiser_and_f_star_agree(value, said):
    found = line(kink(3.0, value))
    assert said in found
    assert bool(found) == bool(said)
