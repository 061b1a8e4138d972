import math
from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from theorylab.kernels import glm_hvp, softmax_hvp

DTYPES = [np.float32, np.float64]
# R, n, m, d, k: a lone number, tails of lanes and of blocks of 8 rows, more than one chunk
SIZES = [(1, 1, 1, 1, 1), (2, 2, 9, 17, 2), (1, 2, 16, 16, 3), (2, 1, 7, 33, 1), (1, 1, 600, 3, 2)]
REG = 0.375


def draw(size, dtype, classes=0, seed=7):
    """A, h (or prob, weight) and V; R is left out where it is 1."""
    R, n, m, d, k = size
    rng = np.random.default_rng(seed)
    tail = (classes,) if classes else ()
    made = [rng.standard_normal((n, m, d)), rng.random((R, n, m)) + 0.1]
    made.append(rng.standard_normal((R, n, k, d, *tail)))
    if classes:
        p = rng.random((R, n, m, classes)) + 0.1
        made.insert(1, p / p.sum(axis=-1, keepdims=True))
    return [np.ascontiguousarray(a[0] if R == 1 and a is not made[0] else a, dtype) for a in made]


def chunk_of(m):
    return 256 if m <= 64 * 256 else -(-m // 64)


def exact(A, h, v, reg, share):
    """One client and vector by plain loops, Fractions in, Fractions out."""
    out = [reg * value for value in v]
    for a, weight in zip(A, h, strict=True):
        pull = weight * share * sum(x * y for x, y in zip(a, v, strict=True))
        out = [o + pull * x for o, x in zip(out, a, strict=True)]
    return out


def exact_softmax(A, p, w, v, reg, sign):
    """v is (d, C); sign -1: the product, +1: the sum of what it adds, sizes in, sizes out."""
    C = len(v[0])
    out = [[reg * value for value in row] for row in v]
    for a, q, weight in zip(A, p, w, strict=True):
        z = [sum(x * row[c] for x, row in zip(a, v, strict=True)) for c in range(C)]
        mean = sum(x * y for x, y in zip(q, z, strict=True))
        y = [weight * q[c] * (z[c] + sign * mean) for c in range(C)]
        for e, x in enumerate(a):
            for c in range(C):
                out[e][c] += x * y[c]
    return out


def fractions(a, size=False):
    if a.ndim:
        return [fractions(part, size) for part in a]
    return abs(Fraction(float(a))) if size else Fraction(float(a))


def gamma(roundings, dtype):
    """Higham 2002, 3.1: what that many roundings in a row make of a term, relative to its size."""
    u = Fraction(float(np.finfo(dtype).eps)) / 2
    return roundings * u / (1 - roundings * u)


def with_runs(size, *arrays):
    return [a[None] for a in arrays] if size[0] == 1 else arrays


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", SIZES)
def test_a_product_is_the_exact_one_within_the_rounding_bound(size, dtype):
    R, n, m, d, k = size
    A, h, V = draw(size, dtype)
    out = glm_hvp(A, h, V, REG)
    lanes = 64 // np.dtype(dtype).itemsize
    # a term passes: its product, the sums of a lane and of the lanes; h; a; the sums of a chunk and
    # of the chunks; 1/m; the sum with reg V, a product itself. REG and m are exact in both dtypes
    dot = 1 + -(-d // lanes) + int(math.log2(lanes))
    limit = gamma(dot + 2 + min(m, chunk_of(m)) + -(-m // chunk_of(m)) + 2, dtype)
    h, V, out = with_runs(size, h, V, out)
    for r, i, b in np.ndindex(R, n, k):
        given_, share = (A[i], h[r, i], V[r, i, b]), Fraction(1, m)
        want = exact(*map(fractions, given_), Fraction(REG), share)
        most = exact(*(fractions(a, True) for a in given_), Fraction(REG), share)
        for e in range(d):
            assert abs(Fraction(float(out[r, i, b, e])) - want[e]) <= limit * most[e]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", [(1, 1, 1, 1, 1), (2, 2, 9, 5, 2), (1, 1, 300, 2, 1)])
def test_a_softmax_product_is_the_exact_one_within_the_rounding_bound(size, dtype):
    R, n, m, d, k = size
    A, p, w, V = draw(size, dtype, classes=3)
    out = softmax_hvp(A, p, w, V, REG)
    # a feature's product and sums, a class's, z - q, p w and its product, a, the chunk and chunks,
    # and the sum with reg V
    limit = gamma(1 + d + 1 + 3 + 1 + 2 + 1 + min(m, 256) + -(-m // 256) + 2, dtype)
    p, w, V, out = with_runs(size, p, w, V, out)
    for r, i, b in np.ndindex(R, n, k):
        given_ = A[i], p[r, i], w[r, i], V[r, i, b]
        want = exact_softmax(*map(fractions, given_), Fraction(REG), -1)
        most = exact_softmax(*(fractions(a, True) for a in given_), Fraction(REG), 1)
        for e, c in np.ndindex(d, 3):
            assert abs(Fraction(float(out[r, i, b, e, c])) - want[e][c]) <= limit * most[e][c]


def lane_dot(a, v):
    """The contract's sum of products over the last axis, one lane at a time."""
    lanes = 64 // a.itemsize
    terms = np.zeros((-(-len(a) // lanes), lanes), a.dtype)
    terms.reshape(-1)[: len(a)] = a * v
    total = np.zeros(lanes, a.dtype)
    for row in terms:
        total = total + row
    while len(total) > 1:
        total = total[: len(total) // 2] + total[len(total) // 2 :]
    return total[0]


def ordered(A, h, v, reg, p=None):
    """The contract to the bit, for one client and vector: one rounding at a time, in its order."""
    m, kind, total = len(A), A.dtype.type, np.zeros_like(v)
    counted = max((j + 1 for j in range(m) if h[j] != 0), default=0)
    for first in range(0, counted, chunk_of(m)):
        part = np.zeros_like(v)
        for j in range(first, min(first + chunk_of(m), counted)):
            if p is None:
                part = part + lane_dot(A[j], v) * h[j] * A[j]
                continue
            z, q = np.zeros_like(v[0]), kind(0)
            for x, row in zip(A[j], v, strict=True):
                z = z + x * row
            for c in range(len(z)):
                q = q + p[j, c] * z[c]
            part = part + A[j][:, None] * ((z - q) * (p[j] * h[j]))
        total = total + part
    total = total / kind(m if p is None else 1)
    return total + kind(reg) * v if reg else total


@settings(max_examples=60)
@given(
    sizes=st.tuples(*(st.integers(1, top) for top in (2, 2, 21, 40, 3))),
    dtype=st.sampled_from(DTYPES),
    classes=st.integers(0, 11),
    reg=st.sampled_from([0.0, 0.1, -2.0]),
    seed=st.integers(0, 2**31),
)
def test_bits_are_those_of_plain_loops_and_inputs_stay_as_they_are(
    sizes, dtype, classes, reg, seed
):
    R, n, _, _, k = sizes
    arrays = draw(sizes, dtype, classes, seed)
    before = [a.copy() for a in arrays]
    out = (softmax_hvp if classes else glm_hvp)(*arrays, reg)
    assert all(np.array_equal(a, b) for a, b in zip(arrays, before, strict=True))
    assert (out.shape, out.dtype) == (arrays[-1].shape, dtype)
    A, *rest = arrays
    *rest, out = with_runs(sizes, *rest, out)
    *p, h, V = rest
    for r, i, b in np.ndindex(R, n, k):
        own = p[0][r, i] if classes else None
        want = ordered(A[i], h[r, i], V[r, i, b], reg, own)
        assert np.array_equal(out[r, i, b], want)


@pytest.mark.parametrize("classes", [0, 4])
def test_chunks_are_added_one_after_the_other(classes):
    # 16641 rows: chunks of 261; 700: of 256, of which the last is no whole block
    for m in (700, 64 * 256 + 257) if not classes else (700,):
        arrays = draw((1, 1, m, 3, 1), np.float32, classes)
        *p, h, V = arrays[1:]
        out = (softmax_hvp if classes else glm_hvp)(*arrays, 0.5)
        want = ordered(arrays[0][0], h[0], V[0, 0], 0.5, p[0][0] if classes else None)
        assert np.array_equal(out[0, 0], want)


def test_rows_longer_than_a_cache_are_taken_one_by_one():
    A, h, V = draw((1, 1, 9, 20_000, 1), np.float64)
    assert np.array_equal(glm_hvp(A, h, V)[0, 0], ordered(A[0], h[0], V[0, 0], 0.0))


@pytest.mark.parametrize("dtype", DTYPES)
def test_padding_rows_are_not_read_and_others_are(dtype):
    size = (3, 2, 20, 19, 2)
    A, h, V = draw(size, dtype)
    for r, used in enumerate((20, 11, 0)):
        h[r, :, used:] = 0
    h[:, :, 4] = 0
    want = [ordered(A[1], h[r, 1], V[r, 1, 1], 0.0) for r in range(3)]
    A[:, 11:] = np.nan
    out = glm_hvp(A, h, V)
    assert np.isnan(out[0]).all()
    assert all(np.array_equal(out[r, 1, 1], want[r]) for r in (1, 2))
    A[:, 4] = np.inf  # not behind the last row that counts
    assert not np.isfinite(glm_hvp(A, h, V)[1]).any()

    A, p, w, W = draw(size, dtype, classes=3)
    w[:, :, 11:] = 0
    want = softmax_hvp(A, p, w, W)
    A[:, 11:], p[:, :, 11:] = np.nan, np.nan
    assert np.array_equal(softmax_hvp(A, p, w, W), want)


def test_a_nan_behind_the_last_number_is_no_padding():
    A, h, V = draw((2, 2, 9, 5, 2), np.float32)
    h[:, :, -1] = np.nan
    assert np.isnan(glm_hvp(A, h, V)).all()


def test_out_receives_the_same_bits_and_is_returned():
    A, h, V = draw((2, 3, 9, 20, 2), np.float64)
    out = np.full_like(V, np.nan)
    assert glm_hvp(A, h, V, REG, out) is out
    assert np.array_equal(out, glm_hvp(A, h, V, REG))


def test_tensors_give_tensors_over_the_same_memory():
    A, h, V = draw((2, 3, 9, 20, 2), np.float32)
    tensors = [torch.from_numpy(a) for a in (A, h, V)]
    made = glm_hvp(*tensors, REG)
    assert isinstance(made, torch.Tensor)
    assert np.array_equal(made.numpy(), glm_hvp(A, h, V, REG))
    out = torch.empty_like(tensors[-1])
    assert glm_hvp(*tensors, REG, out) is out
    assert torch.equal(out, made)


def test_no_run_no_vector_or_no_coordinate_gives_empty_arrays():
    A, h, V = draw((2, 3, 9, 20, 2), np.float64)
    assert glm_hvp(A, h[:0], V[:0]).shape == (0, 3, 2, 20)
    assert glm_hvp(A, h, V[:, :, :0].copy()).shape == (2, 3, 0, 20)
    assert glm_hvp(A[:, :, :0].copy(), h, V[..., :0].copy()).shape == (2, 3, 2, 0)
    assert glm_hvp(A[:0], h[:, :0].copy(), V[:, :0].copy()).shape == (2, 0, 2, 20)
