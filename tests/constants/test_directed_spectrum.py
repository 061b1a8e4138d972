"""|lambda_2| of matrices far from normal: exact, enclosed, bounded, or an estimate within 1 %."""

import itertools
import math
import warnings

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array, diags_array
from scipy.sparse.linalg import eigs

from theorylab.constants import _directed_spectrum, lambda2, spectral_gap, spectrum
from theorylab.known import How
from theorylab.topologies import topology

EPS = float(np.finfo(float).eps)


def lazy_walk(n, back=0.0):
    """Every client keeps 1/2 and passes 1/2 on; the last absorbs, but for a share ``back``."""
    P = diags_array([[0.5] * (n - 1) + [1 - back], [0.5] * (n - 1)], offsets=[0, -1]).tolil()
    if back:
        P[0, n - 1] = back
    return csr_array(P)


def de_bruijn(n, stays=0.0):
    """j -> 2j, 2j + 1 mod n: I * stays + a matrix whose other eigenvalues are 0, in long blocks."""
    j, half = np.arange(n), np.full(n, (1 - stays) / 2)
    P = csr_array((np.r_[half, half], (np.r_[2 * j % n, (2 * j + 1) % n], np.r_[j, j])), (n, n))
    return csr_array(P + diags_array(np.full(n, stays))) if stays else P


def digraph(n, degree, seed):
    """Every client sends to itself and ``degree`` others, with unequal shares."""
    rng = np.random.default_rng(seed)
    columns = np.repeat(np.arange(n), degree + 1)
    rows = np.concatenate([[j, *rng.choice(n, degree, replace=False)] for j in range(n)])
    P = csr_array((rng.uniform(0.2, 1, len(rows)), (rows, columns)), (n, n))
    P.sum_duplicates()
    return csr_array(P / P.sum(axis=0))


def kept_promise(known, truth, rounding):
    """What every |lambda_2| promises, given the true one up to ``rounding``."""
    if known.how is How.EXACT:
        return abs(known.value - truth) <= rounding
    if known.how is How.ESTIMATE:
        return abs(known.value - truth) <= 0.01 * min(truth, 1 - truth) + rounding
    low = 0 if known.lower is None else known.lower
    return known.how is not How.LOWER and low - rounding <= truth <= known.upper + rounding


@pytest.mark.parametrize("n", [2, 100, 130, 1000, 2000, 20_000, 100_000])
def test_a_lazy_walk_into_an_absorbing_client_is_one_half(n):
    known = lambda2(lazy_walk(n))
    assert (known.value, known.how) == (0.5, How.EXACT)
    assert spectral_gap(known).value == 0.5


@pytest.mark.parametrize("n", [40, 300])
def test_the_clients_may_come_in_any_order(n):
    order = np.random.default_rng(n).permutation(n)
    assert lambda2(csr_array(lazy_walk(n)[order][:, order])).value == 0.5


@pytest.mark.parametrize(("n", "back"), [(20, 1e-9), (100, 1e-30), (150, 1e-30), (600, 1e-12)])
def test_a_walk_that_nearly_ends_has_the_root_of_its_polynomial(n, back):
    # (x - 1/2)^(n-1) (x - 1 + b) = b / 2^(n-1): one fixed point for every root of unity.
    turn = np.exp(2j * np.pi * np.arange(1, n - 1) / (n - 1))  # the turn 1 belongs to x = 1
    x = 0.5 + 0.4 * turn
    for _ in range(100):
        before, x = x, 0.5 + 0.5 * turn * (back / (x - 1 + back)) ** (1 / (n - 1))
    assert np.abs(x - before).max() <= 8 * EPS
    assert kept_promise(lambda2(lazy_walk(n, back)), np.abs(x).max(), 64 * EPS * n)


@pytest.mark.parametrize("n", [64, 256, 512, 4096])
@pytest.mark.parametrize("stays", [0, 0.5])
def test_long_jordan_blocks_are_enclosed_or_bounded(n, stays):
    known = lambda2(de_bruijn(n, stays))
    assert known.how is How.UPPER
    assert kept_promise(known, stays, 64 * EPS * n)
    if n <= 256:
        assert known.upper - stays <= 0.01 * stays
    if n <= 512:
        assert known.upper < 0.8


@pytest.mark.parametrize("n", [129, 1000])
def test_a_normal_matrix_has_all_its_digits(n):
    gap = spectral_gap(lambda2(topology("directed-ring", n).matrix(0))).value
    assert abs(gap - (1 - math.cos(math.pi / n))) <= 64 * EPS * n


