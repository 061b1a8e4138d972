import math

import numpy as np
import pytest

from theorylab.hypergradients import EdgeLaw, edge_law, estimated_law
from theorylab.topologies import Topology, topology

EPS = np.finfo(float).eps


def test_a_static_network_is_its_own_law():
    built = topology("ring", 5)
    law = edge_law(built)
    P = built.matrix(0).toarray()
    assert np.array_equal(law.mean, P)
    assert np.array_equal(law.frequency, (P > 0).astype(float))
    # an edge that is always there is worth what it sends
    assert np.array_equal(law.debiased, P.T)


def test_a_client_that_keeps_nothing_still_hears_itself():
    law = edge_law(topology("complete", 3, self_loops=False))
    assert np.array_equal(law.frequency, np.ones((3, 3)))
    assert np.array_equal(law.debiased.diagonal(), np.zeros(3))


def test_the_estimate_counts_a_client_as_heard_by_itself():
    law = estimated_law(topology("complete", 3, self_loops=False), 4)
    assert np.array_equal(law.frequency[0], np.ones((3, 3)))
    assert np.array_equal(law.mean[0].diagonal(), np.zeros(3))


@pytest.mark.parametrize("name", ["sto-u", "sto-d"])
def test_debiased_is_the_mean_weight_over_the_frequency_of_the_way_back(name):
    built = topology(name, 4, seed=3)
    law = edge_law(built)
    for i in range(4):
        for j in range(4):
            # pbar_ij: from i to j. dbar_{j -> i}
            assert law.debiased[i, j] == law.mean[j, i] / law.frequency[i, j]


@pytest.mark.parametrize("name", ["sto-u", "sto-d"])
def test_the_estimate_counts_what_algorithm_2_counts(name):
    built, T, n = topology(name, 3, seed=2), 7, 3
    law = estimated_law(built, T, np.array([0, 4]), first=5)
    for r, run in enumerate((0, 4)):
        pbar, dbar = np.zeros((n, n)), np.zeros((n, n))  # the paper's indices
        for t in range(5, 5 + T):
            P = built.matrix(t, run).toarray()
            for i in range(n):
                for j in range(n):
                    if P[j, i] > 0:  # i sends to j
                        pbar[i, j] += P[j, i]
                    if P[i, j] > 0:
                        dbar[j, i] += 1
        assert np.abs(law.mean[r] - pbar.T / T).max() <= T * EPS
        assert np.array_equal(law.frequency[r], dbar.T / T)


def ratio_given_seen(name, runs, T):
    """Mean over runs of phat_01 / dhat_10, where the edge was seen, and its standard error."""
    built = topology(name, 2, probabilities=[[1, 0.5], [0.5, 1]])
    law = estimated_law(built, T, np.arange(runs))
    sent, often = law.mean[:, 1, 0], law.frequency[:, 0, 1]
    ratio = sent[often > 0] / often[often > 0]
    return ratio.mean(), ratio.std() / math.sqrt(len(ratio))


def test_the_estimated_ratio_is_biased_upwards_on_directed_edges():
    T, q = 5, 0.5
    # n = 2: pbar_01 = q/2; phat and dhat are of different edges, so independent
    chances = [math.comb(T, k) * q**k * (1 - q) ** (T - k) for k in range(T + 1)]
    inverse = sum(chances[k] * T / k for k in range(1, T + 1)) / (1 - chances[0])
    exact = q / 2 * inverse
    mean, error = ratio_given_seen("sto-d", 20000, T)
    assert abs(mean - exact) <= 6 * error  # six standard errors, fixed seed
    assert exact - (q / 2) / q > 10 * error  # the bias is far outside the noise


def test_the_estimated_ratio_is_unbiased_on_undirected_edges_once_seen():
    mean, error = ratio_given_seen("sto-u", 20000, 5)
    # the edge's weight is 1/2 in every round that has it: pbar / dbar = 1/2 exactly
    assert abs(mean - 0.5) <= max(6 * error, 10 * EPS)


def test_an_edge_without_a_way_back_breaks_assumption_6():
    built = topology("sto-d", 3, probabilities=[[1, 0.5, 0.5], [0, 1, 0.5], [0.5, 0.5, 1]])
    with pytest.raises(ValueError, match=r"Assumption 6 fails: client 1 sends to 0 .* 0 -> 1 is 0"):
        _ = edge_law(built).debiased
    with pytest.raises(ValueError, match="Assumption 6 fails"):
        _ = edge_law(topology("directed-ring", 3)).debiased


def test_an_edge_that_estimation_never_saw_breaks_assumption_6_too():
    law = EdgeLaw(np.array([[[0.5, 0.2], [0.5, 0.8]]]), np.array([[[1, 0.0], [1, 1]]]), "3 rounds")
    with pytest.raises(ValueError, match="3 rounds"):
        _ = law.debiased


class Drawn(Topology):
    """Someone's own network: nothing is known of its rounds."""

    name = "drawn"

    def _build(self, t, run):
        raise NotImplementedError


def test_rounds_that_depend_on_each_other_have_no_law():
    with pytest.raises(ValueError, match=r"period 2.* Assumption 5 needs independent rounds"):
        edge_law(topology("one-peer-exponential", 4))
    with pytest.raises(ValueError, match="no closed form for drawn"):
        edge_law(Drawn(4, period=None, options={}, seed=0))
    with pytest.raises(ValueError, match="rounds is 0"):
        estimated_law(topology("random-out", 4), 0)
