import math

import networkx
import numpy as np
import pytest
from scipy import sparse

from theorylab.constants import constants_of, topology_constants
from theorylab.constants import constants_of as same
from theorylab.known import How
from theorylab.topologies import topology

RING = topology("ring", 6).matrix(0)


@pytest.mark.parametrize("kind", ["csr_array", "csr_matrix", "coo_array", "csc_matrix", "toarray"])
def test_every_kind_of_matrix_gives_what_the_topology_gives(kind):
    given = RING.toarray() if kind == "toarray" else getattr(sparse, kind)(RING)
    found, expected = constants_of(given, 20), topology_constants(topology("ring", 6), 20)
    assert all(found[name] == known for name, known in expected.items() if name != "uniform")
    assert found["lambda"].value == found["lambda2"].value == pytest.approx(2 / 3, rel=1e-14)
    assert found["periodicity"].value == found["strongly_connected"].value == 1
    assert found["perron_min"].value == found["perron_max"].value == 1 / 6


def test_a_networkx_graph_will_do():
    found = constants_of(networkx.cycle_graph(6), 20)
    assert found["lambda2"].value == pytest.approx(2 / 3, rel=1e-14)
    directed = constants_of(networkx.cycle_graph(6, create_using=networkx.DiGraph), 20)
    assert directed["lambda2"].value == pytest.approx(math.cos(math.pi / 6), abs=1e-14)
    assert "lambda" not in directed


def test_certified_constants_replace_the_others_on_request():
    found = constants_of(RING, 10, certify=True)
    assert found["lambda2"].how is How.CERTIFIED
    assert found["lambda2"].lower <= 2 / 3 <= found["lambda2"].upper + 1e-16


def test_the_input_is_not_changed():
    given = RING.toarray()
    before = given.copy()
    constants_of(given, 5)
    assert np.array_equal(given, before)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (np.ones((2, 3)), r"constants_of: P has shape \(2, 3\)"),
        (np.ones((0, 0)), r"constants_of: P has shape \(0, 0\)"),
        (np.array([[0.5, 0.5], [0.5, 0.4]]), "constants_of: column 1 of P sums to 0.9; need 1"),
        (np.array([[1.0, np.nan], [0, 1]]), r"constants_of: P\[0,1\] = nan; need finite and >= 0"),
        (np.eye(2), "constants_of: client 1 cannot be reached from client 0"),
        (networkx.Graph(), "constants_of: the graph has no node"),
    ],
)
def test_bad_input_is_one_line_with_row_column_and_value(given, message):
    with pytest.raises(ValueError, match=message) as caught:
        constants_of(given)
    assert "\n" not in str(caught.value)


def test_neither_matrix_nor_graph_is_a_type_error():
    with pytest.raises(TypeError, match="constants_of: got a str; need a numpy or scipy matrix"):
        same("ring")


def test_the_smallest_entry_has_one_name():
    found = constants_of(sparse.csr_array([[0.75, 0.5], [0.25, 0.5]]))
    assert found["p"].value == 0.25
    assert "p_min" not in found


@pytest.mark.parametrize(
    ("part", "at", "value"),
    [("indptr", 1, 8), ("indptr", 2, -1), ("indptr", 3, 99), ("indices", 4, 3), ("indices", 0, -1)],
)
def test_a_broken_sparse_matrix_is_refused_before_scipy_follows_its_indices(part, at, value):
    P = sparse.csr_array(np.full((3, 3), 1 / 3))
    getattr(P, part)[at] = value
    with pytest.raises(ValueError, match="P is a broken sparse array") as caught:
        constants_of(P)
    assert "\n" not in str(caught.value)
