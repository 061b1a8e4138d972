"""Four rows of a long P at once: the host's bits, whatever the cut and the order."""

import pathlib
import subprocess

import numpy as np
import pytest
from scipy.sparse import csr_array

from theorylab.kernels import Mixing, push_mix
from theorylab.kernels._paths import ORDERS, Facts, emulated
from theorylab.kernels._push_mix_groups_device import grouped_steps, groups_bytes, groups_plan

CSRC = pathlib.Path(__file__).resolve().parents[2] / "csrc"
H200 = Facts("big", 90, 132, 50 << 20, 227 << 10, 228 << 10, 1 << 37, 1 << 38)
SMALL = Facts("small", 90, 3, 1 << 14, 100_000, 202_048, 1 << 40, 1 << 40)


def matrix(rng, n, equal, share=0.9):
    """Ascending rows with about share n senders; one row of none, one full."""
    there = rng.random((n, n)) < share
    there[0], there[-1] = False, True
    return csr_array(there * (rng.random((1, n) if equal else (n, n)) + 0.01))


def draw(R, n, d, dtype, per_run=False, equal=False):
    rng = np.random.default_rng(n + d)
    P = [matrix(rng, n, equal) for _ in range(R)] if per_run else matrix(rng, n, equal)
    x = rng.standard_normal((R, n, d)).astype(dtype)
    x[rng.random(x.shape) < 0.1] = -0.0
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
    for n, d in ((60, 8), (62, 132)):
        P, x, w = draw(3, n, d, dtype, per_run, equal)
        with np.errstate(all="ignore"):
            want = push_mix(P, x, w)
        for order in ORDERS:
            with emulated(order, SMALL) as machine:
                got = push_mix(P, x, w)
            ((made, _),) = machine.launched
            assert (made.name, made.types[2]) == ("push_mix_groups", str(int(equal)))
            same(got, want)


@pytest.mark.parametrize("equal", [False, True])
def test_a_sender_of_another_row_adds_nothing_not_even_an_infinity(equal):
    P, x, w = draw(1, 60, 8, np.float32, equal=equal)
    full = P.toarray()
    full[4:8, 5] = 0, full[-1, 5], 0, 0  # of the group of rows 4 to 7, row 5 alone hears of 5
    x[0, 5] = np.inf
    with np.errstate(all="ignore"):
        want = push_mix(csr_array(full), x, w)
    with emulated(facts=SMALL) as machine:
        got = push_mix(csr_array(full), x, w)
    assert machine.launched[0][0].types[2] == str(int(equal))
    assert np.isfinite(want[0][0, [4, 6, 7]]).all()
    assert np.isinf(want[0][0, 5]).all()
    same(got, want)


def launched(P, x, w):
    """The names of the schedules that ran, whose bits are the host's."""
    with np.errstate(all="ignore"):
        want = push_mix(P, x, w)
        with emulated(facts=SMALL) as machine:
            same(push_mix(P, x, w), want)
    return [made.name for made, _ in machine.launched]


def test_rows_that_are_short_unsorted_repeated_or_unaligned_go_the_other_way():
    P, x, w = draw(1, 60, 8, np.float32)
    assert launched(P, x, w) == ["push_mix_groups"]
    assert launched(P, x[..., :6].copy(), w) == ["push_mix_tiles"]  # packets of 8 bytes
    short = csr_array(np.triu(P.toarray(), 20))
    assert launched(short, x, w) == ["push_mix_tiles"]
    turned = P.copy()
    begin, end = turned.indptr[3:5]
    turned.indices[begin:end] = turned.indices[begin:end][::-1].copy()
    assert launched(turned, x, w) == ["push_mix_tiles"]
    twice = P.copy()
    twice.indices[begin + 1] = twice.indices[begin]
    assert launched(twice, x, w) == ["push_mix_tiles"]


def steps_of(full, dtype=np.float32, runs=1):
    P = csr_array(full)
    return grouped_steps([(P.indptr, P.indices, P.data)] * runs, len(full), np.dtype(dtype))


