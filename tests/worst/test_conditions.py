"""The conditions of a certificate are those of a plain run, whatever its gradients are."""

import copy
import importlib.util
import pathlib
from fractions import Fraction

import pytest

from theorylab.worst import check_certificate

HERE = pathlib.Path(__file__).parent
spec = importlib.util.spec_from_file_location("cases_of_conditions", HERE / "cases.py")
cases = importlib.util.module_from_spec(spec)
spec.loader.exec_module(cases)

CLASS = {"mu": "1/10", "L": "1", "B": "2", "heterogeneity": "1/3", "noise": None}
START = {"distance": "1/2", "spread": "3/4"}


@pytest.fixture(scope="module")
def theorem():
    content = copy.deepcopy(cases.proved().certificate.data)
    content |= {"class": CLASS, "start": START, "metric": "mean-gradient"}
    return check_certificate.Theorem(content)


def value(row, theorem):
    """A vector in one dimension, where the k-th of the basis is 1/(k + 1) with turning sign."""
    basis = [Fraction((-1) ** k, k + 1) for k in range(theorem.size)]
    return sum(c * sum(d * basis[j] for j, d in theorem.vectors[k].items()) for k, c in row.items())


def told(theorem, name, *at):
    """(left side, what it is at most) of a condition, and that it has no values of functions."""
    terms, values, most = theorem.inequality(name, *at)
    assert values == {}
    return sum(c * value(p, theorem) * value(q, theorem) for c, p, q in terms), most


def test_heterogeneity_is_how_far_the_gradients_at_a_place_are_from_their_mean(theorem):
    for j, at in enumerate(theorem.everywhere):
        each = [value(theorem.nodes[i][a][1], theorem) for i, a in enumerate(at)]
        mean = sum(each) / len(each)
        apart = sum((g - mean) ** 2 for g in each) / len(each)
        assert apart > 0
        assert told(theorem, "heterogeneity", j) == (apart, Fraction(1, 9))


def test_bounds_of_gradients_and_of_starts_are_squares_of_what_the_file_says(theorem):
    for i, nodes in enumerate(theorem.nodes):
        for a, node in enumerate(nodes):
            assert told(theorem, "bounded", i, a) == (value(node[1], theorem) ** 2, 4)
    stars = [value(nodes[0][1], theorem) for nodes in theorem.nodes]
    mean_square = sum(g * g for g in stars) / len(stars)
    assert (sum(stars), mean_square > 0) == (0, True)
    assert told(theorem, "spread") == (mean_square, Fraction(9, 16))
    assert told(theorem, "distance") == (1, Fraction(1, 4))  # x^0 - x* is the basis' first
