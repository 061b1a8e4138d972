from fractions import Fraction

import numpy as np
import pytest
import torch
from scipy.sparse import csr_array, csr_matrix

from theorylab import _core
from theorylab.kernels import Mixing, push_mix, set_threads

SIZES = [(1, 1, 1), (2, 3, 1), (3, 5, 3), (2, 8, 17), (1, 6, 63), (2, 4, 80), (1, 30, 130)]


def draw(R, n, d, dtype=np.float64, seed=20240611, density=0.5):
    """A column-stochastic P with self-loops, states and positive weights."""
    rng = np.random.default_rng(seed)
    P = np.where(rng.random((n, n)) < density, rng.random((n, n)), 0) + np.eye(n)
    x = rng.standard_normal((R, n, d)).astype(dtype)
    return csr_array(P / P.sum(axis=0)), x, (rng.random((R, n)) + 0.5).astype(dtype)


def loops(P, x, w):
    """The contract to the bit: one product and one sum at a time, in the order of the CSR row."""
    x1, w1 = np.zeros_like(x), np.zeros_like(w)
    for i in range(P.shape[0]):
        for e in range(P.indptr[i], P.indptr[i + 1]):
            share, j = x.dtype.type(P.data[e]), P.indices[e]
            x1[..., i, :] += share * x[..., j, :]
            w1[..., i] += share * w[..., j]
    return x1, w1, x1 / w1[..., None]


def same(got, want):
    return all(a.dtype == b.dtype and np.array_equal(a, b) for a, b in zip(got, want, strict=True))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("size", SIZES)
def test_x1_and_w1_are_the_exact_sums_within_the_rounding_bound(size, dtype):
    R, n, d = size
    P, x, w = draw(*size, dtype)
    x1, w1, z1 = push_mix(P, x, w)
    dense, eps = P.toarray().astype(dtype), float(np.finfo(dtype).eps)
    # a sum of m products in order: |error| <= m u / (1 - m u) sum |p x|, u = eps/2 (Higham 2002,
    # 3.1 and 4.2); m eps is above that for every m <= n here
    for r in range(R):
        for i in range(n):
            m = P.indptr[i + 1] - P.indptr[i]
            for k in range(d):
                terms = [
                    Fraction(float(dense[i, j])) * Fraction(float(x[r, j, k])) for j in range(n)
                ]
                error = abs(Fraction(float(x1[r, i, k])) - sum(terms))
                assert error <= m * Fraction(eps) * sum(map(abs, terms))
            weight = sum(Fraction(float(dense[i, j])) * Fraction(float(w[r, j])) for j in range(n))
            assert abs(Fraction(float(w1[r, i])) - weight) <= m * Fraction(eps) * weight
    assert np.array_equal(z1, x1 / w1[..., None])  # IEEE division: not a product with 1 / w1


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_total_mass_is_conserved(dtype):
    R, n, d = 3, 40, 7
    P, x, w = draw(R, n, d, dtype)
    x1, w1, _ = push_mix(P, x, w)
    # n shares of one column, each rounded by u when normalized and again to dtype, then a sum of n
    # products: 2n + 2 roundings of at most eps each
    limit = (2 * n + 2) * np.finfo(dtype).eps
    total = np.abs(x).astype(np.float64).sum(axis=1)
    assert np.all(abs(x1.sum(1, dtype=np.float64) - x.sum(1, dtype=np.float64)) <= limit * total)
    assert np.all(abs(w1.sum(1, dtype=np.float64) - w.sum(1, dtype=np.float64)) <= limit * w.sum(1))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("size", SIZES)
def test_bits_are_those_of_plain_loops_and_inputs_stay_as_they_are(size, dtype):
    P, x, w = draw(*size, dtype)
    before = [a.copy() for a in (P.data, P.indices, P.indptr, x, w)]
    assert same(push_mix(P, x, w), loops(P, x, w))
    assert same([P.data, P.indices, P.indptr, x, w], before)


def test_the_order_of_the_row_is_the_order_of_the_sum():
    # 1e16 + 1 - 1e16 in three orders gives 0, 1, 0: a sorted or paired sum would show
    x, w = np.array([[1e16], [1.0], [-1e16]]), np.ones(3)
    for order in ([0, 1, 2], [0, 2, 1], [2, 0, 1]):
        indices = np.array([*order, 1, 2], dtype=np.int32)
        P = csr_array((np.ones(5), indices, np.array([0, 3, 4, 5])), shape=(3, 3))
        want = 0.0
        for j in order:
            want += x[j, 0]
        assert push_mix(P, x, w)[0][0, 0] == want


