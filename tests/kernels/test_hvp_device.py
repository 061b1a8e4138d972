"""The GPU schedules of glm_hvp, softmax_hvp and mix_jvp, run as loops: the host's bits."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from theorylab.kernels import _hvp_device, _hvp_plans, glm_hvp, mix_jvp, softmax_hvp
from theorylab.kernels._paths import ORDERS, Facts, emulated

REG = 0.375
DTYPES = [np.float32, np.float64]
TURNS = (0, 1, 5)  # forward and backward, copies as late as may be; odd ones first, copies at once


def facts(processors, shared, both=True):
    """both: two blocks of so much shared memory are on a processor, not one."""
    of_all = (2 if both else 1) * (shared + 1024)
    return Facts("small", 90, processors, 1 << 14, shared, of_all, 1 << 40, 1 << 40)


def draw(size, dtype, seed=5, own_data=False, own_weight=True):
    """R, n, m, d, k, C -> A, h, V of a GLM, p and W of a softmax, c and s of a mix."""
    R, n, m, d, k, C = size
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((R, n, m, d) if own_data else (n, m, d))
    weights = (R, n, m) if own_weight else (n, m)
    h, p = rng.random(weights) + 0.1, rng.random((*weights, C))
    V, W = rng.standard_normal((R, n, k, d)), rng.standard_normal((R, n, k, d, C))
    c = rng.standard_normal((R, n, n)) * (rng.random((R, n, n)) < 0.6)
    if not own_weight:
        c = c[0]
    for x in (A, V, W):
        x[rng.random(x.shape) < 0.05] = -0.0
    return [x.astype(dtype) for x in (A, h, V, p, W, c, rng.random((R, n)))]


def products(arrays, reg=REG, place=lambda x: x, out=lambda x: None):
    """Everything that the schedules serve; place makes an argument, out its result's memory."""
    A, h, V, p, W, c, s = (place(x) for x in arrays)
    yield glm_hvp(A, h, V, reg, out=out(V))
    yield softmax_hvp(A, p, h, W, reg, out=out(W))
    for variant in ("4a", "4b"):
        yield mix_jvp(c, V, s, A, h, reg, variant=variant, out=out(V))
        yield mix_jvp(c, W, s, A, h, reg, prob=p, variant=variant, out=out(W))


def same(got, want):
    """Bit for bit, but any nan for any nan: hardware gives them different signs."""
    for a, b in zip(got, want, strict=True):
        a, b = np.asarray(a), np.asarray(b)
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        bits = a.view(f"u{a.itemsize}") == b.view(f"u{b.itemsize}")
        assert np.all(bits | (np.isnan(a) & np.isnan(b)))


class Poisoned:
    """Results lie between 64 numbers of guard, and are NaN before."""

    def __init__(self):
        self.rooms = []

    def __call__(self, like):
        self.rooms.append(np.full(like.size + 128, np.nan, like.dtype))
        return self.rooms[-1][64:-64].reshape(like.shape)

    def check(self):
        for room in self.rooms:
            assert np.isnan(room[:64]).all()
            assert np.isnan(room[-64:]).all()


