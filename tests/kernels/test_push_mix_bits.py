"""The bits of push_mix do not depend on how it is run; nor does its memory grow."""

import os
import subprocess
import sys

import numpy as np
import pytest
from scipy.sparse import csr_array

from theorylab import _core
from theorylab.kernels import push_mix, set_threads

SCHEDULES = {  # every schedule of csrc/host/push_mix.hpp, forced at small sizes
    "gather": {"packed_from": 2**40},
    "packed, cached": {"packed_from": 0, "stream_bytes": 2**40},
    "packed, streamed": {"packed_from": 0, "stream_bytes": 0},
    "packed, one strip": {"packed_from": 0, "stream_bytes": 0, "chunk_bytes": 256},
    "packed, one strip fits": {"packed_from": 0, "stream_bytes": 0, "chunk_limit": 1},
}


def draw(R, n, d, dtype, entries=4):
    rng = np.random.default_rng(d)
    columns = rng.integers(0, n, (n, entries))
    P = csr_array(
        (rng.random(n * entries), columns.ravel(), np.arange(0, n * entries + 1, entries))
    )
    P.resize(n, n)
    x = rng.standard_normal((R, n, d)).astype(dtype)
    return P, x, (rng.random((R, n)) + 0.5).astype(dtype)


def bits(arrays):
    return b"".join(a.tobytes() for a in arrays)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("d", [1, 3, 17, 63, 64, 65, 127, 1000, 4097])
def test_bits_agree_for_threads_instruction_sets_and_schedules(d, dtype):
    P, x, w = draw(2, 23, d, dtype)
    x1 = sum(
        (P.data[P.indptr[:-1] + e].astype(dtype)[:, None] * x[:, P.indices[P.indptr[:-1] + e]])
        for e in range(4)
    )  # 0 + a + b + c + d is ((a + b) + c) + d
    w1 = sum(
        P.data[P.indptr[:-1] + e].astype(dtype) * w[:, P.indices[P.indptr[:-1] + e]]
        for e in range(4)
    )
    want = bits((x1, w1, x1 / w1[..., None]))
    for isa in _core.usable_isas().split(", "):
        _core.use_isa(isa)
        for name, tuning in SCHEDULES.items():
            _core.tune(**tuning)
            for threads in range(1, 9):
                set_threads(threads)
                assert bits(push_mix(P, x, w)) == want, (isa, name, threads)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("d", [64, 1000, 1024])
