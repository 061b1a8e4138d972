"""The pair (C, q) of ||P^m - J||_2 <= C q^m, against eigenvalues that are known."""

import numpy as np
import pytest

from theorylab.constants import mixing_pair


@pytest.mark.parametrize("w", [0.5, 0.3, 1e-3, 1e-6, 1e-10])
def test_a_lazy_pair_contracts_by_its_second_eigenvalue(w):
    # eigenvalue 1 - 2w: ||P^m - J|| = (1 - 2w)^m
    C, q = mixing_pair(np.array([[1 - w, w], [w, 1 - w]]))
    assert np.isfinite(C.value)
    assert 1 - 2 * w <= q.value < 1
    for m in (1, 2, 10, 1000, 10**6, 10**9):
        if w < 0.5:
            assert m * np.log1p(-2 * w) <= np.log(C.value) + m * np.log(q.value) + 1e-9
    assert C.value * q.value / (1 - q.value) <= 3 * (1 - 2 * w) / (2 * w) + 1e-6


@pytest.mark.parametrize(
    ("P", "reason"),
    [
        (np.roll(np.eye(4), 1, axis=0), "period 4"),
        (np.eye(3), "3 closed classes"),
        ((np.roll(np.eye(4), 1, axis=0) + np.roll(np.eye(4), -1, axis=0)) / 2, "period 2"),
    ],
)
def test_what_never_mixes_has_no_pair_and_says_why(P, reason):
    C, q = mixing_pair(P)
    assert np.isinf([C.value, q.value]).all()
    assert reason in C.source


def test_what_rounding_hides_is_not_called_a_period():
    w = 2.0**-53
    C, _ = mixing_pair(np.array([[1 - w, w], [w, 1 - w]]))
    assert np.isinf(C.value)
    assert "as far as rounding lets see" in C.source


def lower_of_ring(n):
    P = np.eye(n) / 3 + (np.roll(np.eye(n), 1, axis=0) + np.roll(np.eye(n), -1, axis=0)) / 3
    return mixing_pair(P), (1 + 2 * np.cos(2 * np.pi / n)) / 3


def test_no_pair_is_below_the_second_eigenvalue_and_the_first_norm():
    (C, q), second = lower_of_ring(128)
    # symmetric: both are |lambda_2|, up to LAPACK's backward error
    assert second - 1e-12 <= q.lower <= second <= q.value
    assert second - 1e-12 <= C.lower <= second + 1e-14


@pytest.mark.parametrize("n", [3, 10, 64])
def test_on_a_network_that_is_not_symmetric_a_trace_bounds_it_from_below(n):
    C, q = mixing_pair((np.eye(n) + np.roll(np.eye(n), 1, axis=0)) / 2)
    second = np.cos(np.pi / n)
    # (n - 1)^(1/256) is what the trace of the 256th power loses
    assert second * (n - 1) ** (-1 / 256) * 0.97 <= q.lower <= second
    assert C.lower <= second
