"""push_mix on a network drawn in the kernel: the bits of push_mix with the topology's matrix."""

import contextlib
import pathlib
import subprocess

import numpy as np
import pytest

from theorylab.kernels import push_mix, push_mix_drawn
from theorylab.kernels._draws_device import QUEUE
from theorylab.kernels._paths import ORDERS, Facts, emulated
from theorylab.kernels._push_mix_drawn_device import drawn_bytes, plan
from theorylab.topologies import topology

CSRC = pathlib.Path(__file__).resolve().parents[2] / "csrc"
SEED, T = 2**63 + 99, 2**32 - 2


def facts(shared, processors=2):
    return Facts("small", 90, processors, 1 << 16, shared, 2 * shared, 1 << 30, 1 << 30)


# n, degree, d, shared: from one tile a run to many, with tails of a tile and of a packet
CASES = [
    (1, 0, 5, 4 << 10),
    (2, 1, 64, 4 << 10),
    (7, 3, 33, 4 << 10),
    (13, 4, 130, 6 << 10),
    (13, 12, 96, 12 << 10),
    (40, 5, 50, 12 << 10),
    (130, 2, 17, 40 << 10),
    (600, 1, 8, 96 << 10),  # more clients than threads
]


def state(R, n, d, dtype):
    rng = np.random.default_rng(n + d)
    return rng.standard_normal((R, n, d)).astype(dtype), (rng.random((R, n)) + 0.5).astype(dtype)


def by_topology(runs, degree, x, w, self_loops=True):
    network = topology("random-out", x.shape[1], degree=degree, seed=SEED, self_loops=self_loops)
    return push_mix([network.matrix(T, int(run)) for run in runs], x, w)


def same(got, want):
    pairs = zip(got, want, strict=True)
    return all(np.asarray(a).tobytes() == np.asarray(b).tobytes() for a, b in pairs)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("order", ORDERS)
def test_a_device_gives_the_bits_of_the_topology_s_matrices(order, dtype):
    for n, degree, d, shared in CASES:
        x, w = state(3, n, d, dtype)
        with emulated(order, facts(shared)) as machine:
            got = push_mix_drawn(SEED, T, np.arange(5, 8), degree, x, w)
        assert [made.name for made, _ in machine.launched] == ["push_mix_drawn"], (n, degree)
        assert same(got, by_topology([5, 6, 7], degree, x, w)), (n, degree, d)


@pytest.mark.parametrize("self_loops", [True, False])
def test_host_and_device_agree_for_any_runs_with_and_without_loops(self_loops):
    torch = pytest.importorskip("torch")
    runs = np.array([2**32 - 1, 0, 6])
    x, w = state(3, 9, 40, np.float64)
    want, later = (by_topology(ids, 4, x, w, self_loops) for ids in (runs, range(5, 8)))
    assert same(push_mix_drawn(SEED, T, runs, 4, x, w, self_loops=self_loops), want)
    tensors = torch.from_numpy(x), torch.from_numpy(w)
    with emulated(0, facts(6 << 10)) as machine:
        for ids in (runs, torch.from_numpy(runs)):
            got = push_mix_drawn(SEED, T, ids, 4, *tensors, self_loops=self_loops)
            assert same(got, want)
            assert isinstance(got[0], torch.Tensor)
        got = push_mix_drawn(SEED, T, np.arange(5, 8), 4, *tensors, self_loops=self_loops)
        assert same(got, later)  # consecutive ids travel as the first alone
    assert len(machine.launched) == 3


def test_a_single_run_and_given_outputs():
    x, w = state(1, 8, 70, np.float32)
    want = by_topology([0], 3, x, w)
    for place in (None, facts(6 << 10)):
        out = np.full_like(x[0], np.nan), np.full_like(w[0], np.nan), np.full_like(x[0], np.nan)
        if place is None:
            got = push_mix_drawn(SEED, T, 1, 3, x[0], w[0], out=out)
        else:
            with emulated(1, place):
                got = push_mix_drawn(SEED, T, 1, 3, x[0], w[0], out=out)
        assert all(a is b for a, b in zip(got, out, strict=True))
        assert same(got, [one[0] for one in want])


@pytest.mark.parametrize(("d", "apart"), [(64, ("1", "1")), (3 * 128, ("4", "32"))])
def test_misaligned_columns_travel_one_by_one(d, apart):
    whole, w = state(1, 9, d, np.float32)
    want = by_topology([0], 4, whole, w)
    for shift in range(4):
        x, x1, z1 = (numbers_from(16 * k + 4 * shift, whole.size) for k in range(3))
        x, x1, z1 = (one.reshape(whole.shape) for one in (x, x1, z1))
        x[:] = whole
        with emulated(shift, facts(16 << 10, 1)) as machine:
            push_mix_drawn(SEED, T, 1, 4, x, w, out=(x1, w1 := np.empty_like(w), z1))
        assert same((x1, w1, z1), want)
        held = apart if shift else ("4", "1")
        assert machine.launched[0][0].types == ("float", *held)


