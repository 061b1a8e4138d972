import networkx as nx
import numpy as np
import pytest

from theorylab.registry import restored
from theorylab.topologies import from_networkx, topology


def test_a_digraph_keeps_its_directions_and_nodes_are_sorted():
    P = from_networkx(nx.DiGraph([("c", "a"), ("a", "b"), ("b", "c")])).matrix(0).toarray()
    assert np.array_equal(P, [[0.5, 0, 0.5], [0.5, 0.5, 0], [0, 0.5, 0.5]])


def test_nodes_that_cannot_be_compared_keep_the_order_of_the_graph():
    P = from_networkx(nx.DiGraph([("x", 1), (1, "x")]), self_loops=False).matrix(0).toarray()
    assert np.array_equal(P, [[0, 1], [1, 0]])


def test_a_graph_gets_metropolis_weights_both_ways():
    P = from_networkx(nx.star_graph(3)).matrix(0).toarray()
    assert np.array_equal(P, topology("star", 4).matrix(0).toarray())


def test_given_weights_are_the_entries_of_P():
    graph = nx.DiGraph()
    graph.add_weighted_edges_from([(0, 0, 0.25), (0, 1, 0.75), (1, 0, 0.5), (1, 1, 0.5)])
    built = from_networkx(graph, weights="given")
    assert np.array_equal(built.matrix(0).toarray(), [[0.25, 0.5], [0.75, 0.5]])
    again = topology(**built.describe())
    assert np.array_equal(again.matrix(0).toarray(), built.matrix(0).toarray())


@pytest.mark.parametrize(
    ("graph", "options", "error", "message"),
    [
        (nx.MultiGraph([(0, 1)]), {}, TypeError, "graph is a MultiGraph; need a Graph or DiGraph"),
        ([[0, 1]], {}, TypeError, "graph is a list; need a Graph or DiGraph"),
        (nx.path_graph(2), {"weights": "given"}, ValueError, "edge 0 -> 1 has no attribute 'weig"),
        (nx.DiGraph([(0, 1)]), {}, ValueError, "client 1 cannot reach client 0"),
        (nx.DiGraph([(0, 1)]), {"weights": "metropolis"}, ValueError, "0 -> 1 has no reverse"),
    ],
)
def test_bad_graphs_are_named(graph, options, error, message):
    with pytest.raises(error, match=message):
        from_networkx(graph, **options)


def test_a_disconnected_graph_is_taken_if_allowed():
    built = from_networkx(nx.empty_graph(3), allow_disconnected=True)
    assert np.array_equal(built.matrix(0).toarray(), np.eye(3))


def test_a_named_graph_is_known_to_commands_and_describes_itself_by_its_edges():
    graph = nx.path_graph(4)
    with restored():
        made = from_networkx(graph, name="my-path")
        again = topology("my-path", 4)
        with pytest.raises(ValueError, match="my-path: its matrices are of 4 clients"):
            topology("my-path", 5)
    assert again.describe() == made.describe() == topology(**made.describe()).describe()
    assert np.array_equal(again.matrix(0).toarray(), made.matrix(0).toarray())
