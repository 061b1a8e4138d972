import networkx as nx
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from scipy.sparse import coo_array, csr_array

from theorylab import strategies as drawn
from theorylab.registry import restored
from theorylab.topologies import from_matrices, names, topology

HALF = [[0.5, 0.5], [0.5, 0.5]]


@settings(max_examples=50)
@given(drawn.periodic_sequences())
def test_the_matrices_come_in_turn_entry_for_entry(sequence):
    dense = [sequence.matrix(t).toarray() for t in range(sequence.period)]
    made = from_matrices(dense)
    assert (made.period, made.clients) == (len(dense), len(dense[0]))
    for t in range(2 * len(dense)):
        P = made.matrix(t)
        assert np.array_equal(P.toarray(), dense[t % len(dense)])
        assert P.has_canonical_format
        assert not P.data.flags.writeable


@pytest.mark.parametrize(
    "given_as",
    [
        HALF,
        np.array(HALF),
        csr_array(HALF),
        coo_array(([0.5, 0.25, 0.25, 0.5, 0.5], ([0, 0, 0, 1, 1], [0, 1, 1, 0, 1]))),
        torch.tensor(HALF),
        nx.complete_graph(2),
    ],
    ids=["lists", "array", "csr", "coo with duplicates", "tensor", "networkx"],
)
def test_a_matrix_may_be_dense_sparse_or_a_graph(given_as):
    assert np.array_equal(from_matrices([given_as]).matrix(0).toarray(), HALF)


def test_a_name_makes_it_known_to_commands():
    with restored():
        made = from_matrices([HALF, np.eye(2)], name="switching")
        assert "switching" in names()
        again = topology(**made.describe())
        assert again.period == 2
        assert np.array_equal(again.matrix(1).toarray(), np.eye(2))
        with pytest.raises(ValueError, match="its matrices are of 2 clients; need clients = 2"):
            topology("switching", 3)
        with pytest.raises(ValueError, match=r"'switching' is taken: .*test_from_matrices\.py"):
            from_matrices([HALF], name="switching")
    assert "switching" not in names()


def test_a_matrix_whose_rows_sum_to_one_has_to_say_so():
    pull = np.array([[0.5, 0.5, 0.0], [0.0, 0.5, 0.5], [0.5, 0.25, 0.25]])
    made = from_matrices([pull], sums="rows")
    assert not made.column_stochastic
    with pytest.raises(ValueError, match=r"column 1 of P sums to 1\.25; need 1; its rows do: need"):
        from_matrices([pull])


LEAKS = [[0.5, 0.4], [0.5, 0.5]]  # column 1 sums to .9


@pytest.mark.parametrize(
    ("matrices", "options", "error", "message"),
    [
        ([HALF, LEAKS], {}, ValueError, r"matrix 1: column 1 of P sums to 0\.9; need 1"),
        ([LEAKS], {"sums": "rows"}, ValueError, r"matrix 0: row 0 of P sums to 0\.9; need 1"),
        ([[[1.5, 0], [-0.5, 1]]], {}, ValueError, r"P\[1,0\] = -0\.5; need finite and >= 0"),
        ([[[1, -0.5], [0, 1.5]]], {"sums": "rows"}, ValueError, r"P\[0,1\] = -0\.5"),
        ([[[np.nan, 1], [1, 0]]], {}, ValueError, r"P\[0,0\] = nan"),
        ([[[1, 0]]], {}, ValueError, r"P has shape \(1, 2\); need \(n, n\)"),
        ([HALF, np.eye(3)], {}, ValueError, r"matrix 1: P has shape \(3, 3\); need \(2, 2\)"),
        ([[["a"]]], {}, TypeError, "matrix 0: it is a list; need an"),
        ([], {}, ValueError, "no matrix came"),
        (3, {}, TypeError, "matrices is 3; need a list"),
        ([HALF], {"sums": "row"}, ValueError, "sums is 'row'; need one of columns, rows"),
    ],
)
def test_what_is_no_mixing_matrix_is_told_in_one_line(matrices, options, error, message):
    with restored(), pytest.raises(error, match=message) as caught:
        from_matrices(matrices, name="mine", **options)
    assert "\n" not in str(caught.value)
    where = str(caught.value)
    assert "mine (tests/topologies/test_from_matrices.py, line" in where or "matrices" in where


def test_no_name_is_left_behind_by_a_wrong_matrix():
    with restored():
        with pytest.raises(ValueError, match="column 1"):
            from_matrices([LEAKS], name="mine")
        assert from_matrices([HALF], name="mine").period == 1