CUTS = {  # facts; R, n, m, d, k, C; schedules that must have run
    "one number": ((3, 227 << 10), (1, 1, 1, 1, 1, 1), "glm_hvp_rows"),
    "tails": ((3, 3000), (2, 1, 11, 19, 2, 3), "glm_hvp_rows"),
    "four together, of two runs": ((3, 5000), (2, 2, 10, 21, 2, 2), "glm_hvp_rows"),
    "chunks apart": ((40, 20_000), (1, 1, 300, 5, 1, 2), "glm_hvp_rows hvp_finish softmax_rows"),
    "chunks in one block": (
        (1, 20_000),
        (1, 8, 258, 2, 1, 1),
        "glm_hvp_rows softmax_rows hvp_finish",
    ),
    "a strip and one feature": ((3, 60_000), (2, 1, 70, 65, 2, 10), "softmax_rows"),
    "strips, features in fours": ((3, 60_000), (2, 1, 9, 132, 1, 9), "softmax_rows"),
    "strips, an even number": ((3, 60_000), (1, 1, 9, 198, 2, 10), "softmax_rows"),
    "many classes": ((40, 20_000), (1, 1, 300, 5, 1, 11), "softmax_curve hvp_outer hvp_finish"),
    "many classes, one block": ((1, 20_000), (1, 8, 258, 2, 1, 11), "softmax_curve hvp_outer"),
    "wide rows": ((3, 30_000, False), (1, 1, 9, 530, 2, 1), "glm_hvp_rows"),
    "kept, a tail": ((3, 60_000), (2, 1, 11, 271, 2, 1), "glm_hvp_kept hvp_finish"),
    "kept, chunks": ((3, 60_000), (1, 1, 260, 257, 1, 1), "glm_hvp_kept"),
    "kept, three groups": ((3, 60_000), (1, 2, 5, 304, 5, 1), "glm_hvp_kept"),
    "kept, two groups": ((3, 90_000), (2, 1, 9, 330, 4, 1), "glm_hvp_kept"),
    "no row fits, one tile": ((3, 200), (1, 1, 5, 10, 2, 1), "glm_hvp_pulls hvp_outer"),
    "no row fits": ((3, 2000), (2, 1, 34, 290, 2, 2), "glm_hvp_pulls hvp_outer"),
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("cut", CUTS)
def test_bits_are_the_hosts_in_every_order(cut, dtype):
    where, size, schedules = CUTS[cut]
    arrays = draw(size, dtype)
    before, want = [x.copy() for x in arrays], list(products(arrays))
    for order in TURNS:
        out = Poisoned()
        with emulated(order, facts(*where)) as path:
            same(products(arrays, out=out), want)
        out.check()
    assert set(schedules.split()) <= {schedule.name for schedule, _ in path.launched}
    assert all(np.array_equal(a, b) for a, b in zip(arrays, before, strict=True))


@settings(max_examples=8)
@given(
    sizes=st.tuples(*(st.integers(1, top) for top in (3, 2, 24, 40, 5, 6))),
    dtype=st.sampled_from(DTYPES),
    where=st.tuples(st.integers(1, 9), st.sampled_from([1500, 3000, 9000])),
    order=st.sampled_from(ORDERS),
    own=st.tuples(st.booleans(), st.booleans()),
    reg=st.sampled_from([0.0, -2.0, 0.1]),
    seed=st.integers(0, 2**31),
)
def test_bits_are_the_hosts_whatever_the_size_and_the_device(
    sizes, dtype, where, order, own, reg, seed
):
    arrays = draw(sizes, dtype, seed, *own)
    want = list(products(arrays, reg))
    with emulated(order, facts(*where)):
        same(products(arrays, reg), want)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("where", "d"), [((3, 9000), 19), ((3, 1400), 19), ((3, 60_000), 260)])
def test_rows_behind_the_last_that_counts_are_not_used(where, d, dtype):
    size = (3, 1, 40, d, 2, 2)
    A, h, V, p, W, c, s = draw(size, dtype)
    for r, used in enumerate((33, 11, 0)):  # of runs that share their data
        h[r, :, used:] = 0
        p[r, :, used:] = np.nan
    h[:, :, 4] = 0  # before the last one: counts
    A[:, 20:] = np.nan  # that only the first run counts
    arrays = A, h, V, p, W, c, s
    want = list(products(arrays))
    for x in want:
        assert np.isnan(x[0]).all()
        assert np.isfinite(x[1:]).all()
    for order in (0, 4):
        with emulated(order, facts(*where)):
            same(products(arrays), want)
    h[:, :, -1] = np.nan  # is not 0
    with emulated(0, facts(*where)):
        assert np.isnan(glm_hvp(A, h, V)).all()


@pytest.mark.parametrize("shared", [9000, 200])
def test_fewer_blocks_than_tasks_take_turns(shared, monkeypatch):
    arrays = draw((2, 3, 5, 20, 2, 2), np.float32)
    arrays[1][:, 1] = 0  # no row counts
    want = list(products(arrays))
    monkeypatch.setattr(_hvp_plans, "MOST_BLOCKS", 2)
    monkeypatch.setattr(_hvp_device, "MOST_BLOCKS", 2)
    for order in TURNS:
        with emulated(order, facts(3, shared)) as path:
            same(products(arrays), want)
        assert max(grid.blocks for _, grid in path.launched) == 2


