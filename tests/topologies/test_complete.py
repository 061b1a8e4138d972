import numpy as np

from theorylab.topologies import topology


def test_everyone_gets_one_nth():
    assert np.array_equal(topology("complete", 5).matrix(0).toarray(), np.full((5, 5), 1 / 5))


def test_without_self_loops_the_others_share():
    P = topology("complete", 4, self_loops=False).matrix(0).toarray()
    assert np.array_equal(P, (1 - np.eye(4)) / 3)


def test_metropolis_weights_are_the_uniform_ones():
    P = topology("complete", 4, weights="metropolis").matrix(0).toarray()
    assert np.array_equal(P, np.full((4, 4), 1 / 4))  # quarters: no rounding
