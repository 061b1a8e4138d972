"""Two sources: products by hand, in fractions."""

from fractions import Fraction

import numpy as np
import pytest

from theorylab.topologies import topology


@pytest.mark.parametrize("clients", [4, 8, 14])
def test_its_products_are_what_the_docstring_says(clients):
    m = clients // 2 - 1
    P = topology("two-sources", clients).matrix(0).toarray()
    out = [{j for j in range(clients) if k > 1 or j % 2 == k} for k in range(clients)]
    exact = [[Fraction(i in out[k], len(out[k])) for k in range(clients)] for i in range(clients)]
    # shares are 1/d, rounded once
    assert np.array_equal(P, [[float(share) for share in row] for row in exact])
    assert all(sum(row) == 1 for row in exact)
    far = [
        [Fraction(i == j) - Fraction(1, clients) for j in range(clients)] for i in range(clients)
    ]
    for lag in range(1, 4):
        far = [
            [sum(a * far[k][j] for k, a in enumerate(row)) for j in range(clients)] for row in exact
        ]
        for i in range(clients):
            half = Fraction(1 if i % 2 == 0 else -1, 2 * (m + 1) ** lag)
            assert far[i] == [half, -half, *[0] * (clients - 2)]


@pytest.mark.parametrize("clients", [2, 5])
def test_it_needs_an_even_number_of_clients(clients):
    with pytest.raises(ValueError, match=rf"two-sources: clients is {clients}; need") as told:
        topology("two-sources", clients)
    assert "\n" not in str(told.value)