def test_more_than_64_chunks_of_256_rows_are_64():
    A, h, V, *_ = draw((1, 1, 64 * 256 + 257, 3, 1, 1), np.float32)  # chunks of 261, the last 198
    want = glm_hvp(A, h, V)
    with emulated(0, facts(100, 80_000)) as path:
        same([glm_hvp(A, h, V)], [want])
    assert [grid.blocks for _, grid in path.launched] == [64, 1]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("where", [(3, 9000), (3, 1500)])
def test_arrays_may_start_and_rows_may_end_anywhere(where, dtype):
    for d in (20, 22, 21):  # rows of whole packets of 16, 8 and 4 bytes (float)
        arrays = draw((1, 2, 5, d, 2, 2), dtype)
        want = list(products(arrays))
        for of_data, of_others in ((0, 0), (0, 1), (2, 0), (1, 2)):

            def moved(x, shift=of_others):
                room = np.full(x.size + 8, np.nan, dtype)
                first = shift + -room.ctypes.data % 16 // x.itemsize
                room[first : first + x.size] = x.ravel()
                return room[first : first + x.size].reshape(x.shape)

            given_ = [moved(arrays[0], of_data), *map(moved, arrays[1:])]
            with emulated(0, facts(*where)):
                same(products(given_, out=lambda x, to=moved: to(x * np.nan)), want)


def test_every_vector_count_up_to_five_and_more_than_a_block_takes():
    for k in (1, 2, 3, 4, 5, 9, 17):
        for dtype in DTYPES:
            A, h, V, *_ = draw((1, 1, 5, 18, k, 1), dtype)
            want = glm_hvp(A, h, V, REG)
            for shared in (9000, 2500):
                with emulated(2, facts(2, shared)):
                    same([glm_hvp(A, h, V, REG)], [want])


def test_a_batch_is_its_runs_and_edges_of_weight_0_are_not_read():
    A, h, V, _, _, c, s = draw((3, 7, 4, 6, 2, 1), np.float64)
    c[:, :, 5] = 0
    V[:, 5], c[1, 2, 3] = np.nan, np.nan
    want = mix_jvp(c, V, s, A, h, variant="4a")
    assert np.isnan(want[1, 2]).all()
    assert np.isfinite(want[0]).all()
    with emulated(1, facts(3, 9000)):
        same([mix_jvp(c, V, s, A, h, variant="4a")], [want])
        for r in range(3):
            alone = mix_jvp(c[r], V[r], s[r], A, h[r], variant="4a")
            same([alone], [want[r]])


def test_more_clients_than_a_block_has_threads_are_mixed_in_order():
    A, h, V, _, _, c, s = draw((1, 140, 1, 2, 1, 1), np.float32)
    want = mix_jvp(c, V, s, A, h)
    with emulated(1, facts(3, 9000)):
        same([mix_jvp(c, V, s, A, h)], [want])


def test_tensors_give_tensors_and_out_is_returned():
    arrays = draw((2, 2, 9, 7, 2, 3), np.float32)
    want = list(products(arrays))
    with emulated(0, facts(3, 9000)):
        made = list(products(arrays, place=torch.from_numpy))
        assert all(isinstance(x, torch.Tensor) for x in made)
        same([x.numpy() for x in made], want)
        out = torch.empty_like(made[0])
        A, h, V = (torch.from_numpy(x) for x in arrays[:3])
        assert glm_hvp(A, h, V, REG, out=out) is out
    assert np.array_equal(out.numpy(), want[0])


def test_nothing_to_do_is_no_launch():
    A, h, V, _, _, c, s = draw((2, 3, 4, 5, 2, 3), np.float64)
    with emulated(0, facts(3, 9000)) as path:
        assert glm_hvp(A, h[:0], V[:0]).shape == (0, 3, 2, 5)
        assert glm_hvp(A, h, V[:, :, :0].copy()).shape == (2, 3, 0, 5)
        assert glm_hvp(A[:, :, :0].copy(), h, V[..., :0].copy()).shape == (2, 3, 2, 0)
        none = mix_jvp(
            c[:, :0, :0].copy(), V[:, :0].copy(), s[:, :0].copy(), A[:0], h[:, :0].copy()
        )
        assert none.shape == (2, 0, 2, 5)
    assert not path.launched