def numbers_from(byte, count):
    """float32 numbers in memory of their own, ``byte`` bytes after an address divisible by 16."""
    room = np.zeros(4 * count + byte + 16, np.uint8)
    start = -room.ctypes.data % 16 + byte
    return room[start : start + 4 * count].view(np.float32)


def test_a_network_that_does_not_fit_is_built_on_the_host_with_the_same_bits():
    for R, d in ((2, 40), (1, 0), (0, 4)):
        x, w = state(R, 200, d, np.float64)
        want = by_topology(range(R), 20, x, w) if R else (x, w, x)
        with emulated(0, facts(2 << 10)) as machine:
            got = push_mix_drawn(SEED, T, R, 20, x, w)
        assert same(got, want)
        assert "push_mix_drawn" not in [made.name for made, _ in machine.launched]


def test_the_plan_on_an_h200_leaves_room_for_two_blocks():
    h200 = Facts("", 90, 132, 50 << 20, 227 << 10, 228 << 10, 1 << 37, 1 << 37)
    made = plan(1, 100, 1 << 22, 4, 10, 1, 16, h200)
    assert (made.vec, made.tile, made.grid.blocks) == (4, 128, 264)
    assert 2 * (made.grid.shared + 1024) <= h200.shared_of_all
    assert made.grid.shared == drawn_bytes(100, 128, 10, 1, 4)
    assert plan(1, 1000, 1 << 20, 4, 10, 1, 16, h200).tile == 16
    assert plan(1, 10**4, 1 << 20, 4, 10, 1, 16, h200) is None


@pytest.mark.parametrize("place", [None, facts(6 << 10)])
def test_bad_arguments_are_refused_in_one_line(place):
    x, w = state(2, 5, 8, np.float64)
    wrong = [
        ((0, 0, 3, 2, x, w), r"^push_mix_drawn: runs has shape \(3,\), but x fixed R=2$"),
        ((0, 0, 2, 5, x, w), "^push_mix_drawn: degree is 5; need 0 <= degree < 5$"),
        ((0, 2**32, 2, 1, x, w), "^push_mix_drawn: t is 4294967296; need"),
        ((-1, 0, 2, 1, x, w), "^push_mix_drawn: seed is -1; need"),
        ((0, 0, 2, 1, x, w[0]), r"w has shape \(5,\), but x has \(2, 5, 8\); need \(2, 5\)$"),
        ((0, 0, 2, 1, x[0, 0], w), r"^push_mix_drawn: x has shape \(8,\); need an array"),
        ((0, 0, 2, 1, [1.0], w), "^push_mix_drawn: x is list; need an array"),
    ]
    for arguments, message in wrong:
        where = emulated(0, place) if place else contextlib.nullcontext()
        with where, pytest.raises(ValueError, match=message):
            push_mix_drawn(*arguments)
    with pytest.raises(ValueError, match="degree is 0 without self_loops"):
        push_mix_drawn(0, 0, 2, 0, x, w, self_loops=False)
    with emulated(0, facts(6 << 10)), pytest.raises(ValueError, match="overlaps"):
        push_mix_drawn(0, 0, 2, 1, x, w, out=(x, w.copy(), x.copy()))


def test_the_layouts_of_shared_memory_are_the_same_in_both_languages(tmp_path):
    cases = [
        (n, tile, degree, loops, itemsize)
        for n, degree in ((1, 0), (31, 30), (100, 10), (1000, 3))
        for tile in (1, 16, 128)
        for loops in (0, 1)
        for itemsize in (4, 8)
    ]
    ends = [
        f"tl::DrawnLayout<{'float' if itemsize == 4 else 'double'}>({n},{tile},{degree},{loops})"
        for n, tile, degree, loops, itemsize in cases
    ]
    ends = [f"{end}.end" for end in ends] + ["tl::kQueueBytes"]
    lines = "".join(f'std::printf("%lld\\n", (long long){end});\n' for end in ends)
    (tmp_path / "main.cpp").write_text(
        '#include "cuda/draws.cuh"\n#include "cuda/push_mix_drawn.cuh"\n#include <cstdio>\n'
        f"int main() {{ {lines} }}\n"
    )
    command = ["g++", "-std=c++17", f"-I{CSRC}", "main.cpp", "-o", "main"]
    subprocess.run(command, check=True, cwd=tmp_path)
    made = subprocess.run([tmp_path / "main"], capture_output=True, text=True, check=True).stdout
    want = [drawn_bytes(*case) for case in cases] + [QUEUE]
    assert [int(line) for line in made.split()] == want
