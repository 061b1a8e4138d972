"""Few columns of many clients in shared memory: the host's bits, whatever the cut and the order."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from theorylab.kernels import Mixing, push_mix
from theorylab.kernels._paths import ORDERS, Facts, emulated
from theorylab.kernels._push_mix_columns_device import columns_plan, listed_entries

H200 = Facts("big", 90, 132, 50 << 20, 227 << 10, 228 << 10, 1 << 37, 1 << 38)
# n = 80: 81 rows of 8 packets, or of 7, too few for two tiles of 128 bytes a row
EIGHT = Facts("few", 90, 3, 1 << 14, 10_400, 26_000, 1 << 40, 1 << 40)
SEVEN = Facts("few", 90, 3, 1 << 14, 9_100, 26_000, 1 << 40, 1 << 40)


def matrix(rng, n, equal):
    """Rows of n / 2 entries and more in any order, one twice; ``equal``: one number a column."""
    rows = [rng.permutation(n)[: rng.integers(n // 2, n)] for _ in range(n)]
    rows[0] = np.r_[rows[0], 3, 3]
    rows[1] = rows[1][:0]
    indices = np.concatenate(rows)
    share = rng.random(n) + 0.01
    data = share[indices] if equal else rng.random(len(indices))
    return csr_array((data, indices, np.cumsum([0, *map(len, rows)])), shape=(n, n))


def draw(R, n, d, dtype, equal, per_run):
    rng = np.random.default_rng(n + d)
    P = [matrix(rng, n, equal) for _ in range(R)] if per_run else matrix(rng, n, equal)
    x = rng.standard_normal((R, n, d)).astype(dtype)
    x[rng.random(x.shape) < 0.1] = -0.0
    x[0, 3, 1], x[0, 4, 0] = np.inf, np.nan
    return P, x, (rng.random((R, n)) + 0.5).astype(dtype)


def same(got, want):
    """Bit for bit, but any nan for any nan."""
    for a, b in zip(got, want, strict=True):
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        bits = a.view(f"u{a.itemsize}") == b.view(f"u{b.itemsize}")
        assert np.all(bits | (np.isnan(a) & np.isnan(b)))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("per_run", [False, True])
@pytest.mark.parametrize("equal", [False, True])
def test_bits_are_the_hosts_in_every_order(equal, per_run, dtype):
    for d in (64, 67):  # packets, and rows that begin between them
        P, x, w = draw(2, 80, d, dtype, equal, per_run)
        with np.errstate(all="ignore"):
            want = push_mix(P, x, w)
        for order in ORDERS:
            out = [np.full_like(one, np.nan) for one in (x, w, x)]
            with emulated(order, EIGHT if d == 64 else SEVEN) as machine:
                push_mix(P, x, w, out=tuple(out))
            weights, (made, grid) = machine.launched
            assert (weights[0].name, made.name) == ("push_weights", "push_mix_columns")
            vec = 16 // x.itemsize if d == 64 else 1
            assert made.types[1:] == (str(vec), str(int(equal)))
            assert grid.shared == 81 * (8 if d == 64 else 7) * 16
            same(out, want)


def test_rows_are_in_order_of_length_and_end_in_senders_of_nothing():
    rows = [[5, 1, 2, 0, 4, 3, 2, 1, 0], [], [3], [2, 2, 0, 1]]
    indices = np.concatenate(rows).astype(np.int32)
    data = np.arange(1.0, 15.0)
    part = np.cumsum([0, *map(len, rows), 0, 0]), indices, data
    made = listed_entries([part, part], 6, np.dtype(np.float32))
    assert not made.equal
    assert made.places[0].tolist() == [[0, 0], [2, 2], [3, 3], [1, 4], [4, 4], [5, 4], [0, 4]]
    assert (made.places[1] - made.places[0]).tolist() == [[0, 4]] * 7
    senders = [[*rows[0][:8]], [0] + [6] * 7, [3] + [6] * 7, [2, 2, 0, 1] + [6] * 4]
    assert made.senders.tolist() == [*senders, *senders, [6] * 8]
    shares = [[*range(1, 9)], [9] + [0] * 7, [10] + [0] * 7, [11, 12, 13, 14] + [0] * 4]
    assert made.shares[:4].tolist() == shares
    made = listed_entries([(part[0], indices, indices + 1.0)], 6, np.dtype(np.float64))
    assert made.equal
    assert made.shares.tolist() == [[1, 2, 3, 4, 5, 6]]


def test_as_many_columns_as_fit_are_taken_and_few_tiles_are_left_to_others():
    for n, columns, packets in ((1000, 32, True), (1800, 32, True), (2000, 28, False)):
        made = columns_plan(1, n, 1 << 17, 4, packets, H200)
        assert (made.tile, made.grid.shared) == (columns, (n + 1) * columns * 4)
        assert made.grid.shared <= H200.shared
    assert columns_plan(1, 2000, 1 << 17, 8, False, H200).tile == 14
    assert columns_plan(1, 2000, 1 << 17, 4, True, H200) is None  # the gather is as fast
    assert columns_plan(1, 4000, 1 << 17, 4, False, H200) is None
    assert columns_plan(1, 1000, 32 * 60, 4, True, H200) is None  # most of the device would be idle


def test_lists_go_up_once_for_a_matrix_that_is_kept():
    P, x, w = draw(2, 80, 64, np.float64, False, True)
    kept = Mixing(P)
    with np.errstate(all="ignore"), emulated(facts=EIGHT) as machine:
        push_mix(kept, x, w)
        held = [value for key, value in kept._on_device.items() if key[-1] == "columns"]
        push_mix(kept, x, w)
    assert [made.name for made, _ in machine.launched] == ["push_weights", "push_mix_columns"] * 2
    assert held[0] is next(v for key, v in kept._on_device.items() if key[-1] == "columns")
