from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from theorylab.topologies._weights import mixing_matrix

EPS = np.finfo(float).eps


def matrix(n, edges, weights="uniform", self_loops=True):
    ends = np.array(sorted(edges), dtype=np.int64).reshape(-1, 2)
    return mixing_matrix(n, ends[:, 0], ends[:, 1], weights, self_loops, "here").toarray()


def oracle(n, edges, weights):
    """Plain loops in rationals, from the definitions."""
    P = [[Fraction(0)] * n for _ in range(n)]
    if weights.endswith("metropolis"):
        degree = [len({j for i, j in edges if i == k and j != k}) for k in range(n)]
        for i, j in edges:
            if i != j:
                P[j][i] = Fraction(1, 1 + max(degree[i], degree[j]))
        for i in range(n):
            P[i][i] = 1 - sum(P[j][i] for j in range(n) if j != i)
    else:
        for i in range(n):
            out = {j for k, j in edges if k == i} | {i}
            for j in out:
                P[j][i] = Fraction(1, len(out))
    if weights.startswith("lazy"):
        P = [[(P[i][j] + (i == j)) / 2 for j in range(n)] for i in range(n)]
    return np.array(P, dtype=float)


@st.composite
def graphs(draw, both_ways):
    n = draw(st.integers(1, 6))
    pairs = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1))
    edges = set(draw(st.lists(pairs, max_size=12)))
    return n, edges | {(j, i) for i, j in edges} if both_ways else edges


@given(graphs(both_ways=False), st.sampled_from(["uniform", "lazy"]))
def test_uniform_and_lazy_weights_follow_the_definition(graph, weights):
    n, edges = graph
    assert np.abs(matrix(n, edges, weights) - oracle(n, edges, weights)).max() <= EPS


@given(graphs(both_ways=True), st.sampled_from(["metropolis", "lazy-metropolis"]))
def test_metropolis_weights_follow_the_definition_and_are_symmetric(graph, weights):
    n, edges = graph
    P = matrix(n, edges, weights)
    # the diagonal is one minus a sum of up to n - 1 rounded terms below 1
    assert np.abs(P - oracle(n, edges, weights)).max() <= n * EPS
    assert np.array_equal(P, P.T)


def test_metropolis_names_the_edge_without_its_reverse():
    with pytest.raises(ValueError, match="here: edge 1 -> 2 has no reverse; Metropolis"):
        matrix(3, {(0, 1), (1, 0), (1, 2)}, "metropolis")


def test_metropolis_cannot_do_without_self_loops():
    with pytest.raises(ValueError, match="weights='metropolis' with self_loops=False"):
        matrix(2, {(0, 1), (1, 0)}, "metropolis", self_loops=False)


def test_a_client_that_sends_to_nobody_loses_mass():
    with pytest.raises(ValueError, match="client 1 has no out-edge; its mass would be lost"):
        matrix(2, {(0, 1)}, self_loops=False)


def test_without_self_loops_nobody_keeps_a_share():
    assert np.array_equal(matrix(2, {(0, 1), (1, 0)}, self_loops=False), [[0, 1], [1, 0]])
