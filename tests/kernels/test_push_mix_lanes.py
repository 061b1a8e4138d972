"""What push_mix's GPU schedules share: columns that lie apart, and quotients by one weight."""

import numpy as np
import pytest
from scipy.sparse import csr_array, eye_array

from theorylab.kernels import push_mix, push_mix_drawn
from theorylab.kernels._paths import ORDERS, Facts, Grid, emulated
from theorylab.kernels._push_mix_device import plan
from theorylab.topologies import topology

H200 = Facts("big", 90, 132, 50 << 20, 227 << 10, 228 << 10, 1 << 37, 1 << 38)
ONE = Facts("one", 90, 1, 1 << 14, 100_000, 202_048, 1 << 40, 1 << 40)
WHOLE = {np.float32: 24, np.float64: 53}  # bits of a significand


def same(got, want):
    """Bit for bit, but any nan for any nan."""
    for a, b in zip(got, want, strict=True):
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        bits = a.view(f"u{a.itemsize}") == b.view(f"u{b.itemsize}")
        assert np.all(bits | (np.isnan(a) & np.isnan(b)))


def near_midpoints(dtype, count, seed):
    """(a, b) whose quotient lies as near to the middle of two numbers as any: b m = 2^k a +- 1."""
    bits, rng = WHOLE[dtype], np.random.default_rng(seed)
    modulus, made = 1 << (bits + 1), []
    while len(made) < count:
        b = int(rng.integers(1 << (bits - 1), 1 << bits)) | 1
        for sign in (1, -1):
            m = sign * pow(b, -1, modulus) % modulus  # odd, a bit longer than a number
            a = (b * m - sign) // modulus
            if m >> bits and a >> (bits - 1):
                made.append((a, b))
    a, b = np.array(made[:count], dtype).T / dtype(modulus)  # exact
    return a.copy(), b.copy()


def quotients(a, w):
    """z1 of one client a row, whose own part is all that it hears of."""
    with np.errstate(all="ignore"), emulated(facts=ONE) as machine:
        _, _, z1 = push_mix(csr_array(eye_array(len(w))), a, w)
    assert [made.name for made, _ in machine.launched] == ["push_mix_tiles"]
    return z1


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_quotients_are_ieee_s_where_they_are_hardest_to_round(dtype):
    a, w = near_midpoints(dtype, 160, 3)
    scale = dtype(2) ** np.arange(-36, 40, 12, dtype=dtype)
    for sign in (1, -1):
        rows = sign * a[:, None] * scale
        same([quotients(rows, w)], [rows / w[:, None]])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_quotients_are_ieee_s_at_the_ends_of_the_range(dtype):
    kind = np.finfo(dtype)
    ends = [0.0, kind.smallest_subnormal, kind.tiny, kind.max, np.inf, np.nan, 1.0, 3.0]
    ends += [2.0**k * m for k in (-126, -101, -41, -40, -21, -20, 19, 20, 39, 40, 99, 100, 127)
             for m in (1, 1.5)]  # fmt: skip
    if dtype == np.float64:
        ends += [2.0**k * 1.25 for k in (-1000, -401, -400, 399, 400, 1000)]
    ends = np.array(ends, dtype)
    a = np.resize(np.r_[ends, -ends], (len(ends), 8 * (len(ends) // 4 + 1)))
    with np.errstate(all="ignore"):
        want = (a + 0) / ends[:, None]  # a sum that starts from +0 is never -0
    same([quotients(a, ends)], [want])


@pytest.mark.parametrize(
    ("d", "dtype"),
    [(d, t) for d in (129, 259) for t in (np.float32, np.float64)] + [(130, np.float32)],
)
def test_rows_that_begin_between_packets_are_held_a_warp_apart(d, dtype):
    rng = np.random.default_rng(d)
    full = (rng.random((13, 13)) < 0.6) * rng.random((13, 13))
    x = rng.standard_normal((3, 13, d)).astype(dtype)
    w = (rng.random((3, 13)) + 0.5).astype(dtype)
    P = [csr_array(full), csr_array(full.T), csr_array(np.triu(full))]
    with np.errstate(all="ignore"):
        want = push_mix(P, x, w)
        for order in ORDERS:
            out = [np.full_like(one, np.nan) for one in (x, w, x)]
            with emulated(order, ONE) as machine:
                push_mix(P, x, w, out=tuple(out))
            same(out, want)
            vec = str(16 // x.itemsize)
            assert machine.launched[0][0].types[1:] == (vec, "32")


def test_a_drawn_network_is_mixed_a_warp_apart_too():
    rng = np.random.default_rng(1)
    x, w = rng.standard_normal((2, 13, 259)), rng.random((2, 13)) + 0.5
    network = topology("random-out", 13, degree=4, seed=9)
    want = push_mix([network.matrix(3, run) for run in range(2)], x, w)
    for order in ORDERS:
        with emulated(order, ONE) as machine:
            same(push_mix_drawn(9, 3, 2, 4, x, w), want)
        assert machine.launched[0][0].types == ("double", "2", "32")


def test_edges_and_wide_rows_come_before_a_second_block():
    longer = plan(1, 100, 1 << 20, 4, 1600, 16, H200)
    assert (longer.staged, longer.tile, longer.grid) == (1600, 64, Grid(396, 320, 65_408))
    wide = plan(1, 100, 1 << 20, 8, 1100, 16, H200)  # float64: edges leave room for three
    assert (wide.staged, wide.tile, wide.grid.blocks, wide.grid.threads) == (1100, 32, 396, 256)
    more = plan(1, 500, 1 << 19, 4, 5500, 16, H200)
    assert (more.staged, more.tile, more.grid.blocks) == (5500, 32, 132)
    many = plan(1, 1000, 1 << 18, 4, 11_000, 16, H200)  # no tile of 128 bytes a row fits
    assert (many.staged, many.tile, many.grid.blocks) == (11_000, 16, 132)
    assert plan(1, 100, 8, 4, 1100, 16, H200).tile == 8  # all there is