def test_bits_do_not_depend_on_where_the_arrays_start(d, dtype):
    P, x, w = draw(1, 11, d, dtype)
    _core.tune(packed_from=0, stream_bytes=0)
    want, item, guard = bits(push_mix(P, x, w)), x.itemsize, 64 // x.itemsize
    for first in range(0, 64 // item, 3):
        for second in (0, first, 1):
            base = [np.full(x.size + 2 * guard, 7, dtype) for _ in range(3)]
            starts = [
                (-a.ctypes.data % 64) // item + s
                for a, s in zip(base, (5, first, second), strict=True)
            ]
            given, x1, z1 = (
                a[s : s + x.size].reshape(x.shape) for a, s in zip(base, starts, strict=True)
            )
            given[:] = x
            assert bits(push_mix(P, given, w, out=(x1, np.empty_like(w), z1))) == want
            for a, s in zip(base, starts, strict=True):  # nothing was written outside
                assert np.all(a[:s] == 7)
                assert np.all(a[s + x.size :] == 7)


def test_large_calls_take_the_same_bits_through_their_own_memory():
    # above the sizes where outputs stream and get their own pages, with the default tuning
    P, x, w = draw(1, 40, 30011, np.float32)
    got = push_mix(P, x, w)
    assert got[0].ctypes.data % 64 == 0
    _core.tune(packed_from=2**40)
    assert bits(push_mix(P, x, w)) == bits(got)


CHILD = """
import hashlib, sys
import numpy as np
from theorylab import _core
from theorylab.kernels import get_threads, push_mix
sys.path.insert(0, sys.argv[1])
from test_push_mix_bits import bits, draw
P, x, w = draw(2, 23, 1000, np.float32)
_core.tune(packed_from=0)
print(_core.isa(), get_threads(), hashlib.sha256(bits(push_mix(P, x, w))).hexdigest())
"""


def child(**environment):
    command = [sys.executable, "-P", "-c", CHILD, os.path.dirname(__file__)]
    env = {**os.environ, **environment}
    return subprocess.run(command, env=env, capture_output=True, text=True)


def test_the_environment_chooses_instruction_set_and_threads():
    answers = [
        child(THEORYLAB_ISA=isa, THEORYLAB_THREADS=threads).stdout.split()
        for isa, threads in [("baseline", "1"), (_core.usable_isas().split(", ")[-1], "3")]
    ]
    assert answers[0][:2] == ["baseline", "1"]
    assert answers[1][:2] == [_core.usable_isas().split(", ")[-1], "3"]
    assert answers[0][2] == answers[1][2]


@pytest.mark.parametrize(
    ("environment", "message"),
    [
        ({"THEORYLAB_ISA": "sse9"}, "THEORYLAB_ISA: 'sse9' came; need one of baseline"),
        ({"THEORYLAB_ISA": "avx2\nsse9"}, "THEORYLAB_ISA: 'avx2?sse9' came; need one of baseline"),
        ({"THEORYLAB_THREADS": "many"}, "THEORYLAB_THREADS: 'many' came; need 1 to 64"),
        ({"THEORYLAB_THREADS": "0"}, "THEORYLAB_THREADS: '0' came; need 1 to 64"),
        ({"THEORYLAB_THREADS": "65"}, "THEORYLAB_THREADS: '65' came; need 1 to 64"),
        ({"THEORYLAB_THREADS": "2.5"}, "THEORYLAB_THREADS: '2.5' came; need 1 to 64"),
        ({"THEORYLAB_THREADS": "9" * 60}, f"THEORYLAB_THREADS: '{'9' * 40}' came; need 1 to 64"),
        ({"THEORYLAB_THREADS": "2\n"}, "THEORYLAB_THREADS: '2?' came; need 1 to 64"),
    ],
)
def test_a_bad_environment_is_named_in_one_line(environment, message):
    answer = child(**environment)
    assert answer.returncode != 0
    assert message in answer.stderr.splitlines()[-1]


FORK = """
import os, signal
import numpy as np
from theorylab.kernels import get_threads, push_mix, set_threads
from scipy.sparse import eye_array
P, x, w = eye_array(50, format="csr"), np.ones((50, 20000)), np.ones(50)
set_threads(2)
push_mix(P, x, w)  # the parent's workers exist now
child = os.fork()
if child == 0:
    signal.alarm(600)  # one that hangs takes no processor; one that works needs milliseconds
    right = np.array_equal(push_mix(P, x, w)[2], x) and get_threads() == 1
    try:
        set_threads(2)
    except ValueError as error:
        right = right and "forked process" in str(error)
    else:
        right = False
    os._exit(0 if right else 3)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
assert get_threads() == 2
"""


def test_a_forked_child_works_on_one_thread():
    answer = subprocess.run([sys.executable, "-P", "-c", FORK], capture_output=True)
    assert answer.returncode == 0, answer.stderr.decode()


# The most that this process has used, in KiB: ru_maxrss begins with that of who started it.
PEAK = """
import pathlib
def peak():
    return int(pathlib.Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0])
"""
MEMORY = f"""
{PEAK}
import sys
import numpy as np
from scipy.sparse import csr_array
from theorylab.kernels import push_mix, set_threads
n, d, entries, threads = map(int, sys.argv[1:])
set_threads(threads)
columns = (np.arange(n)[:, None] + np.arange(entries)).ravel() % n
P = csr_array((np.full(n * entries, 1 / entries), columns, np.arange(0, n * entries + 1, entries)))
x, w = np.ones((n, d), np.float32), np.ones(n, np.float32)
out = np.ones((n, d), np.float32), np.ones(n, np.float32), np.ones((n, d), np.float32)
before = peak()
push_mix(P, x, w, out=out)
print(peak() - before)
"""


@pytest.mark.parametrize(
    "size", [(800, 100_000, 11, 4), (4000, 2000, 250, 8), (200_000, 40, 10, 8), (16, 10**6, 4, 64)]
)
def test_a_call_uses_at_most_64_mib_beside_its_arrays(size):
    command = [sys.executable, "-P", "-c", MEMORY, *map(str, size)]
    answer = subprocess.run(command, capture_output=True, text=True)
    assert int(answer.stdout) <= 64 * 1024, answer.stderr


FREED = f"""
{PEAK}
import numpy as np
from scipy.sparse import csr_array
from theorylab.kernels import Mixing, push_mix, set_threads
set_threads(1)
P, x, w = csr_array(np.ones((300, 300))), np.ones((300, 1)), np.ones(300)
for number in range(150):
    push_mix(Mixing(P), x, w)
    if number == 50:
        before = peak()
print(peak() - before)
"""


def test_a_mixing_that_is_freed_leaves_nothing_behind():
    # 99 copies of 90000 entries, 12 bytes each, are 101 MiB
    command = [sys.executable, "-P", "-c", FREED]
    answer = subprocess.run(command, capture_output=True, text=True)
    assert int(answer.stdout) < 20 * 1024, answer.stderr
