"""Two rows of a long P at once: the host's bits, whatever the cut and the order."""

import pathlib
import subprocess

import numpy as np
import pytest
from scipy.sparse import csr_array

from theorylab.kernels import Mixing, push_mix
from theorylab.kernels._paths import ORDERS, Facts, emulated
from theorylab.kernels._push_mix_pairs_device import paired_edges, pairs_bytes, pairs_plan

CSRC = pathlib.Path(__file__).resolve().parents[2] / "csrc"
H200 = Facts("big", 90, 132, 50 << 20, 227 << 10, 228 << 10, 1 << 37, 1 << 38)
SMALL = Facts("small", 90, 3, 1 << 14, 100_000, 202_048, 1 << 40, 1 << 40)


def matrix(rng, n, share=0.7):
    """Ascending rows with about share n senders; one row of none, one full."""
    full = (rng.random((n, n)) < share) * (rng.random((n, n)) + 0.01)
    full[0] = 0
    full[-1] = 1 / n
    return csr_array(full)


def draw(R, n, d, dtype, per_run=False):
    rng = np.random.default_rng(n + d)
    P = [matrix(rng, n) for _ in range(R)] if per_run else matrix(rng, n)
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
@pytest.mark.parametrize("n", [40, 41])
def test_bits_are_the_hosts_in_every_order(n, per_run, dtype):
    for d in (8, 300):
        P, x, w = draw(3, n, d, dtype, per_run)
        with np.errstate(all="ignore"):
            want = push_mix(P, x, w)
        for order in ORDERS:
            with emulated(order, SMALL) as machine:
                got = push_mix(P, x, w)
            assert [made.name for made, _ in machine.launched] == ["push_mix_pairs"]
            same(got, want)


def test_a_sender_of_the_other_row_adds_nothing_not_even_an_infinity():
    P, x, w = draw(1, 40, 8, np.float32)
    full = P.toarray()
    full[2, 5], full[3, 5] = 0, 0.5  # of the pair (2, 3), row 3 alone hears of 5
    x[0, 5] = np.inf
    with np.errstate(all="ignore"):
        want = push_mix(csr_array(full), x, w)
    with emulated(facts=SMALL):
        got = push_mix(csr_array(full), x, w)
    assert np.isfinite(want[0][0, 2]).all()
    assert np.isinf(want[0][0, 3]).all()
    same(got, want)


def launched(P, x, w):
    """The names of the schedules that ran, whose bits are the host's."""
    with np.errstate(all="ignore"):
        want = push_mix(P, x, w)
        with emulated(facts=SMALL) as machine:
            same(push_mix(P, x, w), want)
    return [made.name for made, _ in machine.launched]


def test_rows_that_are_short_unsorted_repeated_or_unaligned_go_the_other_way():
    P, x, w = draw(1, 40, 8, np.float32)
    assert launched(P, x, w) == ["push_mix_pairs"]
    assert launched(P, x[..., :6].copy(), w) == ["push_mix_tiles"]  # packets of 8 bytes
    short = csr_array(np.triu(P.toarray(), 30))
    assert launched(short, x, w) == ["push_mix_tiles"]
    turned = P.copy()
    begin, end = turned.indptr[3:5]
    turned.indices[begin:end] = turned.indices[begin:end][::-1].copy()
    assert launched(turned, x, w) == ["push_mix_tiles"]
    twice = P.copy()
    twice.indices[begin + 1] = twice.indices[begin]
    assert launched(twice, x, w) == ["push_mix_tiles"]


def test_apart_rows_do_not_pay():
    full = np.zeros((60, 60))
    full[::2, :30], full[1::2, 30:] = 1.0, 1.0  # neighbours share no sender
    P = csr_array(full)
    assert paired_edges([(P.indptr, P.indices, P.data)], 60, np.dtype(np.float32)) is None
    full = np.ones((60, 60))
    P = csr_array(full)
    offsets, steps, most = paired_edges(
        [(P.indptr, P.indices, P.data)] * 2, 60, np.dtype(np.float64)
    )
    assert (len(steps), most, steps.itemsize) == (2 * 30 * 60, 30 * 60, 32)
    assert (steps["rows"] == 3).all()
    assert offsets.tolist() == [*range(0, 1801, 60), *range(1800, 3601, 60)]


def test_steps_go_up_once_for_a_matrix_that_is_kept():
    P, x, w = draw(2, 40, 8, np.float64)
    kept = Mixing(P)
    with emulated(facts=SMALL) as machine:
        push_mix(kept, x, w)
        held = [value for key, value in kept._on_device.items() if key[-1] == "pairs"]
        push_mix(kept, x, w)
    assert [made.name for made, _ in machine.launched] == ["push_mix_pairs"] * 2
    assert held[0] is next(v for key, v in kept._on_device.items() if key[-1] == "pairs")


def test_two_blocks_share_a_processor_at_the_size_that_it_is_for():
    made = pairs_plan(1, 100, 1_048_576, 4, 3300, H200)
    assert 2 * (made.grid.shared + 1024) <= H200.shared_of_all
    assert made.grid.blocks == 2 * 132
    assert pairs_plan(1, 2000, 1 << 20, 4, 200_000, H200) is None


def test_python_and_the_schedule_agree_on_the_shared_memory(tmp_path):
    cases = [(n, tile, most) for n in (1, 2, 41, 100) for tile in (4, 64) for most in (0, 33, 3300)]
    lines = "".join(
        f'std::printf("%lld %lld\\n", (long long)tl::PairsLayout<float>({n}, {tile}, {most}).end, '
        f"(long long)tl::PairsLayout<double>({n}, {tile}, {most}).end);\n"
        for n, tile, most in cases
    )
    text = f'#include <cstdio>\n#include "cuda/push_mix_pairs.cuh"\nint main() {{ {lines} }}\n'
    (tmp_path / "main.cpp").write_text(text)
    command = ["g++", "-std=c++17", f"-I{CSRC}", "main.cpp", "-o", "main"]
    subprocess.run(command, check=True, cwd=tmp_path)
    made = subprocess.run([tmp_path / "main"], capture_output=True, text=True, check=True).stdout
    want = [pairs_bytes(*case, itemsize) for case in cases for itemsize in (4, 8)]
    assert [int(number) for number in made.split()] == want