def test_apart_rows_do_not_pay():
    full = np.zeros((64, 64))
    for row in range(64):
        full[row, row % 4 * 16 : row % 4 * 16 + 16] = 1.0  # rows of a group share no sender
    assert steps_of(full) is None


def test_steps_are_the_senders_of_four_rows_filled_up_to_fours():
    made = steps_of(np.ones((60, 60)), np.float64, 2)
    assert (made.equal, made.most, made.shares.tolist()) == (True, 900, np.ones((2, 60)).tolist())
    assert made.offsets.tolist() == [*range(0, 901, 60), *range(900, 1801, 60)]
    assert made.steps.tolist() == [j << 4 | 15 for j in range(60)] * 30
    full = np.ones((42, 42))
    full[1, 1] = 2.0
    made = steps_of(full)
    assert not made.equal
    assert made.steps[:44].tolist() == [j << 4 | 15 for j in range(42)] + [0, 0]
    assert made.steps[-44:].tolist() == [j << 4 | 3 for j in range(42)] + [0, 0]
    assert made.shares[1].tolist() == [1, 2, 1, 1]
    assert made.shares[42:44].tolist() == made.shares[-2:].tolist() == [[0] * 4] * 2


def test_a_share_of_its_own_for_every_entry_pays_from_longer_rows_on():
    full = np.eye(80)
    full[:, :30] = 1.0
    assert steps_of(full) is not None
    full[1, 1] = 2.0
    assert steps_of(full) is None


def test_steps_go_up_once_for_a_matrix_that_is_kept():
    P, x, w = draw(2, 60, 8, np.float64)
    kept = Mixing(P)
    with emulated(facts=SMALL) as machine:
        push_mix(kept, x, w)
        held = [value for key, value in kept._on_device.items() if key[-1] == "groups"]
        push_mix(kept, x, w)
    assert [made.name for made, _ in machine.launched] == ["push_mix_groups"] * 2
    assert held[0] is next(v for key, v in kept._on_device.items() if key[-1] == "groups")


def test_blocks_share_a_processor_at_the_sizes_that_it_is_for():
    for most, equal in ((2300, False), (2300, True), (2500, True)):
        made = groups_plan(1, 100, 1_048_576, 4, most, equal, H200)
        blocks, threads = (3, 288) if equal else (2, 416)  # 25 groups, a warp each, in turns
        assert blocks * (made.grid.shared + 1024) <= H200.shared_of_all
        assert (made.tile, made.grid.blocks, made.grid.threads) == (128, blocks * 132, threads)
    assert groups_plan(1, 2000, 1 << 20, 4, 200_000, False, H200) is None


def test_python_and_the_schedule_agree_on_the_shared_memory(tmp_path):
    cases = [
        (n, tile, most, equal)
        for n in (1, 2, 41, 100)
        for tile in (4, 64)
        for most in (0, 36, 3300)
        for equal in (0, 1)
    ]
    lines = "".join(
        f'std::printf("%lld %lld\\n", (long long)tl::GroupsLayout<float>({n}, {tile}, {most}, '
        f"{equal}).end, (long long)tl::GroupsLayout<double>({n}, {tile}, {most}, {equal}).end);\n"
        for n, tile, most, equal in cases
    )
    text = f'#include <cstdio>\n#include "cuda/push_mix_groups.cuh"\nint main() {{ {lines} }}\n'
    (tmp_path / "main.cpp").write_text(text)
    command = ["g++", "-std=c++17", f"-I{CSRC}", "main.cpp", "-o", "main"]
    subprocess.run(command, check=True, cwd=tmp_path)
    made = subprocess.run([tmp_path / "main"], capture_output=True, text=True, check=True).stdout
    want = [groups_bytes(*case, itemsize) for case in cases for itemsize in (4, 8)]
    assert [int(number) for number in made.split()] == want
