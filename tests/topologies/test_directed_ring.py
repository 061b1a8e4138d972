import numpy as np
import pytest

from theorylab.topologies import topology


def test_every_client_sends_half_to_the_next():
    P = topology("directed-ring", 3).matrix(0).toarray()
    assert np.array_equal(P, [[0.5, 0, 0.5], [0.5, 0.5, 0], [0, 0.5, 0.5]])  # P[to, from]


def test_one_client_keeps_everything():
    assert topology("directed-ring", 1).matrix(0).toarray() == 1


def test_a_directed_ring_has_no_metropolis_weights():
    with pytest.raises(ValueError, match="directed-ring: edge 0 -> 1 has no reverse"):
        topology("directed-ring", 3, weights="metropolis")


def test_two_clients_send_both_ways():
    assert topology("directed-ring", 2, weights="metropolis").matrix(0).nnz == 4
