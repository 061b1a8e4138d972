import numpy as np
import pytest

from theorylab.topologies import topology


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 8, 9, 12, 16, 17])
def test_the_receivers_are_the_powers_of_two_ahead(n):
    P = topology("directed-exponential", n).matrix(0).toarray()
    for i in range(n):
        ahead, hop = {i}, 1
        while hop < n:
            ahead.add((i + hop) % n)
            hop *= 2
        assert set(np.flatnonzero(P[:, i])) == ahead
        assert np.array_equal(P[sorted(ahead), i], np.full(len(ahead), 1 / len(ahead)))
