"""push_mix on matrix units, played by loops on the host: exact where all sums are, else bounded."""

import pathlib
import subprocess
from fractions import Fraction

import numpy as np
import pytest
from scipy.sparse import csr_array

from theorylab.kernels import Mixing, push_mix
from theorylab.kernels._paths import ORDERS, Facts, emulated
from theorylab.kernels._push_mix_dense_device import dense_bytes, dense_plan, fragments

CSRC = pathlib.Path(__file__).resolve().parents[2] / "csrc"
STAGED = Facts("staged", 90, 2, 1 << 16, 62 << 10, 64 << 10, 1 << 30, 1 << 30)
H200 = Facts("", 90, 132, 50 << 20, 227 << 10, 228 << 10, 1 << 37, 1 << 37)
# R, n, d: one tile and many, tails of rows, of steps, of a tile and of a packet
SIZES = [(1, 1, 1), (2, 7, 33), (3, 17, 64), (2, 20, 132), (1, 41, 250), (1, 33, 300)]


def thin(n, dtype):
    """A device on which the tiles fit, but P does not beside them."""
    itemsize = np.dtype(dtype).itemsize
    shared = dense_bytes(n, 128 // itemsize, False, itemsize)
    return Facts("thin", 90, 2, 1 << 16, shared, 1 << 20, 1 << 30, 1 << 30)


def whole_numbers(R, n, d, dtype, runs_apart):
    """P in eighths and x in whole numbers: every product and partial sum is exact, in float too."""
    rng = np.random.default_rng(n)
    P = [csr_array(rng.integers(0, 8, (n, n)) / 8) for _ in range(R)]
    x = rng.integers(-(2**11), 2**11, (R, n, d)).astype(dtype)
    return (P if runs_apart else P[0]), x, rng.integers(1, 5, (R, n)).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("runs_apart", [False, True])
def test_exact_sums_are_the_host_s_in_every_order_with_p_near_or_far(runs_apart, dtype):
    for R, n, d in SIZES:
        P, x, w = whole_numbers(R, n, d, dtype, runs_apart)
        want = push_mix(P, x, w)
        for order in ORDERS if n == 20 else (1, 5):
            for facts in (STAGED, thin(n, dtype)) if order == 5 else (STAGED,):
                with emulated(order, facts) as machine:
                    got = push_mix(P, x, w, matrix_units=True)
                names = [schedule.name for schedule, _ in machine.launched]
                assert names == ["push_weights", "push_mix_dense"]
                for a, b in zip(got, want, strict=True):
                    assert a.tobytes() == b.tobytes(), (R, n, d, order)


def exact(P, x, columns):
    """P x and sum |P x| of some columns as fractions, P's entries as they are stored."""
    rows = [[Fraction(float(p)) for p in row] for row in P]
    made, sizes = [], []
    for k in columns:
        column = [Fraction(float(v)) for v in x[:, k]]
        products = [[p * v for p, v in zip(row, column, strict=True)] for row in rows]
        made.append([sum(row) for row in products])
        sizes.append([sum(map(abs, row)) for row in products])
    return made, sizes


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("spread", [0, 12])
def test_the_error_is_within_the_stated_bound(spread, dtype):
    n, d = 41, 140
    rng = np.random.default_rng(7)
    full = rng.random((n, n)).astype(dtype)
    scales = 2.0 ** rng.integers(-spread, spread + 1, (1, n, d))
    x = (rng.standard_normal((1, n, d)) * scales).astype(dtype)
    w = rng.random((1, n)).astype(dtype) + dtype(0.5)
    P = csr_array(full.astype(np.float64))
    with emulated(0, STAGED):
        x1, w1, z1 = push_mix(P, x, w, matrix_units=True)
    assert w1.tobytes() == push_mix(P, x, w)[1].tobytes()
    assert z1.tobytes() == (x1 / w1[..., None]).tobytes()
    columns = [0, 1, 31, 32, 63, 64, 130, 139]
    want, sizes = exact(full, x[0], columns)
    whole = -(-n // 8) * 8
    # Stated: n' roundings in double; (14 + 8 n') u in float, of which the emulation, that rounds
    # to nearest, needs 14 + 3 n'. A part left out of the split would cost 2**-11, 8192 u.
    u = Fraction(1, 2**53) if dtype == np.float64 else Fraction(1, 2**24)
    allowed = whole * u / (1 - whole * u) if dtype == np.float64 else (14 + 3 * whole) * u
    for column, values, size in zip(columns, want, sizes, strict=True):
        for i in range(n):
            error = abs(Fraction(float(x1[0, i, column])) - values[i])
            assert error <= allowed * size[i]


def test_the_split_keeps_22_bits_of_an_entry():
    rng = np.random.default_rng(3)
    x = rng.standard_normal((1, 64, 96)).astype(np.float32)
    with emulated(0, STAGED):
        x1 = push_mix(csr_array(np.eye(64)), x, np.ones((1, 64), np.float32), matrix_units=True)[0]
    # P' = 1 and p = 0: only y was rounded, by at most 2^-22 |x|, and the sum of the parts
    assert (np.abs(x1 - x) <= (2.0**-22 + 2.0**-24) * np.abs(x)).all()


def test_given_outputs_tensors_and_a_mixing_used_twice():
    torch = pytest.importorskip("torch")
    P, x, w = whole_numbers(1, 12, 40, np.float32, False)
    want, mixing = push_mix(P, x[0], w[0]), Mixing(P)
    tensors = torch.from_numpy(x[0]), torch.from_numpy(w[0])
    for _ in range(2):
        out = tuple(torch.full_like(one, torch.nan) for one in (*tensors, tensors[0]))
        with emulated(2, STAGED):
            got = push_mix(mixing, *tensors, out=out, matrix_units=True)
        for a, b, c in zip(got, out, want, strict=True):
            assert a is b
            assert a.numpy().tobytes() == c.tobytes()
    assert len(mixing._on_device) == 2  # edges and fragments, uploaded once


def test_entries_stored_twice_and_empty_rows():
    P = csr_array((np.array([0.25, 0.5, 1.0]), np.array([2, 2, 0]), np.array([0, 2, 2, 3])))
    P.resize(3, 3)
    x, w = np.arange(6.0).reshape(1, 3, 2), np.ones((1, 3))
    with emulated(0, STAGED), np.errstate(all="ignore"):
        x1, w1, _ = push_mix(P, x, w, matrix_units=True)
    assert x1.tolist() == [[[3.0, 3.75], [0.0, 0.0], [0.0, 1.0]]]
    assert w1.tolist() == [[0.75, 0.0, 1.0]]


def test_no_runs_and_no_columns():
    for R, d in ((0, 4), (2, 0)):
        P, x, w = whole_numbers(max(R, 1), 5, d, np.float64, False)
        with emulated(0, STAGED):
            x1, w1, z1 = push_mix(P, x[:R], w[:R], matrix_units=True)
        assert x1.shape == z1.shape == (R, 5, d)
        assert w1.tobytes() == push_mix(P, x[:R], w[:R])[1].tobytes()


def test_hosts_and_too_many_clients_are_refused():
    P, x, w = whole_numbers(1, 5, 4, np.float64, False)
    with pytest.raises(ValueError, match=r"^push_mix: matrix_units=True with x on the host; need"):
        push_mix(P, x, w, matrix_units=True)
    tiny = Facts("tiny", 90, 1, 1, 1 << 10, 1 << 20, 1 << 30, 1 << 30)
    with emulated(0, tiny) as machine:
        with pytest.raises(ValueError, match="matrix_units with n=5 needs more shared memory"):
            push_mix(P, x, w, matrix_units=True)
        assert not machine.launched


def test_the_plan_on_an_h200_has_p_of_100_clients_near_and_of_500_far():
    wide = 1 << 22
    for itemsize, tile in ((4, 128), (8, 64)):
        made = dense_plan(1, 100, wide, itemsize, H200)
        assert (made.tile, made.staged, made.grid.blocks) == (tile, True, 132)
        assert made.grid.shared == dense_bytes(100, tile, True, itemsize) <= H200.shared
        assert not dense_plan(1, 500, wide, itemsize, H200).staged
        assert dense_plan(1, 2000, wide, itemsize, H200) is None
    # few columns: tiles as narrow as it takes to give every processor one
    assert dense_plan(1, 100, 132 * 32, 4, H200).grid.blocks == 132


PROGRAM = """
#include "emulated/loops.hpp"
#include "cuda/push_mix_dense.cuh"
#include <cstdio>
using namespace tl;
float A(int i, int k) { return float((3 * i + 5 * k) % 11); }
float B(int k, int j) { return float((7 * k + 2 * j) % 13 - 6); }
void body(const Loops& m, const void*) {
  const int g = m.thread() / 4, l = m.thread() % 4;  // groupID, threadID_in_group
  double d[2] = {1, 2};
  m.mma(d, double(A(g, l)), double(B(l, g)));
  float c[4] = {1, 2, 3, 4};
  const float a[4] = {A(g, l), A(g + 8, l), A(g, l + 4), A(g + 8, l + 4)};
  const float b[2] = {B(l, g), B(l + 4, g)};
  u32 words[4], others[2];
  memcpy(words, a, 16);
  memcpy(others, b, 8);
  m.mma(c, words, others);
  std::printf("%g %g %g %g %g %g\\n", d[0], d[1], c[0], c[1], c[2], c[3]);
}
int main() {
  Loops::run(Grid{1, 32, 0, 0}, body, nullptr);
  for (i64 n : {1, 7, 100, 513})
    for (i64 staged : {0, 1})
      std::printf("%lld %lld\\n", (long long)DenseLayout<double>(n, 64, staged).end,
                  (long long)DenseLayout<float>(n, 64, staged).end);
}
"""


def test_fragments_lie_as_the_ptx_isa_says_and_layouts_agree(tmp_path):
    (tmp_path / "main.cpp").write_text(PROGRAM)
    command = ["g++", "-O1", "-std=c++17", "-Wall", "-Wextra", "-Werror", f"-I{CSRC}"]
    command += ["main.cpp", str(CSRC / "emulated/loops.cpp"), "-o", "main"]
    subprocess.run(command, check=True, cwd=tmp_path)
    text = subprocess.run([tmp_path / "main"], capture_output=True, text=True, check=True).stdout
    lines = [list(map(float, line.split())) for line in text.splitlines()]
    A = np.fromfunction(lambda i, k: (3 * i + 5 * k) % 11, (16, 8))
    B = np.fromfunction(lambda k, j: (7 * k + 2 * j) % 13 - 6, (8, 8))
    small, large = A[:8, :4] @ B[:4], A @ B
    for lane, got in enumerate(lines[:32]):
        g, j = lane // 4, 2 * (lane % 4)
        want = [small[g, j] + 1, small[g, j + 1] + 2]
        want += [large[g, j] + 1, large[g, j + 1] + 2, large[g + 8, j] + 3, large[g + 8, j + 1] + 4]
        assert got == want, lane
    sizes = [(n, staged) for n in (1, 7, 100, 513) for staged in (False, True)]
    for (n, staged), ends in zip(sizes, lines[32:], strict=True):
        assert ends == [dense_bytes(n, 64, staged, itemsize) for itemsize in (8, 4)]


def test_a_lane_s_fragment_holds_its_shares_by_the_ptx_isa():
    n = 37
    full = np.random.default_rng(5).random((n, n))
    P = csr_array(full)
    parts, single = [(P.indptr, P.indices, P.data)], full.astype(np.float32)
    double = fragments(parts, n, np.dtype(np.float64)).reshape(5, 10, 32)
    halves = fragments(parts, n, np.dtype(np.float32)).reshape(3, 5, 2, 32, 4)
    assert np.count_nonzero(double) == np.count_nonzero(halves[:, :, 0]) == n * n
    assert not (halves.view(np.uint32) & 0x1FFF).any()
    for i in range(n):
        for j in range(n):
            assert double[i // 8, j // 4, i % 8 * 4 + j % 4] == full[i, j]
            lane, e = i % 8 * 4 + j % 4, i % 16 // 8 + j % 8 // 4 * 2
            high, low = halves[i // 16, j // 8, :, lane, e].astype(float)
            # the nearest of 11 bits leaves 12, of which the nearest of 11 bits leaves one
            assert abs(single[i, j] - high) <= 2.0**-11 * single[i, j]
            assert abs(single[i, j] - high - low) <= 2.0**-23 * single[i, j]
