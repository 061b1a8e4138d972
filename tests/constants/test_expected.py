import itertools
from fractions import Fraction

import numpy as np
import pytest

from theorylab.constants import mean_contraction, mean_matrix
from theorylab.known import How
from theorylab.topologies import topology


def every_matrix(n, degree):
    """All edge sets by plain loops, in rationals."""
    choices = [
        [c for c in itertools.combinations(range(n), degree + 1) if j in c] for j in range(n)
    ]
    for columns in itertools.product(*choices):
        yield [[Fraction(int(i in columns[j]), degree + 1) for j in range(n)] for i in range(n)]


@pytest.mark.parametrize(("n", "degree"), [(3, 1), (4, 2), (4, 0), (5, 1)])
def test_the_mean_of_random_out_is_the_enumerated_one(n, degree):
    total, number = np.full((n, n), Fraction(0)), 0
    for P in every_matrix(n, degree):
        total, number = total + np.array(P), number + 1
    E, source = mean_matrix(topology("random-out", n, degree=degree))
    assert "closed form" in source
    # one division each
    assert np.abs(E - (total / number).astype(float)).max() <= 2 * np.finfo(float).eps


def test_the_second_moment_map_is_the_mean_kronecker_square():
    n, degree = 4, 1
    matrices = [np.array(P, dtype=float) for P in every_matrix(n, degree)]
    E = sum(matrices) / len(matrices)
    J = np.full((n, n), 1 / n)  # E[P] of random-out is doubly stochastic
    assert np.abs(E @ np.ones(n) - 1).max() < 1e-14
    square = sum(np.kron(P - J, P - J) for P in matrices) / len(matrices)
    # P - J maps into 1^T x = 0 and kills nothing there; elsewhere it only adds zero eigenvalues
    lift = np.kron(np.eye(n) - J, np.eye(n) - J)
    expected = np.abs(np.linalg.eigvals(lift @ square @ lift)).max()
    found = mean_contraction(topology("random-out", n, degree=degree))
    assert found["contraction_ms"].how is How.EXACT
    assert "all 81 edge sets" in found["contraction_ms"].source
    assert found["contraction_ms"].value == pytest.approx(expected, rel=1e-12)
    # Jensen: the mean decays at least as fast as the root of the second moment
    assert found["lambda2_mean"].value ** 2 <= found["contraction_ms"].value
    assert "contraction_step" not in found  # single draws are not doubly stochastic


def test_a_static_matrix_contracts_by_its_own_square():
    found = mean_contraction(topology("ring", 6))
    second = (1 + 2 * np.cos(2 * np.pi / 6)) / 3
    assert found["contraction_ms"].value == pytest.approx(second**2, rel=1e-12)
    assert found["contraction_step"].value == pytest.approx(second**2, rel=1e-12)
    assert found["lambda2_mean"].value == pytest.approx(second, rel=1e-12)


def test_a_sample_says_that_it_is_one():
    found = mean_contraction(topology("random-out", 12, degree=3), runs=300)
    assert found["contraction_ms"].how is How.ESTIMATE
    assert "300 drawn matrices" in found["contraction_ms"].source
    drawn = topology("erdos-renyi", 5, p=0.5, time_varying=True)
    found = mean_contraction(drawn, runs=400)
    # Metropolis on G(n, p) is doubly stochastic: r <= rho
    assert found["contraction_ms"].value <= found["contraction_step"].value + 1e-12


def test_one_client_has_nothing_to_disagree_about():
    assert mean_contraction(topology("complete", 1))["contraction_ms"].value == 0


def test_too_many_clients_are_refused():
    with pytest.raises(ValueError, match="clients is 50, runs 10; need clients <= 40, runs >= 1"):
        mean_contraction(topology("random-out", 50), runs=10)
