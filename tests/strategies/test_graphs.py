import networkx as nx
from hypothesis import given
from hypothesis import strategies as st

from theorylab.strategies import permutations, strongly_connected_digraphs, symmetric_graphs


def as_networkx(graph):
    made = nx.DiGraph(graph.edges)
    made.add_nodes_from(range(graph.clients))
    return made


@given(strongly_connected_digraphs())
def test_every_digraph_is_strongly_connected_and_simple(graph):
    made = as_networkx(graph)
    assert nx.is_strongly_connected(made)
    assert made.number_of_nodes() == graph.clients
    assert graph.edges == sorted(set(graph.edges))
    assert not any(a == b for a, b in graph.edges)


@given(symmetric_graphs())
def test_every_symmetric_graph_is_connected_both_ways(graph):
    made = as_networkx(graph)
    assert nx.is_strongly_connected(made)
    assert {(b, a) for a, b in graph.edges} == set(graph.edges)
    assert not any(a == b for a, b in graph.edges)


def test_draws_are_not_all_rings_nor_all_in_order(searched):
    ring = {(0, 1), (1, 2), (2, 3), (3, 0)}
    other = searched(strongly_connected_digraphs(4, max_chords=0), lambda g: set(g.edges) != ring)
    assert len(other.edges) == 4
    assert searched(strongly_connected_digraphs(4), lambda g: len(g.edges) >= 8).clients == 4
    assert searched(symmetric_graphs(4), lambda g: len(g.edges) == 6).edges  # a tree
    assert searched(symmetric_graphs(4), lambda g: len(g.edges) >= 10).edges


def test_a_digraph_shrinks_to_the_ring_in_order_without_chords(smallest):
    ring = smallest(strongly_connected_digraphs(), lambda g: g.clients >= 3)
    assert ring == (3, [(0, 1), (1, 2), (2, 0)])


@given(st.data(), st.integers(1, 6))
def test_the_number_of_clients_may_be_given(data, n):
    assert data.draw(strongly_connected_digraphs(n)).clients == n
    assert data.draw(symmetric_graphs(st.just(n))).clients == n
    assert sorted(data.draw(permutations(n))) == list(range(n))
