"""The pair (C, q) of ||P^m - J||_2 <= C q^m, against eigenvalues that are known."""

import numpy as np
import pytest

from theorylab.experiments._deprl_instance import contraction


@pytest.mark.parametrize("w", [0.5, 0.3, 1e-3, 1e-6, 1e-10])
def test_a_lazy_pair_contracts_by_its_second_eigenvalue(w):
    # eigenvalue 1 - 2w: ||P^m - J|| = (1 - 2w)^m
    C, q = contraction(np.array([[1 - w, w], [w, 1 - w]]))
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
    C, q = contraction(P)
    assert np.isinf([C.value, q.value]).all()
    assert reason in C.source


def test_what_rounding_hides_is_not_called_a_period():
    w = 2.0**-53
    C, _ = contraction(np.array([[1 - w, w], [w, 1 - w]]))
    assert np.isinf(C.value)
    assert "as far as rounding lets see" in C.source
