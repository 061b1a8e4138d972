"""push_mix of plain NumPy arrays skips the checks in Python: same bits, same refusals."""

import itertools

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from theorylab import _core
from theorylab.kernels import Mixing, push_mix

FLOATS = st.sampled_from([np.float32, np.float64])


def draw(R, n, d, dtype, seed, matrices=1):
    rng = np.random.default_rng(seed)
    P = [
        csr_array(np.where(rng.random((n, n)) < 0.6, rng.random((n, n)), 0))
        for _ in range(matrices)
    ]
    return P, rng.standard_normal((R, n, d)).astype(dtype), (rng.random((R, n)) + 0.5).astype(dtype)


def loops(P, x, w):
    """The contract to the bit: one product and one sum at a time, in the order of the CSR row."""
    x1, w1 = np.zeros_like(x), np.zeros_like(w)
    for r, i in np.ndindex(w.shape):
        matrix = P[r % len(P)]
        for e in range(matrix.indptr[i], matrix.indptr[i + 1]):
            share, j = x.dtype.type(matrix.data[e]), matrix.indices[e]
            x1[r, i] += share * x[r, j]
            w1[r, i] += share * w[r, j]
    with np.errstate(divide="ignore", invalid="ignore"):
        return x1, w1, x1 / w1[..., None]


def same(got, want):
    return all(
        a.shape == b.shape and a.dtype == b.dtype and np.array_equal(a, b, equal_nan=True)
        for a, b in zip(got, want, strict=True)
    )


@given(
    st.integers(1, 3), st.integers(1, 9), st.integers(1, 140), FLOATS, st.booleans(), st.booleans(),
    st.sampled_from(_core.usable_isas().split(", ")), st.integers(0, 2**32),
)  # fmt: skip
@settings(max_examples=300)
def test_the_short_way_has_the_bits_of_plain_loops(R, n, d, dtype, own, reuse, isa, seed):
    before = _core.isa()
    P, x, w = draw(R, n, d, dtype, seed, R if own else 1)
    mixing = Mixing(P if own else P[0])
    out = tuple(np.full_like(a, np.nan) for a in (x, w, x)) if reuse else None
    try:
        _core.use_isa(isa)
        got = _core.mixed(mixing._matrices, x, w, out)
        assert got is not None
        assert out is None or all(a is b for a, b in zip(got, out, strict=True))
        assert same(got, loops(P, x, w))
        assert same(push_mix(mixing, x, w, out=out), loops(P, x, w))
    finally:
        _core.use_isa(before)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_every_width_writes_its_own_columns_and_no_others(dtype):
    # widths of several strips, of part of a vector and of one number, in memory with a guard
    for d, isa in itertools.product(
        [*range(1, 70), 127, 129, 200], _core.usable_isas().split(", ")
    ):
        _core.use_isa(isa)
        (P,), x, w = draw(1, 5, d, dtype, d)
        base = [np.full(x.size + 40, 7, dtype) for _ in range(2)]
        x1, z1 = (a[19 : 19 + x.size].reshape(x.shape) for a in base)
        got = push_mix(Mixing(P), x, w, out=(x1, np.empty_like(w), z1))
        assert same(got, loops([P], x, w)), (d, isa)
        assert all(np.all(a[:19] == 7) and np.all(a[19 + x.size :] == 7) for a in base), (d, isa)


@pytest.mark.parametrize("streams", [0, 2**40])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_spans_of_strips_meet_wherever_rows_start(dtype, streams):
    # one buffer or two, spans of one strip or of all, rows that start anywhere in a line
    for d, chunk, limit, threads in itertools.product(
        [256, 263, 1500], [256, 2048], [1, 2**20], [1, 3]
    ):
        _core.tune(packed_from=0, stream_bytes=streams, chunk_bytes=chunk, chunk_limit=limit)
        _core.set_threads(threads)
        (P,), x, w = draw(1, 7, d, dtype, d)
        want = loops([P], x, w)
        for first, second in itertools.product([0, 1, 5, 15], [0, 2, 15]):
            base = [np.full(x.size + 64, 7, dtype) for _ in range(2)]
            x1, z1 = (
                a[s : s + x.size].reshape(x.shape)
                for a, s in zip(base, (16 + first, 16 + second), strict=True)
            )
            assert same(push_mix(Mixing(P), x, w, out=(x1, np.empty_like(w), z1)), want)
            for a, s in zip(base, (16 + first, 16 + second), strict=True):
                assert np.all(a[:s] == 7)
                assert np.all(a[s + x.size :] == 7)


def read_only(array):
    array.flags.writeable = False
    return array


