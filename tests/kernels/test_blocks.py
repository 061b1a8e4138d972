"""Memory of large results is used again, and never while somebody can still read it."""

import os
import subprocess
import sys
from threading import Thread

import numpy as np
import pytest
from scipy.sparse import csr_array, eye_array

from theorylab import _core
from theorylab.kernels import Mixing, push_mix

PAGE = 2 << 20  # the least that is kept
N, D = 4, PAGE // 32  # a state that fills a page
UNIT = Mixing(eye_array(N, format="csr"))


@pytest.fixture(autouse=True)
def no_idle_block():
    _core.keep_blocks(True)  # what others left is given back
    yield
    _core.keep_blocks(os.environ.get("THEORYLAB_REUSE") != "0")


def address(array):
    return array.__array_interface__["data"][0]


def mixed(value, matrix=UNIT):
    return push_mix(matrix, np.full((N, D), value), np.ones(N))


def test_a_result_takes_the_memory_of_one_that_is_gone():
    first = {address(array) for array in mixed(1.0)[::2]}
    assert _core.idle_bytes() == 2 * PAGE
    second = mixed(2.0)
    assert {address(array) for array in second[::2]} == first
    assert _core.idle_bytes() == 0
    assert all(np.all(array == 2.0) for array in second[::2])


def test_a_view_keeps_the_memory_of_its_result():
    part = mixed(1.0)[0][1:, 5:]
    others = [mixed(value)[::2] for value in (2.0, 3.0)]
    assert not any(np.shares_memory(part, array) for pair in others for array in pair)
    assert np.all(part == 1.0)


def test_a_row_without_entries_is_0_in_memory_that_held_something_else():
    held = {address(array) for array in mixed(np.nan)[::2]}
    lone = csr_array(([1.0], ([0], [0])), shape=(N, N))
    with np.errstate(invalid="ignore"):
        x1, w1, z1 = mixed(5.0, Mixing(lone))
    assert {address(x1), address(z1)} == held
    assert np.all(x1[0] == 5.0)
    assert not x1[1:].any()
    assert not w1[1:].any()
    assert np.isnan(z1[1:]).all()  # 0 / 0


def test_a_block_that_is_too_small_stays_where_it_is():
    small = [_core.fresh64((size * PAGE // 8,)) for size in (1, 2)]
    small.clear()
    large = _core.fresh64((3 * PAGE // 8,))
    assert _core.idle_bytes() == 3 * PAGE
    del large
    assert _core.idle_bytes() == 6 * PAGE


def test_a_block_that_is_much_too_large_stays_until_it_was_not_asked_for_in_a_while():
    large = _core.fresh64((8 * PAGE // 8,))
    del large
    small = [_core.fresh64((PAGE // 8,)) for _ in range(16)]
    assert _core.idle_bytes() == 8 * PAGE
    small.append(_core.fresh64((PAGE // 8,)))
    assert _core.idle_bytes() == 0
    del small
    assert _core.idle_bytes() == 16 * PAGE  # as many as are kept


def test_threads_never_share_a_block():
    right = []

    def work(value):
        for _ in range(6):
            right.append(all(np.all(array == value) for array in mixed(value)[::2]))

    threads = [Thread(target=work, args=(float(value),)) for value in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert right == [True] * 24


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_child_begins_with_no_block_and_the_parent_keeps_its_own():
    code = """
import os
from theorylab import _core
kept, idle = _core.fresh64((2**18,)), _core.fresh64((2**18,))
kept[:] = 3.0
del idle
child = os.fork()
if not child:
    alone = _core.idle_bytes() == 0
    del kept
    again = _core.fresh64((2**18,))
    again[:] = 4.0
    os._exit(0 if alone else 1)
print(os.waitpid(child, 0)[1], _core.idle_bytes(), set(kept.tolist()))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == f"0 {PAGE} {{3.0}}\n", done.stderr


def test_the_environment_keeps_no_block():
    code = "from theorylab import _core; _core.fresh64((2**18,)); print(_core.idle_bytes())"
    told = {}
    for word in ("", "0", "1", "2"):
        env = {**os.environ, "THEORYLAB_REUSE": word}
        command = [sys.executable, "-c", code]
        done = subprocess.run(command, env=env, capture_output=True, text=True)
        told[word] = done.stdout + "".join(done.stderr.splitlines()[-1:])
    assert told.pop("2").endswith("THEORYLAB_REUSE: '2' came; need 0 or 1")
    assert told == {"": f"{PAGE}\n", "0": "0\n", "1": f"{PAGE}\n"}


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="asks Linux for its size")
def test_blocks_that_are_kept_are_given_back_before_there_is_no_memory():
    code = """
import resource
from theorylab import _core
small = [_core.fresh64((2**20,)) for _ in range(8)]
small.clear()
assert _core.idle_bytes() == 2**26
with open("/proc/self/statm") as file:
    size = int(file.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (size + 2**25, resource.RLIM_INFINITY))
print(_core.fresh64((2**23,)).nbytes, _core.idle_bytes())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == f"{2**26} {2**26}\n", done.stderr
