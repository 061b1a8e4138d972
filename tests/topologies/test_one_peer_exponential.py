import math

import numpy as np
import pytest

from theorylab.topologies import topology


@pytest.mark.parametrize("n", [2, 3, 5, 8, 9])
def test_the_receiver_is_twice_as_far_away_every_round(n):
    built = topology("one-peer-exponential", n)
    assert built.period == math.ceil(math.log2(n))
    for t in range(2 * built.period):
        P = built.matrix(t).toarray()
        for i in range(n):
            assert set(np.flatnonzero(P[:, i])) == {i, (i + 2 ** (t % built.period)) % n}


@pytest.mark.parametrize("n", [2, 4, 8, 32])
def test_a_period_averages_exactly_if_n_is_a_power_of_two(n):
    built = topology("one-peer-exponential", n)
    product = np.eye(n)
    for t in range(built.period):
        product = built.matrix(t) @ product
    assert np.array_equal(product, np.full((n, n), 1 / n))  # dyadic numbers: no rounding


def test_one_client_has_period_one():
    assert topology("one-peer-exponential", 1).period == 1
