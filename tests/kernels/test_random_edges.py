"""The edges of a stochastic network, against a plain loop over Floyd's sampling."""

import itertools
import math

import numpy as np
import pytest
from scipy.stats import chi2

from theorylab.kernels import Stream, random_edges, random_mixing
from theorylab.topologies import topology


def floyd(seed, t, run, n, degree, client):
    """Bentley, Floyd 1987: a set that grows by one, with the draws of Stream."""
    stream, chosen = Stream(seed, "topology"), []
    for k, top in enumerate(range(n - 1 - degree, n - 1)):
        drawn = int(stream.integers(top + 1, np.array([run]), np.array([client]), t, k)[0, 0, 0])
        chosen.append(top if drawn in chosen else drawn)
    return [c + 1 if c >= client else c for c in chosen]


def test_every_client_draws_by_floyd_s_sampling_and_skips_itself():
    runs = np.array([3, 0, 2**32 - 1])
    for n, degree in ((1, 0), (2, 1), (7, 3), (7, 6), (20, 10)):
        got = random_edges(2**63 + 1, 2**32 - 1, runs, n, degree)
        assert got.shape == (3, n, degree)
        assert got.dtype == np.int64
        for r, run in enumerate(runs.tolist()):
            for client in range(n):
                want = floyd(2**63 + 1, 2**32 - 1, run, n, degree, client)
                assert got[r, client].tolist() == want
                assert len({client, *want}) == degree + 1
                assert max([0, *want]) < n


def test_all_sets_of_receivers_are_equally_frequent():
    n, degree, R = 5, 2, 4000
    sets = list(itertools.combinations([1, 2, 3, 4], degree))  # of client 0
    drawn = [tuple(sorted(row)) for row in random_edges(1, 0, R, n, degree)[:, 0].tolist()]
    expected = R / len(sets)
    statistic = sum((drawn.count(one) - expected) ** 2 / expected for one in sets)
    assert math.comb(4, 2) == len(sets)
    assert statistic < chi2.isf(1e-9, len(sets) - 1)  # a right sampler fails once in 1e9 seeds


@pytest.mark.parametrize("self_loops", [True, False])
def test_the_matrices_are_those_of_the_topology_bit_for_bit(self_loops):
    for n, degree in ((2, 1), (9, 3), (9, 8), (30, 7)):
        network = topology("random-out", n, degree=degree, seed=5, self_loops=self_loops)
        runs = np.array([4, 1])
        made = random_mixing(5, 17, runs, n, degree, self_loops=self_loops)
        for run, P in zip(runs.tolist(), made, strict=True):
            want = network.matrix(17, run)
            assert P.data.tobytes() == want.data.tobytes()
            assert np.array_equal(P.indices, want.indices)
            assert np.array_equal(P.indptr, want.indptr)


def test_a_batch_is_its_runs_one_by_one():
    together = random_edges(3, 4, 5, 11, 4)
    for run in range(5):
        assert np.array_equal(random_edges(3, 4, np.array([run]), 11, 4)[0], together[run])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, 0, 1, 5, 5), "^random_edges: degree is 5; need 0 <= degree < 5$"),
        ((0, 0, 1, 0, 0), r"^random_edges: clients is 0; need 1 <= clients < 2\*\*31$"),
        ((0, -1, 1, 5, 1), "^Stream: round is -1"),
        ((0, 0, np.array([-1]), 5, 1), "^Stream: runs has id -1"),
    ],
)
def test_bad_numbers_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        random_edges(*arguments)


def test_a_client_without_an_out_edge_is_refused():
    assert (random_mixing(0, 0, 1, 3, 0)[0].toarray() == np.eye(3)).all()
    with pytest.raises(ValueError, match=r"^random_mixing: degree is 0 without self_loops"):
        random_mixing(0, 0, 1, 3, 0, self_loops=False)
    with pytest.raises(TypeError, match=r"^random_mixing: self_loops is 1; need a bool"):
        random_mixing(0, 0, 1, 3, 1, self_loops=1)
