"""The parts that |lambda_2| is put together from: bounds by powers, random starts, joins."""

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from theorylab.constants import _lanczos
from theorylab.constants._modulus import enclosed, estimated, exactly, larger
from theorylab.constants._power_bounds import bound_from_random_start, enclosure_by_powers
from theorylab.known import How

EPS = float(np.finfo(float).eps)
moduli = st.floats(0.01, 0.99)


def random_matrix(n, seed):
    P = np.random.default_rng(seed).uniform(0, 1, (n, n)) ** 4
    return P / P.sum(axis=0)


def second(P):
    return float(np.sort(np.abs(np.linalg.eigvals(P)))[-2])


@given(moduli, st.floats(0, 1))
@example(0.99, 0.005)
@example(0.01, 0.005)
@example(0.5, 0.005)
def test_an_estimate_is_within_a_hundredth_of_the_value_and_of_the_gap(value, error):
    found = estimated(value, error, "made up")
    if error > 0.01 * value or error > 0.01 * (1 - value):
        assert found is None
    else:
        assert (found.value, found.how) == (value, How.ESTIMATE)
        assert found.source == f"made up; error about {error:.1g}"
        assert (found.known().lower, found.known().upper) == (None, None)


def test_an_enclosure_is_an_upper_bound_with_a_lower_end():
    assert enclosed(0, 0.5, "").known().lower is enclosed(-1, 2, "").known().lower is None
    assert (enclosed(0, 0, "").known().lower, enclosed(0.1, 0.5, "").known().lower) == (0, 0.1)
    assert enclosed(0.1, 2, "").known().upper == 1
    known = enclosed(0.1, 0.5, "").known()
    assert (known.value, known.how) == (0.5, How.UPPER)  # the gap is then not too large


ends = st.tuples(moduli, moduli, moduli).map(sorted)


@given(ends, ends, st.booleans(), st.booleans())
def test_the_larger_of_two_holds_the_larger_of_any_two_numbers_in_them(one, other, guess, point):
    first = enclosed(one[0], one[2], "first")
    if guess:
        first = estimated(one[1], 0.005 * min(one[1], 1 - one[1]), "first")
    rest = exactly(other[1], "rest") if point else enclosed(other[0], other[2], "rest")
    found, back = larger(first, rest), larger(rest, first)
    assert found[:3] == back[:3]
    for x in (first.low, first.value, first.high):
        for y in (rest.low, rest.value, rest.high):
            assert found.low <= max(x, y) <= found.high
    if found.how is How.ESTIMATE:
        assert found.high - found.low <= 0.03 * found.value


@pytest.mark.parametrize("n", [2, 3, 10, 60])
@pytest.mark.parametrize("seed", range(4))
def test_powers_enclose_the_second_eigenvalue(n, seed):
    P = random_matrix(n, seed)
    found = enclosure_by_powers(P)
    truth = second(P)
    # eigvals: n eps times a condition number of some ten
    assert found.low - 100 * n * EPS <= truth <= found.high + 100 * n * EPS
    if n >= 10:  # a column's norm is then no large multiple of the eigenvalue
        assert found.high - found.low <= 1e-3 * truth


def test_powers_of_a_long_jordan_block_see_their_own_rounding():
    n = 40  # upper shift plus a drain: every eigenvalue but 1 is exactly a
    for a in (0.3, 0.7):
        T = np.diag(np.full(n, a)) + np.diag(np.full(n - 1, 1 - a), 1)
        P = np.zeros((n + 1, n + 1))
        P[1:, 1:] = T
        P[0] = 1 - P.sum(axis=0)
        found = enclosure_by_powers(P)
        assert found.low <= a <= found.high


@pytest.mark.parametrize("k", [2, 3, 4])
def test_rounding_makes_no_lower_end_where_every_power_vanishes(k):
    n = 3**k  # j -> 3j, 3j + 1, 3j + 2 mod n: N^k = 0, and 1/3 is no float64
    P = np.zeros((n, n))
    for j in range(n):
        P[(3 * j + np.arange(3)) % n, j] = 1 / 3
    assert np.abs(np.linalg.matrix_power(P - 1 / n, k)).max() < n * EPS
    assert enclosure_by_powers(P).low == 0


@pytest.mark.parametrize("seed", range(6))
def test_a_random_start_bounds_and_comes_close(seed):
    P = random_matrix(50, seed)
    truth = second(P)
    loose, _ = bound_from_random_start(csr_array(P), 0, 40)
    tight, steps = bound_from_random_start(csr_array(P), 1.01 * truth, 5000)
    assert truth <= tight <= 1.01 * truth < loose
    assert steps < 5000
    assert bound_from_random_start(csr_array(P), 0, 1)[0] >= truth


def test_a_random_start_allows_for_the_direction_it_missed():
    # |u^T g| may be tiny: with 8 columns the chance of 1e-10 costs a factor of 14 at step 1.
    P = csr_array(np.array([[0.75, 0.25], [0.25, 0.75]]))  # one direction, eigenvalue 1/2
    bound, _ = bound_from_random_start(P, 0, 1)
    largest = 2 * math.sqrt(2 * math.log(8 / 1e-10))  # no draw of eight is beyond
    assert 0.5 < bound <= 0.5 * largest / (1e-10 ** (1 / 8) * math.sqrt(math.pi / 2))
    assert bound >= 0.5 * 1e-10 ** (1 / 8) / (1e-10 ** (1 / 8) * math.sqrt(math.pi / 2))


def test_lanczos_takes_the_steps_that_its_theorem_asks_for():
    # 1.648 sqrt(n) exp(-sqrt(share) (2 k - 1)) <= 1e-10, and not for k - 1
    for n, share in ((100, 0.01), (10**6, 0.02)):
        k = _lanczos.least_steps(n, share)
        failing = [
            1.648 * math.sqrt(n) * math.exp(-math.sqrt(share) * (2 * j - 1)) for j in (k, k - 1)
        ]
        assert failing[0] <= 1e-10 < failing[1]
    spectrum = np.linspace(0, 0.9, 500)
    calls = []
    value, residual, steps = _lanczos.largest(
        lambda v: calls.append(1) or spectrum * v, 500, 0.01, lambda _: 1e-8
    )
    assert abs(value - 0.9) <= residual + 8 * EPS
    assert residual <= 1e-8
    assert len(calls) >= steps >= _lanczos.least_steps(500, 0.01)
