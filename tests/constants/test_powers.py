"""Weights whose squares, and what is divided by them, float64 does not have."""

import math

import numpy as np
import pytest

from theorylab.constants import consensus_pairs
from theorylab.constants._envelope import Pairs
from theorylab.topologies.from_matrices import from_matrices


def pairs_of(P):
    return consensus_pairs(from_matrices([np.array(P, float)]), 5)


@pytest.mark.parametrize("e", [1e-80, 1e-100, 1e-155, 1e-250])
@pytest.mark.parametrize("kept", [0.0, 0.5])
def test_a_weight_whose_square_float64_lacks_is_in_every_C(e, kept):
    """At lag 0 and pi = (p, 1 - p), M = diag(1/w) - 11^T/2 with w near (2 p, 2)."""
    P = [[kept, e], [1 - kept, 1]] if kept else [[e, e * (1 + 2**-40)], [1, 1]]
    largest = (1 - kept) / (2 * e)
    for norm, (C, q) in pairs_of(P).items():
        assert C.within == ""
        assert C.value == pytest.approx(1 if norm == "entry" else largest, rel=2e-3)
        assert kept < q.value < 1


def test_a_weight_that_float64_cannot_divide_by_leaves_no_pair_for_all_lags():
    pairs = pairs_of([[0.5, 1e-300], [0.5, 1]])
    assert all(C.within or C.value == math.inf for C, _ in pairs.values())


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # by the walk: it divides all the same
@pytest.mark.parametrize("e", [5e-324, 2e-309])
def test_a_norm_beyond_float64_leaves_no_pair_where_every_column_is_the_same(e):
    assert all(q.value == math.inf for _, q in pairs_of([[e, e], [1, 1]]).values())


def test_a_C_beyond_float64_is_none():
    pairs = Pairs(np.array([0.0, 10.0]), np.array([690.0, 650.0]), 1e-3)
    assert pairs.C(0.5) == pytest.approx(math.exp(690), rel=1e-8)
    assert pairs.C(1e-3) == math.inf  # e^719 is needed
