import numpy as np
import pytest

from theorylab.constants import dobrushin, ergodic_coefficient, product
from theorylab.known import How
from theorylab.topologies import topology

EPS = np.finfo(float).eps


def plain_tau(Phi):
    n = len(Phi)
    pairs = ((j, k) for j in range(n) for k in range(n))
    return max(sum(abs(Phi[i, j] - Phi[i, k]) for i in range(n)) / 2 for j, k in pairs)


def test_the_product_applies_the_latest_round_last():
    built = topology("random-out", 6, degree=2, seed=3)
    expected = np.eye(6)
    for t in range(2, 5):
        expected = built.matrix(t, 1).toarray() @ expected
    # 6-term sums, three rounds, entries below 1
    assert np.abs(product(built, 5, 2, run=1) - expected).max() <= 18 * EPS
    assert np.array_equal(product(built, 3, 3), np.eye(6))


def test_tau_is_the_definition_and_bounded_below_by_lambda2():
    built = topology("random-out", 7, degree=2, seed=1)
    P = built.matrix(0).toarray()
    assert dobrushin(P) == pytest.approx(plain_tau(P), abs=8 * EPS)
    assert dobrushin(P) >= np.sort(np.abs(np.linalg.eigvals(P)))[-2] - 1e-14
    known = ergodic_coefficient(built, 4)
    exact = plain_tau(product(built, 4))
    assert known.how is How.UPPER
    assert exact <= known.value <= exact + 100 * EPS  # (7 + 1) roundings for each of 4 rounds


def test_tau_of_equal_columns_is_zero_and_of_the_identity_one():
    assert dobrushin(np.full((4, 4), 0.25)) == 0
    assert dobrushin(np.eye(3)) == 1
    assert dobrushin(np.eye(1)) == 0
    assert ergodic_coefficient(topology("ring", 5), 2, 2).value == 1


def test_products_of_tau_bound_the_tau_of_products():
    built = topology("random-out", 6, degree=2, seed=5)
    first, second = ergodic_coefficient(built, 3), ergodic_coefficient(built, 6, 3)
    assert ergodic_coefficient(built, 6).value <= first.value * second.value * (1 + 1e-13)


def test_bad_rounds_and_matrices_are_named():
    with pytest.raises(ValueError, match="product: t is 1, s is 2; need 0 <= s <= t"):
        product(topology("ring", 4), 1, 2)
    with pytest.raises(ValueError, match=r"dobrushin: column 1 of P sums to 0.5; need 1"):
        dobrushin(np.array([[1.0, 0.25], [0.0, 0.25]]))