def test_an_eigenvalue_of_modulus_one_is_exactly_one():
    drain = lazy_walk(3).toarray()[:2]
    ring = np.roll(np.eye(1500), 1, axis=0)  # the period of the only closed class
    P = np.block([[np.vstack([drain[:, :2]]), np.zeros((2, 1500))], [np.zeros((1500, 2)), ring]])
    P[2, 1] = 0.5
    known = lambda2(csr_array(P))
    assert (known.value, known.how) == (1, How.EXACT)


@pytest.mark.parametrize("n", [6, 10])
@pytest.mark.parametrize("seed", range(3))
def test_small_digraphs_agree_with_forty_digits(n, seed):
    P = digraph(n, 2, seed)
    with mpmath.workdps(40):
        A = mpmath.matrix(P.toarray().tolist())
        for j in range(n):  # columns that sum to 1 in 40 digits
            total = mpmath.fsum(A[i, j] for i in range(n))
            for i in range(n):
                A[i, j] /= total
        values, _ = mpmath.eig(A)
        truth = float(sorted(abs(x) for x in values)[-2])
    known = lambda2(P)
    assert abs(known.value - truth) <= 64 * EPS * n
    assert kept_promise(known, truth, 64 * EPS * n)


@pytest.mark.parametrize(("n", "degree", "seed"), [(1000, 10, 0), (1500, 5, 1), (2000, 3, 2)])
def test_large_digraphs_agree_with_arpack_left_to_itself(n, degree, seed):
    P = digraph(n, degree, seed)
    values = eigs(P, k=20, ncv=100, v0=np.ones(n), return_eigenvectors=False)
    truth = float(np.sort(np.abs(values))[-2])
    known = lambda2(P)
    assert known.how is How.ESTIMATE
    assert known.value == pytest.approx(truth, rel=1e-6)  # residual 1e-8, condition some 30
    assert kept_promise(known, truth, 0)


@st.composite
def block_triangular(draw):
    """Transient blocks, upper shares, one closed block; and the dense blocks one by one."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    sizes = draw(st.lists(st.integers(1, 6), min_size=1, max_size=6))
    n, starts = sum(sizes), np.cumsum([0, *sizes])
    P = np.zeros((n, n))
    for a, b in itertools.pairwise(starts):
        P[a:b, a:b] = rng.uniform(0.05, 1, (b - a, b - a))
        P[b:, a:b] = rng.uniform(0, 1, (n - b, b - a)) * (rng.random((n - b, b - a)) < 0.5)
        if b < n:
            P[b, a] = 0.5  # mass leaves every block but the last
    P *= rng.uniform(0.2, 1, n)  # then columns to one: small and large shares
    P /= P.sum(axis=0)
    order = rng.permutation(n)
    blocks = [P[a:b, a:b] for a, b in itertools.pairwise(starts)]
    return csr_array(P[order][:, order]), blocks


@settings(max_examples=60)
@given(block_triangular())
def test_the_eigenvalues_are_those_of_the_blocks(drawn):
    P, blocks = drawn
    moduli = np.concatenate([np.abs(np.linalg.eigvals(block)) for block in blocks])
    truth = np.sort(moduli)[-2] if len(moduli) > 1 else 0.0
    # Positive blocks of up to 6: their largest eigenvalues are simple and well away from the rest,
    # but 1 - (leaving share) of two blocks may meet; both are then in ``moduli``.
    assert kept_promise(lambda2(P), truth, 1e-12)


def test_what_arpack_alone_gets_wrong_is_no_estimate(monkeypatch):
    P = digraph(400, 10, 5)
    truth = np.sort(np.abs(np.linalg.eigvals(P.toarray())))[-2]
    found = _directed_spectrum._matched

    def too_small(*given):  # an eigenvalue of the interior, and sure of itself
        value, error = found(*given)
        return 0.97 * value, error

    monkeypatch.setattr(_directed_spectrum, "_matched", too_small)
    assert lambda2(P).value == pytest.approx(truth, rel=1e-9)  # by LAPACK then
    monkeypatch.setattr(spectrum, "DENSE", 100)
    known = lambda2(P)
    assert (known.value, known.how) == (1, How.UPPER)
    assert "a random start does not rule out" in known.source


def test_no_warning_reaches_the_caller():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lambda2(lazy_walk(300, 1e-12))
        lambda2(digraph(150, 2, 0))
