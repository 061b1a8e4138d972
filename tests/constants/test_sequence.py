import itertools
import math
from fractions import Fraction

import networkx as nx
import numpy as np
import pytest

from theorylab.constants import delta, sequence, window
from theorylab.known import How
from theorylab.topologies import topology

EDGES = [[i, (i + 1) % 8] for i in range(8)] + [[0, 4], [0, 2], [3, 6]]


def union(built, rounds, run=0):
    graph = nx.DiGraph()
    graph.add_nodes_from(range(built.clients))
    for t in rounds:
        P = built.matrix(t, run).toarray()
        graph.add_edges_from((j, i) for i, j in zip(*np.nonzero(P), strict=True))
    return graph


def brute_window(built, horizon, run):
    """The definition: try every B, and every window of B rounds."""
    starts = horizon if built.period is None else built.period
    for B in range(1, starts + 1):
        ends = starts - B + 1 if built.period is None else starts
        if all(nx.is_strongly_connected(union(built, range(s, s + B), run)) for s in range(ends)):
            return B
    return math.inf


@pytest.mark.parametrize(
    ("name", "n", "options"),
    [
        ("directed-ring", 5, {}),
        ("one-peer-exponential", 8, {}),
        ("one-peer-exponential", 5, {}),
        ("one-peer-exponential", 1, {}),
        ("random-out", 7, {"degree": 1, "seed": 2}),
        ("random-out", 6, {"degree": 2, "seed": 3}),
        ("random-out", 4, {"degree": 0}),
        ("erdos-renyi", 8, {"p": 0.1, "time_varying": True}),
    ],
)
def test_window_is_the_smallest_that_the_definition_allows(name, n, options):
    built = topology(name, n, **options)
    for run in (0, 1):
        known = window(built, 14, run)
        assert known.value == brute_window(built, 14, run)
        assert known.how is How.EXACT


def test_a_single_client_is_its_own_window():
    built = topology("one-peer-exponential", 1)
    assert sequence._window_lengths([built.matrix(t) for t in range(3)]) == [1, 1, 1]


def test_a_window_that_does_not_exist_names_who_is_cut_off():
    known = window(topology("random-out", 4, degree=0), 5)
    assert known.value == math.inf
    assert "client 1 cannot be reached from client 0" in known.source


def test_a_drawn_topology_needs_a_round():
    with pytest.raises(ValueError, match="window: horizon is 0; a drawn topology needs"):
        window(topology("random-out", 4), 0)


def exact_delta(built, horizon, run=0):
    """Row sums in rationals, from the float entries taken as the numbers they round."""
    n = built.clients
    w, smallest = [Fraction(1)] * n, Fraction(1)
    for t in range(horizon):
        P = built.matrix(t, run).toarray()
        degree = np.count_nonzero(P, axis=0)
        w = [sum(w[j] * Fraction(1, int(degree[j])) for j in range(n) if P[i, j]) for i in range(n)]
        smallest = min(smallest, *w)
    return smallest


@pytest.mark.parametrize(
    ("name", "n", "options", "horizon"),
    [
        ("edge-list", 8, {"edges": EDGES}, 60),
        ("directed-ring", 5, {}, 20),
        ("random-out", 6, {"degree": 1, "seed": 1}, 40),
        ("star", 6, {"weights": "uniform"}, 25),
        ("random-out", 7, {"degree": 4}, 60),  # float 1/5 is above 1/5: computed delta too large
        ("random-out", 6, {"degree": 2}, 0),
    ],
)
def test_delta_is_below_the_exact_row_sum_and_close_to_it(name, n, options, horizon):
    built = topology(name, n, **options)
    exact, known = exact_delta(built, horizon), delta(built, horizon)
    assert known.how is How.LOWER
    assert Fraction(known.value) <= exact
    # the allowance itself, and as much rounding on the other side
    allowance = 2 * sequence.rounding((n + 1) * horizon + 1)
    assert Fraction(known.value) >= exact * (1 - Fraction(allowance))


def test_delta_of_the_worked_example():
    built = topology("edge-list", 8, edges=EDGES)
    assert delta(built, 12_000).value == pytest.approx(0.4154, abs=5e-5)  # printed to 4 digits


def test_delta_keeps_falling_on_a_longer_horizon_of_a_random_topology():
    built = topology("random-out", 10, degree=2)
    values = [delta(built, horizon).value for horizon in (1, 10, 100, 1000)]
    assert all(a >= b for a, b in itertools.pairwise(values))
    assert values[-1] < values[0] / 2


def test_a_client_without_inflow_has_delta_zero():
    built = topology("edge-list", 2, edges=[[0, 1], [1, 1]], self_loops=False,
                     allow_disconnected=True)  # fmt: skip
    assert delta(built, 3).value == 0


def test_the_window_diameter_is_that_of_the_union():
    built = topology("one-peer-exponential", 8)
    longest, same = sequence.window_diameter(built, 10, 0, B=3)
    assert longest.value == nx.diameter(union(built, range(3)))
    assert same  # every window of a whole period is the same graph
    drawn = topology("random-out", 6, degree=1)
    B = int(window(drawn, 10).value)
    longest, same = sequence.window_diameter(drawn, 10, 0, B)
    graphs = [union(drawn, range(s, s + B)) for s in range(10 - B + 1)]
    assert longest.value == max(nx.diameter(graph) for graph in graphs)
    assert not same
