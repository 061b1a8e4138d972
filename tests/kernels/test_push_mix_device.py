"""push_mix's GPU schedules, run as loops: the host's bits, whatever the cut and the order."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from theorylab.kernels import Mixing, push_mix
from theorylab.kernels import _push_mix_device as module
from theorylab.kernels._paths import ORDERS, Facts, emulated

H200 = Facts("big", 90, 132, 50 << 20, 227 << 10, 228 << 10, 1 << 37, 1 << 38)
CUTS = {  # what small sizes are cut into: several tiles a block, edges in place, no tile at all
    "tiles": (Facts("tiles", 90, 3, 1 << 14, 20_000, 42_000, 1 << 40, 1 << 40), (5, 20, 100)),
    "edges in place": (
        Facts("thin", 90, 40, 1 << 14, 4_500, 11_000, 1 << 40, 1 << 40),
        (2, 20, 96),
    ),
    "gather": (Facts("none", 90, 3, 1 << 13, 1_000, 4_000, 1 << 40, 1 << 40), (2, 20, 100)),
}


def draw(R, n, d, dtype, per_run=False, seed=1):
    """Rows of 0 to n entries in any order, one entry twice; states with both zeros; weights."""
    rng = np.random.default_rng(seed)
    Ps = []
    for _ in range(R if per_run else 1):
        rows = [rng.permutation(n)[: rng.integers(0, n + 1)] for _ in range(n)]
        rows[0] = np.r_[rows[0], rows[0][:1]]
        indptr = np.cumsum([0, *map(len, rows)])
        indices = np.concatenate(rows)
        Ps.append(csr_array((rng.random(len(indices)), indices, indptr), shape=(n, n)))
    x = rng.standard_normal((R, n, d)).astype(dtype)
    x[rng.random(x.shape) < 0.1] = -0.0
    return (Ps if per_run else Ps[0]), x, (rng.random((R, n)) + 0.5).astype(dtype)


def loops(P, x, w):
    """One product and one sum at a time, in the order of the CSR row."""
    x1, w1 = np.zeros_like(x), np.zeros_like(w)
    with np.errstate(all="ignore"):
        for r in range(len(x)):
            own = P[r] if isinstance(P, list) else P
            for i in range(own.shape[0]):
                for e in range(own.indptr[i], own.indptr[i + 1]):
                    share, j = x.dtype.type(own.data[e]), own.indices[e]
                    x1[r, i] += share * x[r, j]
                    w1[r, i] += share * w[r, j]
        return x1, w1, x1 / w1[..., None]


def same(got, want):
    """Bit for bit, but any nan for any nan: hardware gives them different signs."""
    for a, b in zip(got, want, strict=True):
        a, b = np.asarray(a), np.asarray(b)
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        bits = a.view(f"u{a.itemsize}") == b.view(f"u{b.itemsize}")
        assert np.all(bits | (np.isnan(a) & np.isnan(b)))


def poisoned(shapes, dtype):
    """Views for results with 64 numbers of guard on each side, and a check that they are kept."""
    rooms = [np.full(int(np.prod(shape)) + 128, np.nan, dtype) for shape in shapes]
    views = [room[64:-64].reshape(shape) for room, shape in zip(rooms, shapes, strict=True)]

    def kept():
        assert all(np.isnan(room[:64]).all() and np.isnan(room[-64:]).all() for room in rooms)

    return tuple(views), kept


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("per_run", [False, True])
@pytest.mark.parametrize("cut", CUTS)
def test_bits_are_those_of_plain_loops_in_every_order(cut, per_run, dtype):
    facts, size = CUTS[cut]
    P, x, w = draw(*size, dtype, per_run)
    before = x.copy(), w.copy()
    want = loops(P, x, w)
    for order in ORDERS:
        out, kept = poisoned([x.shape, w.shape, x.shape], dtype)
        with emulated(order, facts) as path:
            assert push_mix(P, x, w, out=out)[0] is out[0]
        same(out, want)
        kept()
        (*_, (schedule, grid)) = path.launched
        assert schedule.name == ("push_mix_gather" if cut == "gather" else "push_mix_tiles")
        assert grid.blocks > 1
    same((x, w), before)
    chosen = module.plan(*size, x.itemsize, max(p.nnz for p in P) if per_run else P.nnz, 16, facts)
    assert (chosen.staged > 0) == (cut == "tiles")


@settings(max_examples=40)
@given(
    size=st.tuples(st.integers(1, 3), st.integers(1, 24), st.integers(0, 70)),
    dtype=st.sampled_from([np.float32, np.float64]),
    per_run=st.booleans(),
    order=st.sampled_from(ORDERS),
    shared=st.integers(256, 40_000),
    processors=st.integers(1, 5),
    shift=st.integers(0, 3),
    seed=st.integers(0, 2**32),
)
def test_bits_hold_for_any_size_device_and_alignment(
    size, dtype, per_run, order, shared, processors, shift, seed
):
    P, x, w = draw(*size, dtype, per_run, seed)
    facts = Facts("any", 90, processors, 1 << 13, shared, 2 * shared, 1 << 40, 1 << 40)
    moved = np.empty(x.size + shift, dtype)[shift:].reshape(x.shape)
    moved[:] = x
    out, kept = poisoned([x.shape, w.shape, x.shape], dtype)
    with emulated(order, facts):
        push_mix(P, moved, w, out=out)
    same(out, loops(P, x, w))
    kept()


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("position", [0, 2])
def test_results_may_be_aligned_worse_than_x(position, cut):
    facts, size = CUTS[cut]
    P, x, w = draw(*size, np.float32)
    room = np.empty(x.size + 4, np.float32)
    first = -room.ctypes.data % 16 // 4 + 1  # a number behind a multiple of 16 bytes
    out = [np.empty_like(x), np.empty_like(w), np.empty_like(x)]
    out[position] = room[first : first + x.size].reshape(x.shape)
    with emulated(0, facts):
        push_mix(P, x, w, out=tuple(out))
    same(out, loops(P, x, w))


def test_nan_inf_and_a_weight_of_zero_pass_through():
    P, x, w = draw(1, 12, 40, np.float64)
    x[0, 3, 5], x[0, 4, 6], x[0, 5, 6], x[0, 7, 8] = np.nan, np.inf, -np.inf, np.finfo(float).max
    w[0, :6] = 0
    P.data[P.indptr[1] : P.indptr[2]] = 0  # a row of zeros: 0 / 0 and 0 inf
    want = loops(P, x, w)
    assert np.isnan(want[2]).any()
    assert np.isinf(want[2]).any()
    for facts, _ in CUTS.values():
        with emulated(1, facts):
            same(push_mix(P, x, w), want)


def test_one_run_without_its_axis_and_tensors_are_as_arrays():
    P, x, w = draw(1, 20, 36, np.float32)
    want = loops(P, x, w)
    facts, _ = CUTS["tiles"]
    with emulated(0, facts):
        same(push_mix(P, x[0], w[0]), [a[0] for a in want])
        made = push_mix(P, torch.from_numpy(x), torch.from_numpy(w))
        assert all(isinstance(a, torch.Tensor) for a in made)
        same(made, want)
        out = (
            torch.full((1, 20, 36), torch.nan),
            torch.full((1, 20), torch.nan),
            torch.empty(1, 20, 36),
        )
        assert push_mix(P, torch.from_numpy(x), torch.from_numpy(w), out=out) == out
    same(out, want)


@pytest.mark.parametrize("size", [(0, 5, 3), (2, 5, 0), (1, 1, 1), (3, 1, 0)])
def test_sizes_of_nothing_give_weights_and_empty_arrays(size):
    P, x, w = draw(*size, np.float64)
    with emulated():
        same(push_mix(P, x, w), loops(P, x, w))


def test_a_mixing_uploads_its_edges_once_for_each_dtype_and_library(monkeypatch):
    P, x, w = draw(2, 9, 20, np.float64)
    sent = []
    real = module.packed_edges
    monkeypatch.setattr(module, "packed_edges", lambda *a: (sent.append(1), real(*a))[1])
    mixing = Mixing(P)
    want = loops(P, x, w)
    P.data[:] = 7  # a Mixing keeps its own
    x4, w4 = x.astype(np.float32), w.astype(np.float32)
    with emulated():
        for _ in range(3):
            same(push_mix(mixing, x, w), want)
        assert len(sent) == 1
        push_mix(mixing, x4, w4)
        push_mix(mixing, torch.from_numpy(x4), torch.from_numpy(w4))
        push_mix(mixing, x4, w4)
    assert len(sent) == 3


def test_an_overlap_is_refused_when_emulated():
    P, x, w = draw(2, 9, 20, np.float64)
    with emulated() as path, pytest.raises(ValueError, match=r"out\[0\] overlaps x"):
        push_mix(P, x, w, out=(x, np.empty_like(w), np.empty_like(x)))
    assert not path.launched


FACTS = st.builds(
    lambda processors, l2, shared, more: Facts(
        "any", 80, processors, l2, shared, shared + more, 1 << 40, 1 << 40
    ),
    st.integers(1, 200), st.integers(1 << 10, 1 << 26), st.integers(1 << 9, 227 << 10),
    st.integers(1 << 10, 64 << 10),
)  # fmt: skip


@settings(max_examples=300)
@given(
    runs=st.integers(1, 2**20),
    n=st.integers(1, 2**21),
    d=st.integers(1, 2**34),
    itemsize=st.sampled_from([4, 8]),
    edges=st.integers(0, 2**16),
    extra=st.integers(0, 3),
    facts=FACTS,
)
def test_a_plan_is_one_that_the_device_and_the_schedule_take(
    runs, n, d, itemsize, edges, extra, facts
):
    alignment = itemsize << extra
    plan = module.plan(runs, n, d, itemsize, edges, alignment, facts)
    grid, packets = plan.grid, plan.tile // plan.vec
    assert plan.step in (1, packets)
    if plan.step == 1:  # else columns travel alone
        assert plan.vec * itemsize <= min(16, alignment)
        assert d % plan.vec == plan.tile % plan.vec == 0
    assert grid.threads % packets == grid.threads % 32 == 0
    assert grid.threads <= 1024
    assert 1 <= grid.blocks < 2**31
    assert grid.shared <= facts.shared
    assert plan.staged in (0, edges)
    if plan.tiles:
        assert grid.shared == module.tiles_bytes(n, plan.tile, plan.staged, itemsize)
        assert n * plan.tile < 2**31  # offsets in shared memory are 32 bits
        assert grid.blocks <= runs * -(-d // plan.tile)


def test_the_headline_size_fills_an_h200_with_two_blocks_a_processor():
    plan = module.plan(1, 100, 4_194_304, 4, 1100, 16, H200)
    assert (plan.tiles, plan.vec, plan.tile, plan.staged) == (True, 4, 128, 1100)
    assert plan.grid.blocks == 2 * 132
    assert plan.grid.threads == 480  # 100 rows in seven turns of fifteen warps
    assert 2 * (plan.grid.shared + 1024) <= H200.shared_of_all
