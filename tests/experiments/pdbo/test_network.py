"""Counts and moments of a network's edges against plain loops."""

import itertools

import numpy as np
import pytest

from theorylab.experiments import experiment


def value(column, network, clients):
    one = experiment("hgp-network", network=network, clients=clients)
    return one.observe(column, range(1), 0).rows[0].values[0]


@pytest.mark.parametrize("seed", range(6))
def test_cut_off_counts_the_pairs_without_a_path(seed):
    rng, n = np.random.default_rng(seed), 5
    there = rng.random((n, n)) < 0.25
    there[0, 1] = True
    edges = [[i, j] for i, j in itertools.product(range(n), repeat=2) if there[i, j] and i != j]
    network = {"name": "edge-list", "edges": edges, "allow_disconnected": True}
    reach = there | np.eye(n, dtype=bool)
    for k in range(n):  # Warshall
        reach |= reach[:, [k]] & reach[[k], :]
    assert value("cut_off", network, n) == (~reach).sum()


def test_the_covariance_of_two_ways_is_that_of_one_coin():
    table = [[1.0, 0.3, 0.7], [0.3, 1.0, 0.9], [0.7, 0.9, 1.0]]
    network = {"name": "sto-u", "probabilities": table}
    # eight patterns, weights that sum to 1
    assert value("edge_covariance", network, 3) == pytest.approx(0.21, abs=1e-15)
    assert value("edge_covariance", {"name": "sto-d", "probabilities": table}, 3) < 1e-15


def test_kappa_is_the_sum_of_its_parts_and_infinite_where_one_divides_by_zero():
    one = experiment("hgp-network", network={"name": "sto-d", "seed": 3}, clients=4)
    law, total = one.law, 0.0
    for i, j in itertools.product(range(4), repeat=2):
        total += law.mean[i, j] / law.frequency[j, i]  # pbar_ji over dbar_{i -> j}
    assert one.constants()["kappa"].value == pytest.approx(total, rel=1e-14)
    ring = experiment("hgp-network", network={"name": "directed-ring"}, clients=4)
    assert np.isinf(ring.constants()["kappa"].value)
    assert value("one_way", {"name": "directed-ring"}, 4) == 4


def test_what_is_sent_is_what_there_is():
    assert value("sent", {"name": "sto-u", "seed": 1}, 5) == pytest.approx(5, rel=1e-14)


def test_a_network_whose_rounds_differ_is_refused_in_one_line():
    with pytest.raises(ValueError, match="period") as caught:
        experiment("hgp-network", network={"name": "one-peer-exponential"}, clients=4)
    assert "\n" not in str(caught.value)
