"""The bits of glm_hvp, softmax_hvp and mix_jvp do not depend on how they are run."""

import subprocess
import sys

import numpy as np
import pytest

from theorylab import _core
from theorylab.kernels import glm_hvp, mix_jvp, set_threads, softmax_hvp

# R, n, m, d, k, C: many clients; few, whose chunks are tasks of their own; runs in several groups;
# so many vectors that they meet the rows in panels
SIZES = [
    (2, 9, 30, 37, 2, 5),
    (2, 1, 600, 21, 3, 3),
    (5, 3, 40, 8000, 2, 2),
    (2, 1, 283, 1003, 13, 2),
]


def draw(size, dtype):
    R, n, m, d, k, C = size
    rng = np.random.default_rng(m)
    few = min(d, 400)  # features of the softmax: C times as many numbers
    edges = rng.standard_normal((R, n, n)) * (rng.random((R, n, n)) < 0.7)
    shapes = [(n, m, d), (R, n, m), (R, n, k, d), (n, m, few), (R, n, m, C), (R, n, k, few, C)]
    made = [rng.standard_normal(shape) for shape in shapes] + [edges, rng.random((R, n))]
    return [a.astype(dtype) for a in made]


def products(A, h, V, B, p, W, c, s):
    yield glm_hvp(A, h, V, 0.5)
    yield softmax_hvp(B, p, h, W, 0.5)
    for variant in ("4a", "4b"):
        yield mix_jvp(c, V, s, A, h, 0.5, variant=variant)
        yield mix_jvp(c, W, s, B, h, 0.5, prob=p, variant=variant)


def bits(arrays):
    return [a.tobytes() for a in arrays]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("size", SIZES)
def test_bits_agree_for_threads_and_instruction_sets(size, dtype):
    arrays, want = draw(size, dtype), None
    for isa in _core.usable_isas().split(", "):
        _core.use_isa(isa)
        for threads in range(1, 9) if size[3] < 100 else (1, 8):
            set_threads(threads)
            got = bits(products(*arrays))
            want = want or got
            assert got == want, (isa, threads)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("size", SIZES)
def test_a_batch_is_its_runs_bit_for_bit(size, dtype):
    A, h, V, B, p, W, c, s = draw(size, dtype)
    h[-1, :, -7:] = 0  # rows that the last run has not
    whole = list(products(A, h, V, B, p, W, c, s))
    for r in range(size[0]):
        alone = products(A, h[r], V[r], B, p[r], W[r], c[r], s[r])
        assert bits(alone) == bits(a[r] for a in whole)


# the third in tiles, the fourth in panels of several tiles, whose vectors are no whole groups; the
# last two with classes that fill three vectors, and one or two more
@pytest.mark.parametrize(
    "size",
    [
        *SIZES[:2],
        (1, 2, 40, 1100, 19, 2),
        (1, 1, 45, 1403, 43, 2),
        (1, 1, 9, 5, 13, 4),
        (1, 1, 9, 5, 10, 4),
    ],
)
def test_vectors_together_are_each_alone_bit_for_bit(size):
    A, h, V, B, p, W, c, s = draw(size, np.float32)
    whole = list(products(A, h, V, B, p, W, c, s))
    for b in range(size[4]):
        one = slice(b, b + 1)
        alone = products(A, h, V[:, :, one].copy(), B, p, W[:, :, one].copy(), c, s)
        assert bits(alone) == bits(a[:, :, one] for a in whole)


@pytest.mark.parametrize("size", SIZES[:2])
def test_what_runs_share_may_be_given_once_or_for_each(size):
    A, h, V, B, p, W, c, s = draw(size, np.float64)
    R = size[0]
    each = [np.repeat(a[None], R, axis=0) for a in (A, h[0], B, p[0], c[0], s[0])]
    want = bits(products(A, h[0], V, B, p[0], W, c[0], s[0]))
    assert bits(products(each[0], each[1], V, each[2], each[3], W, *each[4:])) == want
    assert bits(products(A, each[1], V, B, each[3], W, c[0], each[5])) == want
    own = A + np.arange(R)[:, None, None, None]
    got = glm_hvp(own, h, V)
    for r in range(R):
        assert np.array_equal(got[r], glm_hvp(own[r], h[r], V[r]))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_bits_do_not_depend_on_where_the_arrays_start_and_nothing_is_written_outside(dtype):
    arrays = draw((2, 3, 10, 37, 2, 5), dtype)
    want = bits(products(*arrays))
    for shift in (1, 3, 7):
        moved = []
        for a in arrays:
            room = np.full(a.size + 32, np.nan, dtype)  # what is read outside would show
            moved.append(room[shift : shift + a.size].reshape(a.shape))
            moved[-1][:] = a
        assert bits(products(*moved)) == want
        V = moved[2]
        room = np.full(V.size + 32, 7, dtype)
        out = room[shift : shift + V.size].reshape(V.shape)
        glm_hvp(*moved[:3], 0.5, out)
        assert out.tobytes() == want[0]
        assert np.all(room[:shift] == 7)
        assert np.all(room[shift + V.size :] == 7)


MEMORY = """
import pathlib, sys
import numpy as np
from theorylab.kernels import glm_hvp, mix_jvp, set_threads
R, n, m, d, k, threads = map(int, sys.argv[1:])
set_threads(threads)
A, h, V = np.ones((n, m, d)), np.ones((R, n, m)), np.ones((R, n, k, d))
c, s, out = np.ones((n, n)), np.ones(n), np.ones((R, n, k, d))
def peak():  # in KiB, of this process; ru_maxrss begins with that of who started it
    return int(pathlib.Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0])
before = peak()
glm_hvp(A, h, V, 0.1, out)
mix_jvp(c, V, s, A, h, 0.1, variant="4a", out=out)
print(peak() - before)
"""


@pytest.mark.parametrize("size", [(1, 40, 300, 1000, 2, 2), (20, 2, 20_000, 100, 2, 8)])
def test_a_call_uses_at_most_40_mib_beside_its_arrays(size):
    # 32 MiB of sums where clients are few; a thread's points and sums, and its stack, elsewhere
    command = [sys.executable, "-P", "-c", MEMORY, *map(str, size)]
    answer = subprocess.run(command, capture_output=True, text=True)
    assert int(answer.stdout) <= 40 * 1024, answer.stderr
