import itertools

import numpy as np
import pytest

from theorylab.hypergradients import coefficient_law, edge_law, patterns
from theorylab.topologies import topology

EPS = np.finfo(float).eps
WEIGHTS = ("debiased", "undivided", "realised", "received", "mean")


def by_hand(built, weights):
    """Mean and covariance of c by adding up every edge pattern, one edge after another."""
    n, q = built.clients, built.frequency
    mean_P = built.mean()
    pairs = [(i, j) for i, j in np.ndindex(n, n) if (i < j if built.symmetric else i != j)]
    first, second = np.zeros((n, n)), np.zeros((n, n, n, n))
    for there in itertools.product((0, 1), repeat=len(pairs)):
        chance, edge = 1.0, np.eye(n, dtype=bool)
        for (i, j), on in zip(pairs, there, strict=True):
            chance *= q[i, j] if on else 1 - q[i, j]
            edge[i, j] = on
            if built.symmetric:
                edge[j, i] = on
        P = edge / edge.sum(axis=0)
        c = {
            "debiased": edge * mean_P.T / np.where(q > 0, q, 1),
            "undivided": edge * mean_P.T,
            "realised": P.T,
            "received": P.T * edge,
            "mean": mean_P.T,
        }[weights]
        first += chance * c
        second += chance * np.multiply.outer(c, c)
    return first, second - np.multiply.outer(first, first)


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize(("name", "n"), [("sto-d", 2), ("sto-d", 3), ("sto-u", 3), ("sto-u", 4)])
def test_mean_and_covariance_are_those_over_all_patterns(name, n, weights):
    built = topology(name, n, seed=7)
    law = coefficient_law(built, weights)
    mean, covariance = by_hand(built, weights)
    # at most 64 positive terms of size < 2
    assert np.abs(law.mean - mean).max() <= 64 * EPS
    assert np.abs(law.covariance - covariance).max() <= 256 * EPS


def test_debiased_coefficients_have_the_mean_weights_as_their_mean():
    built = topology("sto-d", 5, seed=1)
    assert np.abs(coefficient_law(built).mean - built.mean().T).max() <= 4 * EPS


def test_a_static_network_has_no_covariance():
    for weights in WEIGHTS:
        law = coefficient_law(topology("ring", 4), weights)
        assert np.array_equal(law.mean, topology("ring", 4).matrix(0).toarray().T)
        assert not law.covariance.any()


def test_patterns_are_all_there_and_their_chances_add_up():
    built = topology("sto-d", 3, probabilities=[[1, 0.5, 1], [0, 1, 0.25], [0.5, 0.5, 1]])
    chance, edges = patterns(built)
    assert len(chance) == 2**4
    assert len({e.tobytes() for e in edges}) == 16
    assert abs(chance.sum() - 1) <= 16 * EPS
    assert np.abs(np.tensordot(chance, edges, axes=1) - built.frequency).max() <= 16 * EPS


def test_what_is_too_large_is_refused():
    with pytest.raises(ValueError, match=r"sto-d has 2\^20 edge patterns"):
        patterns(topology("sto-d", 5))
    with pytest.raises(ValueError, match="clients is 25; need at most 24"):
        _ = coefficient_law(topology("sto-d", 25)).covariance
    with pytest.raises(ValueError, match=r"random-out has 23\^24 edge patterns"):
        coefficient_law(topology("random-out", 24, degree=22), "realised")
    with pytest.raises(ValueError, match=r"rounds of one-peer-exponential are not independent"):
        patterns(topology("one-peer-exponential", 4))


def test_what_hgp_believes_can_differ_from_what_the_network_does():
    built = topology("sto-u", 3, seed=7)
    law = edge_law(built)
    wrong = type(law)(law.mean, np.sqrt(law.frequency), "wrong")
    made = coefficient_law(built, law=wrong)
    assert np.abs(made.mean - law.mean.T * np.sqrt(law.frequency)).max() <= 4 * EPS


@pytest.mark.parametrize("name", ["random-out", "random-in", "random-symmetric"])
def test_ties_between_the_edges_that_one_client_draws_are_counted(name):
    built = topology(name, 4, degree=2)
    found = coefficient_law(built)
    chance, edges = patterns(built)
    c = edges * edge_law(built).debiased
    mean = np.einsum("p,pij->ij", chance, c)
    wanted = np.einsum("p,pij,pkl->ijkl", chance, c - mean, c - mean)
    # 81 patterns of products of numbers < 2
    assert np.abs(found.mean - mean).max() <= 81 * EPS
    assert np.abs(found.covariance - wanted).max() <= 400 * EPS


def test_kicked_is_the_covariance_times_the_second_moments():
    law = coefficient_law(topology("random-symmetric", 4, degree=1))
    second = np.random.default_rng(0).normal(size=(4, 2, 4, 3))
    wanted = np.einsum("ijkl,jalb->ikab", law.covariance, second)
    assert np.abs(law.kicked(second) - wanted).max() <= 100 * EPS  # 16 terms below 1


def test_a_hundred_clients_take_as_much_room_as_their_edges():
    law = coefficient_law(topology("sto-u", 100))
    assert law.pairs.nnz == 2 * 100 * 99  # each edge with itself and with its way back


def test_a_drawn_network_without_open_edges_has_one_pattern():
    sure = topology("sto-d", 3, low=1.0, high=1.0)
    chance, edges = patterns(sure)
    assert chance.tolist() == [1.0]
    assert edges.shape == (1, 3, 3)
    assert edges.all()
