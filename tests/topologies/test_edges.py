import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from theorylab.topologies import check_column_stochastic, check_strongly_connected, unreachable


@given(st.integers(1, 7), st.data())
def test_unreachable_agrees_with_networkx_and_its_witness_is_true(n, data):
    pairs = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1))
    edges = data.draw(st.lists(pairs, max_size=2 * n))
    P = np.zeros((n, n))
    for j, i in edges:
        P[i, j] = 1
    graph = nx.DiGraph(edges)
    graph.add_nodes_from(range(n))
    witness = unreachable(csr_array(P))
    assert (witness is None) == nx.is_strongly_connected(graph)
    if witness is not None:
        client = int(witness.split()[1])
        ends = (0, client) if "from client 0" in witness else (client, 0)
        assert not nx.has_path(graph, *ends)


def column(*values):
    P = np.eye(3)
    P[:, 1] = values
    return P


@pytest.mark.parametrize("make", [np.asarray, csr_array])
@pytest.mark.parametrize(
    ("P", "error", "message"),
    [
        (np.ones((2, 3)), ValueError, r"here: P has shape \(2, 3\); need \(n, n\)"),
        (column(0.5, 0.4, 0.0), ValueError, "here: column 1 of P sums to 0.9; need 1"),
        (column(-0.5, 1.5, 0.0), ValueError, r"here: P\[0,1\] = -0.5; need finite and >= 0"),
        (column(np.nan, 1.0, 0.0), ValueError, r"here: P\[0,1\] = nan"),
        (column(0.0, np.inf, 0.0), ValueError, r"here: P\[1,1\] = inf"),
        (np.eye(2, dtype=complex), TypeError, "here: P has dtype complex128; need real"),
    ],
)
def test_a_matrix_that_is_not_column_stochastic_is_refused(make, P, error, message):
    with pytest.raises(error, match=message):
        check_column_stochastic(make(P), "here")


def test_a_row_stochastic_matrix_is_refused():
    with pytest.raises(ValueError, match=r"column 0 of P sums to 1\.5; need 1"):
        check_column_stochastic(np.array([[1.0, 0.0], [0.5, 0.5]]), "here")


def test_a_list_is_no_matrix():
    with pytest.raises(TypeError, match="P is a list; need a numpy or scipy sparse array"):
        check_column_stochastic([[1.0]], "here")


@pytest.mark.parametrize("n", [3, 7, 10, 49, 1000])
def test_shares_of_one_nth_pass(n):
    check_column_stochastic(np.full((n, n), 1 / n), "here")


def test_a_sum_off_by_more_than_rounding_is_refused():
    n = 10
    P = np.full((n, n), 1 / n)
    P[0, 4] += 4 * n * np.finfo(float).eps
    with pytest.raises(ValueError, match="column 4"):
        check_column_stochastic(P, "here")


def test_a_cut_off_client_is_named():
    P = csr_array(np.array([[1.0, 0.5], [0.0, 0.5]]))  # 1 -> 0, never back
    with pytest.raises(ValueError, match="here: client 1 cannot be reached from client 0"):
        check_strongly_connected(P, "here")
    with pytest.raises(ValueError, match="here: client 1 cannot reach client 0"):
        check_strongly_connected(csr_array(np.array([[0.5, 0.0], [0.5, 1.0]])), "here")