def fortran(array):
    return np.asfortranarray(array)


def crooked(array):
    """The same numbers, one byte off."""
    made = np.empty(array.nbytes + 1, np.uint8)[1:].view(array.dtype).reshape(array.shape)
    made[...] = array
    return made


def changed():
    """What is wrong with (x, w, out), and what is said."""
    _, x, w = draw(2, 4, 6, np.float64, 0)
    o = (np.zeros_like(x), np.zeros_like(w), np.zeros_like(x))
    big = np.zeros(2 * x.size)
    meeting = big[: x.size].reshape(x.shape), big[8 : 8 + x.size].reshape(x.shape)

    class Sub(np.ndarray):
        pass

    return [
        (x.astype(int), w, o, TypeError, "x has dtype int64"),
        (x.astype(">f8"), w, o, TypeError, "x has dtype >f8"),
        (x.tolist(), w, o, TypeError, "x is list"),
        (x.view(Sub), w, o, TypeError, "x is Sub"),
        (None, w, o, TypeError, "x is NoneType"),
        (fortran(x), w, o, ValueError, "x is not C-contiguous"),
        (x[:, ::-1], w, o, ValueError, "x is not C-contiguous"),
        (crooked(x), w, o, ValueError, "x is not C-contiguous and aligned"),
        (x[0, 0], w, o, ValueError, "x has shape"),
        (x[None], w, o, ValueError, "x has shape"),
        (x[:, :3].copy(), w, o, ValueError, "x has n=3"),
        (x, w.astype(np.float32), o, TypeError, "w has dtype float32"),
        (x, w[:, ::-1], o, ValueError, "w is not C-contiguous"),
        (x, w[0], o, ValueError, "w has shape"),
        (x, torch.from_numpy(w), o, TypeError, "w is Tensor"),
        (x, w, o[:2], TypeError, "out needs a tuple of three"),
        (x, w, 3, TypeError, "out needs a tuple of three"),
        (x, w, (None, *o[1:]), TypeError, r"out\[0\] is None"),
        (x, w, (*o[:2], o[2][:1]), ValueError, r"out\[2\] has shape"),
        (x, w, (o[0].astype(np.float32), *o[1:]), TypeError, r"out\[0\] has dtype float32"),
        (x, w, (read_only(o[0].copy()), *o[1:]), ValueError, r"out\[0\] is read-only"),
        (x, w, (o[0], fortran(o[1]), o[2]), ValueError, r"out\[1\] is not C-contiguous"),
        (x, w, (x, *o[1:]), ValueError, r"out\[0\] overlaps x"),
        (x, w, (o[0], w, o[2]), ValueError, r"out\[1\] overlaps w"),
        (x, w, (meeting[0], o[1], meeting[1]), ValueError, r"out\[0\] overlaps out\[2\]"),
    ]  # fmt: skip


@pytest.mark.parametrize("case", range(len(changed())))
def test_what_is_not_plain_goes_the_long_way_and_is_named(case):
    x, w, out, error, message = changed()[case]
    P = draw(2, 4, 6, np.float64, 0)[0][0]
    mixing = Mixing(P)
    assert _core.mixed(mixing._matrices, x, w, out) is None
    for matrix in (P, mixing):
        with pytest.raises(error, match=message) as caught:
            push_mix(matrix, x, w, out=out)
        assert str(caught.value).startswith("push_mix: ")
        assert "\n" not in str(caught.value)


def test_other_ways_are_taken_where_the_short_one_would_be_wrong():
    (P, Q), x, w = draw(2, 4, 6, np.float64, 0, 2)
    mixing = Mixing([P, Q])
    with pytest.raises(ValueError, match="one matrix for each run"):
        push_mix(mixing, x[0], w[0])
    with pytest.raises(ValueError, match="x has R=1, but P holds 2 matrices"):
        push_mix(mixing, x[:1], w[:1])
    with pytest.raises(ValueError, match="matrix_units=True with x on the host"):
        push_mix(mixing, x, w, matrix_units=True)
    out = [np.empty_like(a) for a in (x, w, x)]
    assert same(push_mix(mixing, x, w, out=out), loops([P, Q], x, w))  # a list is taken, too
    assert [a.shape for a in push_mix(mixing, x[:, :, :0], w)] == [(2, 4, 0), (2, 4), (2, 4, 0)]
    with pytest.raises(TypeError, match="_core: mixed needs P, x, w, out; P of type Matrices"):
        _core.mixed(P, x, w, None)
    with pytest.raises(TypeError, match="_core: mixed needs"):
        _core.mixed(mixing._matrices, x, w)