def test_a_product_is_rounded_before_it_is_added():
    # a**2 - b with b = round(a**2) is exactly 0 only without FMA
    a = 1 + 2.0**-30
    P = csr_array(np.array([[a, 1.0], [0.0, 1.0]]))
    x1, _, _ = push_mix(P, np.repeat([[a], [-(a * a)]], 200, axis=1), np.ones(2))
    assert np.all(x1[0] == 0)


def test_an_empty_row_gives_zero_mass_and_an_undefined_ratio():
    P = csr_array(np.array([[0.0, 0.0], [1.0, 1.0]]))
    x1, w1, z1 = push_mix(P, np.ones((2, 3)), np.ones(2))
    assert np.array_equal(x1, [[0] * 3, [2] * 3])
    assert np.array_equal(w1, [0, 2])
    assert np.all(np.isnan(z1[0]))
    assert np.all(z1[1] == 1)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_batch_is_its_runs_bit_for_bit(dtype):
    P, x, w = draw(4, 9, 700, dtype)
    _core.tune(packed_from=0)
    whole = push_mix(P, x, w)
    for r in range(4):
        assert same(push_mix(P, x[r], w[r]), [a[r] for a in whole])
        assert same(push_mix(P, x[r : r + 1], w[r : r + 1]), [a[r : r + 1] for a in whole])


@pytest.mark.parametrize("prepared", [False, True])
@pytest.mark.parametrize("tuning", [{"packed_from": 2**40}, {"packed_from": 0}])
def test_each_run_may_have_its_own_matrix(tuning, prepared):
    matrices = [draw(1, 6, 1, seed=seed, density=0.2 * seed)[0] for seed in range(1, 4)]
    _, x, w = draw(3, 6, 300)
    _core.tune(**tuning)
    got = push_mix(Mixing(matrices) if prepared else matrices, x, w)
    for r, P in enumerate(matrices):
        assert same([a[r] for a in got], loops(P, x[r], w[r]))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_mixing_is_its_matrix_and_keeps_a_private_copy(dtype):
    P, x, w = draw(2, 7, 20, dtype)
    want = push_mix(P, x, w)
    for mixing in (Mixing(P), Mixing(csr_matrix(P)), Mixing(P, dtype)):
        assert (mixing.clients, mixing.runs) == (7, None)
        assert same(push_mix(mixing, x, w), want)
    P.data[:] = 7
    P.indices[:] = 10**6
    assert same(push_mix(mixing, x, w), want)


def test_int64_indices_and_float32_entries_are_used_as_they_are():
    P, x, w = draw(2, 7, 300)
    wide = csr_array((P.data, P.indices.astype(np.int64), P.indptr.astype(np.int64)), shape=(7, 7))
    assert wide.indices.dtype == np.int64
    assert same(push_mix(wide, x, w), loops(P, x, w))
    assert same(push_mix(P.astype(np.float32), x, w), loops(P.astype(np.float32), x, w))
    assert same(push_mix(Mixing(P, np.float32), x, w), loops(P.astype(np.float32), x, w))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_out_receives_the_same_bits_and_is_returned(dtype):
    P, x, w = draw(2, 5, 90, dtype)
    out = (np.full_like(x, np.nan), np.full_like(w, np.nan), np.full_like(x, np.nan))
    got = push_mix(P, x, w, out=out)
    assert all(a is b for a, b in zip(got, out, strict=True))
    assert same(out, loops(P, x, w))


def test_tensors_give_tensors_over_the_same_memory():
    P, x, w = draw(2, 5, 90)
    tx, tw = torch.from_numpy(x), torch.from_numpy(w)
    got = push_mix(P, tx, tw)
    assert all(isinstance(a, torch.Tensor) for a in got)
    assert same([a.numpy() for a in got], loops(P, x, w))
    x[:] *= 2  # seen through the tensor: no copy was kept
    out = (torch.empty_like(tx), torch.empty_like(tw), torch.empty_like(tx))
    address = [a.data_ptr() for a in out]
    got = push_mix(P, tx, tw, out=out)
    assert [a.data_ptr() for a in got] == address
    assert same([a.numpy() for a in out], loops(P, x, w))


def test_no_run_or_no_coordinate_gives_empty_arrays():
    P, x, w = draw(2, 5, 3)
    assert [a.shape for a in push_mix(P, x[:0], w[:0])] == [(0, 5, 3), (0, 5), (0, 5, 3)]
    x1, w1, _ = push_mix(P, np.empty((2, 5, 0)), w)
    assert x1.shape == (2, 5, 0)
    assert np.array_equal(w1, loops(P, x, w)[1])


def test_the_thread_setting_is_kept_and_checked():
    set_threads(3)
    assert _core.get_threads() == 3
    with pytest.raises(ValueError, match="set_threads: 0 came; need 1 to 64"):
        set_threads(0)
    with pytest.raises(TypeError, match=r"set_threads: 2\.0 came; need an int"):
        set_threads(2.0)
