"""Products of column-stochastic networks over every sequence: exact."""

import itertools
from fractions import Fraction

import pytest

from theorylab.worst import ColumnStochastic
from theorylab.worst.products import products


def ring(n, least=Fraction(1, 4)):
    """Directed, with loops: what i receives from i and from i - 1."""
    support = [[int(j in (i, (i - 1) % n)) for j in range(n)] for i in range(n)]
    return ColumnStochastic(support, least)


@pytest.mark.parametrize(
    ("n", "rounds", "dobrushin", "delta"),
    [
        (3, 3, Fraction(27, 64), Fraction(9, 32)),
        (4, 3, Fraction(13, 16), Fraction(1, 4)),
        (3, 5, Fraction(243, 1024), Fraction(123, 512)),
    ],
)
def test_products_over_every_sequence_are_exact(n, rounds, dobrushin, delta):
    told = products(ring(n), rounds)
    assert (told.dobrushin, told.delta) == (dobrushin, delta)


def test_two_factors_are_those_of_an_enumeration():
    a = Fraction(1, 5)
    ends = [(1 - a, a), (a, 1 - a)]
    apart, least = Fraction(0), Fraction(1)
    matrices = []
    for shares in itertools.product(ends, repeat=3):
        P = [[Fraction(0)] * 3 for _ in range(3)]
        for j, (keep, send) in enumerate(shares):
            P[j][j], P[(j + 1) % 3][j] = keep, send
        matrices.append(P)
    for P, Q in itertools.product(matrices, repeat=2):
        M = [[sum(P[i][k] * Q[k][j] for k in range(3)) for j in range(3)] for i in range(3)]
        least = min(least, *map(sum, M), *map(sum, Q))
        for j, k in itertools.combinations(range(3), 2):
            apart = max(apart, sum(abs(M[i][j] - M[i][k]) for i in range(3)) / 2)
    told = products(ring(3, a), 2)
    assert (told.dobrushin, told.delta) == (apart, least)


def test_a_class_without_matrices_and_too_many_products_are_told():
    with pytest.raises(ValueError, match="column 0: 2 entries of at least 2/3"):
        products(ring(3, Fraction(2, 3)), 2)
    with pytest.raises(ValueError, match="products; need at most 100000"):
        products(ring(4), 6)
