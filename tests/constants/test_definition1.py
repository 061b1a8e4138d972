import numpy as np
import pytest

from theorylab.constants import definition1
from theorylab.topologies import topology

RING = topology("ring", 6).matrix(0)


def verdicts(P, graph=None):
    return {item.item: item.holds for item in definition1(P, graph)}


def reason(P, item, graph=None):
    return next(i.reason for i in definition1(P, graph) if i.item == item)


def test_a_metropolis_ring_is_a_gossip_matrix():
    assert verdicts(RING) == {"(i)": True, "(ii)": True, "(iii)": True, "(iv)": True}


def test_a_directed_ring_fails_symmetry_alone_and_names_the_entry():
    P = topology("directed-ring", 5).matrix(0)
    assert verdicts(P) == {"(i)": True, "(ii)": False, "(iii)": True, "(iv)": True}
    assert reason(P, "(ii)") == "P[0,1] = 0.0 but P[1,0] = 0.5"


def test_a_bipartite_graph_without_loops_has_the_eigenvalue_minus_one():
    P = topology("ring", 4, weights="uniform", self_loops=False).matrix(0)
    assert verdicts(P) == {"(i)": False, "(ii)": True, "(iii)": True, "(iv)": False}
    assert reason(P, "(i)") == "P[0,0] = 0.0; need > 0"
    assert "component of client 0 is bipartite" in reason(P, "(iv)")


def test_two_components_make_the_null_space_too_large():
    P = np.kron(np.eye(2), np.full((2, 2), 0.5))
    assert verdicts(P) == {"(i)": True, "(ii)": True, "(iii)": False, "(iv)": True}
    assert "2 dimensions, e.g. those of clients 0 and 2" in reason(P, "(iii)")


def test_negative_entries_are_judged_by_lapack():
    P = np.array([[1.5, -0.5], [-0.5, 1.5]])
    assert verdicts(P) == {"(i)": False, "(ii)": True, "(iii)": True, "(iv)": False}
    assert reason(P, "(i)").startswith("P[0,0] = 1.5")  # the first in the order of rows
    assert "[1, 2]" in reason(P, "(iv)")


def test_an_entry_where_the_graph_has_no_edge_is_named():
    path = topology("path", 6).matrix(0)
    assert not verdicts(RING, path)["(i)"]
    assert reason(RING, "(i)", path) == f"P[0,5] = {float(RING[0, 5])!r}, but (0,5) is no edge"
    assert "P[0,5] = 0.0, but (0,5) is an edge" in reason(path, "(i)", RING)


def test_rows_that_do_not_sum_to_one_are_named():
    P = topology("star", 4, weights="uniform").matrix(0)
    assert reason(P, "(iii)") == "row 0 of P sums to 1.75, so P 1 != 1"


@pytest.mark.parametrize(
    ("P", "message"),
    [
        (np.ones((2, 3)), r"P has shape \(2, 3\); need \(n, n\)"),
        (np.ones((0, 0)), r"P has shape \(0, 0\)"),
        (np.array([[1.0, np.nan], [0, 1]]), r"P\[0,1\] = nan; need a finite number"),
    ],
)
def test_what_is_no_matrix_is_refused(P, message):
    with pytest.raises(ValueError, match=message):
        definition1(P)
