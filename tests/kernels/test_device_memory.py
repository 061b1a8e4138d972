"""No schedule touches a byte outside its arrays: each lies against a page that nobody may touch."""

import subprocess
import sys

import pytest

GUARDED = """
import ctypes, mmap, sys
import numpy as np
from scipy.sparse import csr_array
from theorylab.kernels import _device, glm_hvp, mix_jvp, push_mix, softmax_hvp
from theorylab.kernels._paths import Facts, emulated

PAGE = mmap.PAGESIZE
protect = ctypes.CDLL(None, use_errno=True).mprotect

def guarded(array, last):
    "A copy with a forbidden page right behind it (last) or right before it."
    room = -(-max(array.nbytes, 1) // PAGE) * PAGE
    memory = mmap.mmap(-1, room + 2 * PAGE)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    for page in (start, start + PAGE + room):
        assert protect(ctypes.c_void_p(page), ctypes.c_size_t(PAGE), 0) == 0
    offset = PAGE + (room - array.nbytes if last else 0)
    made = np.frombuffer(memory, array.dtype, array.size, offset).reshape(array.shape)
    made[...] = array
    return made
"""
PUSH_MIX = """
rng = np.random.default_rng(3)
P = csr_array(np.where(rng.random((20, 20)) < 0.3, rng.random((20, 20)), 0) + np.eye(20))
for shared in (20_000, 4_500, 1_000):
    facts = Facts("cut", 90, 3, 1 << 13, shared, 2 * shared + 2048, 1 << 40, 1 << 40)
    for dtype in (np.float32, np.float64):
        x, w = rng.random((2, 20, 100), dtype), rng.random((2, 20), dtype)
        want = push_mix(P, x, w)
        for last in (True, False):
            _device.Host.upload = lambda self, a, device: guarded(a, last)
            out = tuple(guarded(np.full_like(a, np.nan), last) for a in want)
            for order in (0, 3):
                with emulated(order, facts):
                    push_mix(P.copy(), guarded(x, last), guarded(w, last), out=out)
                assert all(np.array_equal(a, b) for a, b in zip(out, want))
"""
PRODUCTS = """
rng = np.random.default_rng(3)
made = []
_device.Host.empty = lambda self, shape, dtype, device: made.append(
    guarded(np.full(shape, np.nan, dtype), last)) or made[-1]

R, n, m, k, C = 2, 2, 37, 3, 2
for dtype, d in ((np.float32, 21), (np.float64, 21), (np.float32, 40), (np.float64, 150)):
    shapes = (n, m, d), (R, n, m), (R, n, k, d), (R, n, m, C), (R, n, k, d, C), (n, n), (R, n)
    A, h, V, p, W, c, s = (rng.random(shape).astype(dtype) for shape in shapes)
    want = glm_hvp(A, h, V), softmax_hvp(A, p, h, W), mix_jvp(c, V, s, A, h, variant="4a")
    for shared in (20_000, 2_500):
        facts = Facts("cut", 90, 3, 1 << 13, shared, 2 * shared + 2048, 1 << 40, 1 << 40)
        for last in (True, False):
            a, b, v, q, w, e, t = (guarded(x, last) for x in (A, h, V, p, W, c, s))
            with emulated(3 if last else 0, facts):
                got = [glm_hvp(a, b, v), softmax_hvp(a, q, b, w)]
                got.append(mix_jvp(e, v, t, a, b, variant="4a"))
            assert all(np.array_equal(x, y) for x, y in zip(got, want))
assert made
"""
BEYOND = "guarded(np.zeros(4), True).ctypes.data_as(ctypes.POINTER(ctypes.c_double))[4]"


def run(text):
    command = [sys.executable, "-P", "-c", f"{GUARDED}\n{text}\nprint('inside')"]
    return subprocess.run(command, capture_output=True, text=True, timeout=240)


@pytest.mark.parametrize("schedules", [PUSH_MIX, PRODUCTS], ids=["push_mix", "products"])
def test_nothing_outside_the_arrays_is_touched(schedules):
    done = run(schedules)
    assert (done.returncode, done.stdout) == (0, "inside\n"), done.stderr


def test_a_byte_outside_would_be_seen():
    done = run(BEYOND)
    assert done.returncode < 0
    assert not done.stdout
