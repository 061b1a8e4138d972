"""One lag of a product, and its sums, are those of whole matrices in exact arithmetic."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.sparse import csr_array

from theorylab import _core
from theorylab.kernels import Mixing
from theorylab.kernels._lag_sums import COLUMNS, first_lag, lag_sums


def network(n, seed, index=np.int32):
    """(P, E, here, before) of n clients; the columns of P sum to 1 but for rounding."""
    draw = np.random.default_rng(seed)
    P = draw.random((n, n)) * (draw.random((n, n)) < 0.5) + np.eye(n)
    rows = csr_array(P / P.sum(axis=0))
    rows.indptr, rows.indices = rows.indptr.astype(index), rows.indices.astype(index)
    return rows, draw.standard_normal((n, n)), *draw.uniform(0.5, 2, (2, n))


def in_blocks(E):
    n = len(E)
    wide = np.pad(E, ((0, 0), (0, -n % COLUMNS)))
    return wide.reshape(n, -1, COLUMNS).swapaxes(0, 1).copy()


def whole(E):
    """The columns of the blocks side by side, without the padding."""
    n = E.shape[1]
    return E.transpose(1, 0, 2).reshape(n, -1)[:, :n]


@pytest.mark.parametrize("n", [1, 7, 8, 9, 21])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_a_lag_is_the_product_less_its_weighted_average_and_the_sums_are_of_it(n, index):
    P, E, here, before = network(n, n, index)
    blocks = in_blocks(E)
    told = lag_sums(Mixing(P), blocks, here, before, 0.25)
    fractions = np.vectorize(Fraction, otypes=[object])
    exact = fractions(P.toarray())
    product, w = exact @ fractions(E), exact @ fractions(here)
    expected = product - np.outer(w, product.sum(axis=0) / n)
    room = 4 * (n + 4) * 2.0**-53 * np.abs(E).max() * n  # so many roundings of so large sums
    size = np.abs(expected)
    np.testing.assert_allclose(whole(blocks), expected.astype(float), rtol=0, atol=room)
    np.testing.assert_allclose(told.weights, w.astype(float), rtol=(n + 2) * 2.0**-53)
    assert told.top == np.abs(whole(blocks)).max()
    weighed = size * fractions(before)
    room *= 8 * n * (1 + float(size.max()))
    for have, want in (
        (told.rows[:, 0], size.sum(axis=1)), (told.rows[:, 1], weighed.sum(axis=1)),
        (told.squares[:, 0] * 16, (size**2).sum(axis=1)),
        (told.squares[:, 1] * 16, (weighed**2).sum(axis=1)),
        (told.columns[0], size.sum(axis=0)), (told.columns[1], (size / w[:, None]).sum(axis=0)),
    ):  # fmt: skip
        np.testing.assert_allclose(have, want.astype(float), rtol=0, atol=room)


@pytest.mark.parametrize("n", [1, 8, 13])
def test_the_first_lag_is_the_identity_less_the_weights(n):
    before = np.random.default_rng(n).uniform(0.5, 2, n)
    np.testing.assert_array_equal(first_lag(before), in_blocks(np.eye(n) + before[:, None] / -n))


def test_without_a_matrix_nothing_moves_and_squares_may_be_left_out():
    _, E, here, before = network(11, 3)
    blocks = in_blocks(E)
    told = lag_sums(None, blocks, here, before, None)
    np.testing.assert_array_equal(whole(blocks), E)
    np.testing.assert_array_equal(told.weights, here)
    assert told.squares is None
    np.testing.assert_allclose(told.rows[:, 0], np.abs(E).sum(axis=1), rtol=11 * 2.0**-53)


def test_instruction_sets_agree_to_the_bit():
    P, E, here, before = network(19, 5)
    isa, digests = _core.isa(), set()
    try:
        for name in _core.usable_isas().split(", "):
            _core.use_isa(name)
            blocks = in_blocks(E)
            told = lag_sums(Mixing(P), blocks, here, before, 0.5)
            arrays = (blocks, told.weights, told.rows, told.squares, told.columns)
            digests.add(b"".join(a.tobytes() for a in arrays) + repr(told.top).encode())
    finally:
        _core.use_isa(isa)
    assert len(digests) == 1


def test_the_columns_of_a_block_are_the_kernel_s():
    P, E, here, before = network(COLUMNS + 1, 5)
    assert lag_sums(Mixing(P), in_blocks(E), here, before, None).columns.shape == (2, COLUMNS + 1)


def test_what_does_not_go_together_is_refused():
    P, E, here, before = network(9, 5)
    for matrix, blocks, weights in (
        (Mixing(P), E, before), (Mixing(P), in_blocks(E), before[:4]),
        (Mixing([P, P]), in_blocks(E), before), (Mixing(P, np.float32), in_blocks(E), before),
        (Mixing(network(8, 1)[0]), in_blocks(E), before),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=r"lag_sums|_core"):
            lag_sums(matrix, blocks, here, weights, None)
