import itertools
import math

import networkx as nx
import numpy as np
import pytest

from theorylab.topologies import topology

EPS = np.finfo(float).eps


def test_the_graph_is_drawn_once_and_connected_and_metropolis_weighted():
    built = topology("erdos-renyi", 20, seed=3)
    P = built.matrix(0).toarray()
    assert built.period == 1
    assert nx.is_connected(nx.from_numpy_array(P))
    assert np.array_equal(P, P.T)
    degree = (P > 0).sum(axis=0) - 1
    for i, j in zip(*np.nonzero(P), strict=True):
        if i != j:
            assert P[i, j] == 1 / (1 + max(degree[i], degree[j]))


def test_every_pair_is_there_with_probability_p():
    n, p, rounds = 6, 0.3, 4000
    built = topology("erdos-renyi", n, p=p, time_varying=True, seed=9)
    seen = sum((built.matrix(t).toarray() > 0).astype(float) for t in range(rounds))
    off = [seen[i, j] for i, j in itertools.combinations(range(n), 2)]
    # 15 pairs, six standard deviations each: a false alarm has probability 3e-8; fixed seed
    assert np.abs(np.array(off) - p * rounds).max() < 6 * math.sqrt(rounds * p * (1 - p))


def test_a_draw_that_falls_apart_is_refused_with_its_seed_and_parts():
    with pytest.raises(ValueError, match=r"with seed 4 and p = 0 the draw .* it has 5 components"):
        topology("erdos-renyi", 5, p=0, seed=4)
    with pytest.raises(ValueError, match="none of 1000 draws is connected"):
        topology("erdos-renyi", 5, p=0, redraw=True)


def test_redraw_finds_a_connected_graph_and_always_the_same_one():
    n, p = 8, 0.25  # connected about once in ten draws
    refused = [seed for seed in range(20) if not accepted(n, p, seed)]
    assert refused
    for seed in refused[:3]:
        found = [topology("erdos-renyi", n, p=p, seed=seed, redraw=True) for _ in range(2)]
        P = found[0].matrix(0).toarray()
        assert nx.is_connected(nx.from_numpy_array(P))
        assert np.array_equal(P, found[1].matrix(0).toarray())


def accepted(n, p, seed):
    try:
        topology("erdos-renyi", n, p=p, seed=seed)
    except ValueError:
        return False
    return True


def test_a_time_varying_graph_may_fall_apart_and_changes():
    built = topology("erdos-renyi", 10, p=0.1, time_varying=True)
    assert built.period is None
    assert not np.array_equal(built.matrix(0).toarray(), built.matrix(1).toarray())
    assert not np.array_equal(built.matrix(0, 0).toarray(), built.matrix(0, 1).toarray())


def test_more_clients_than_one_block_are_drawn_alike():
    n = 300
    P = topology("erdos-renyi", n, p=0.05, seed=1).matrix(0).toarray()
    off = (P > 0).sum() - n
    pairs = n * (n - 1) / 2
    assert abs(off / 2 - 0.05 * pairs) < 6 * math.sqrt(pairs * 0.05 * 0.95)
    assert np.all((P > 0).sum(axis=0) > 1)


@pytest.mark.parametrize("p", [-0.1, 1.5, float("nan")])
def test_p_is_a_probability(p):
    with pytest.raises(ValueError, match=r"erdos-renyi: p is .*; need 0 <= p <= 1"):
        topology("erdos-renyi", 5, p=p)
