"""No size wraps, no crash: what does not fit is refused. In a process of its own: it may crash."""

import subprocess
import sys

import numpy as np
import pytest

from theorylab import _core
from theorylab.kernels import MOST_BATCH, ClientLosses

START = """
import resource, threading
resource.setrlimit(resource.RLIMIT_CPU, (120, 120))  # whatever hangs is ended
import numpy as np
from scipy.sparse import csr_array
from theorylab import _core, kernels
e, f, i = np.empty(0), np.ones, np.empty(0, np.int64)
one = (np.array([0, 1]), np.array([0]), np.ones(1))
unit = _core.Losses64.separable(f((1, 1)), 1.0, 0.0, 0.0)
rows = np.zeros((1, 8))

def logistic(batch):
    labels = np.zeros(1, np.int64)
    return _core.Losses64.regression(
        False, 1, 1, rows, np.empty(0, np.float32), labels, labels, labels + 1, batch, 0.0
    )

def step(losses, **changes):
    given = {"w": f((1, 1)), "runs": np.array([0]), "steps": 1, "counts": i, "out": f((1, 1, 1))}
    g = {**given, **changes}
    losses.steps(
        f((1, 1, 1)), g["w"], 1, 0, g["runs"], g["steps"], g["counts"], .1, 0., 0., g["out"]
    )
"""


def ended(code):
    """(exit code, what it printed) of a process that runs the code after START."""
    command = [sys.executable, "-c", START + code]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr[-500:]


CALLS = {
    "hvp": "_core.glm_hvp('h', [2**62, 4, 1, 1, 0, 1], [False] * 4, f(4), f(4), e, e, 0., e, e, "
    "False, e)",
    "hvp-weights": "_core.glm_hvp('h', [1, 1, 2**62, 4, 0, 1], [False] * 4, e, e, e, f(4), 0., "
    "e, e, False, f(4))",
    "mix": "_core.push_mix(_core.Matrices(4, [tuple(a.copy() for a in (np.array([0, 1, 1, 1, 1]), "
    "np.array([3]), f(1)))], False), 2**62 + 2, f(8), f(8), f(8), f(8), f(8))",
    "no-matrix": "_core.push_mix(_core.Matrices(2, [], False), 1, f(2), f(2), f(2), f(2), f(2))",
    "two-matrices": "_core.push_mix(_core.Matrices(1, [one, one], False), 1, *[f(1)] * 5)",
    "flat-indptr": "_core.Matrices(4, [(np.empty((5, 0), np.int64), one[1], one[2])], False)",
    "largest-n": "_core.Matrices(2**63 - 1, [one], False)",
    "features": "_core.Losses64.regression(True, 8, 2**61, e, np.empty(0, np.float32), i, i, i, "
    "0, 0.)",
    "no-coordinate": "step(_core.Losses64.separable(np.empty((3, 0)), 1., 0., 0.))",
    "ascent": "_core.ascent(f(3), f(3), .1, -3, f(3))",
    "steps": "step(unit, steps=-1)",
    "fresh": "_core.fresh64([2**61, 8])",
    "fresh-empty": "_core.fresh64([0, 2**62, 4])",
    "fresh-below-0": "_core.fresh64([-1])",
    "batch": "step(logistic(2**62))",
    "workspace": "step(logistic(2**46))",
    "tune": "_core.tune(chunk_bytes=2**62)",
}


def test_a_size_that_wraps_is_refused_by_every_binding():
    code = "".join(
        f"\ntry:\n    {call}\nexcept (ValueError, MemoryError) as error:\n"
        f"    print('{name}:', type(error).__name__)\nelse:\n    print('{name}: taken')\n"
        for name, call in CALLS.items()
    )
    status, text = ended(code)
    assert status == 0, text
    memory = ("fresh", "fresh-empty", "fresh-below-0", "batch", "workspace")
    assert text.split("\n")[:-1] == [
        f"{name}: {'MemoryError' if name in memory else 'ValueError'}" for name in CALLS
    ]


def test_counts_above_the_steps_are_the_steps():
    # they are read again after they were checked, while another thread may write
    code = """
x, out = np.zeros((2, 1, 1)), []
noisy = _core.Losses64.separable(f((1, 1)), 1.0, 0.0, 1.0)
for counts in ([[3], [3]], [[2**40], [3]]):
    out.append(np.empty((2, 1, 1)))
    noisy.steps(x, f((2, 1)), 1, 0, np.arange(2), 3, np.array(counts), .1, 0., 0., out[-1])
print(np.array_equal(*out))
"""
    assert ended(code) == (0, "True\n")


def test_what_is_written_into_a_matrix_after_it_was_checked_is_never_read():
    code = """
n = 300
P, copied = csr_array(f((n, n))), _core.Matrices
def spoiled(*given):
    checked = copied(*given)
    P.indices[:], P.indptr[:], P.data[:] = 2**30, 2**30, -1.0
    return checked
_core.Matrices = spoiled
print(bool((kernels.push_mix(P, f((1, n, 200)), f((1, n)))[0] == n).all()))
"""
    assert ended(code) == (0, "True\n")


def test_another_thread_that_writes_into_a_matrix_crashes_nothing():
    # by the number of calls, however the threads take turns: some meet it whole, most do not
    code = """
n = 300
P = csr_array(np.ones((n, n)))
x, w, stop = np.ones((1, n, 200)), np.ones((1, n)), threading.Event()
def spoil():
    while not stop.is_set():
        P.indices[:] = 2**30
        P.indices[:] = 0
other = threading.Thread(target=spoil)
other.start()
calls, whole, taken, refused = 0, True, 0, 0
while calls < 5000 or taken < 5 or refused < 5:
    calls += 1
    try:
        x1, _, _ = kernels.push_mix(P, x, w)
        whole, taken = whole and bool((x1 == n).all()), taken + 1
    except ValueError as error:
        assert "column index 1073741824" in str(error), error
        refused += 1
stop.set()
other.join()
print(whole)
"""
    assert ended(code) == (0, "True\n")


def crooked(array):
    """The same numbers, one byte off."""
    room = np.empty(array.nbytes + 1, np.uint8)[1:]
    made = room.view(array.dtype).reshape(array.shape)
    made[...] = array
    assert not made.flags.aligned
    return made


def test_arrays_that_are_not_aligned_are_read_safely_or_refused():
    X, y, sizes = np.random.default_rng(1).standard_normal((4, 3)), np.array([0, 1, 1, 0]), [2, 2]
    x, w, runs = np.ones((1, 2, 3)), np.ones((1, 2)), np.array([0])
    want = None
    for change in (np.copy, crooked):
        given = [change(a) for a in (X, y, np.array(sizes), x, w, runs)]
        table = ClientLosses.regression(*given[:3], columns=1, batch=None, reg=0.0)
        x1 = table.local_steps(given[3], given[4], seed=1, runs=given[5], round=0, steps=2, eta=0.1)
        assert want is None or np.array_equal(x1, want)
        want = x1
    none = np.empty(0, np.int64)
    unit = _core.Losses64.separable(np.ones((1, 1)), 1.0, 0.0, 0.0)
    for victim in range(4):
        arrays = [np.ones((1, 1, 1)), np.ones((1, 1)), np.array([0]), np.ones((1, 1, 1))]
        arrays[victim] = crooked(arrays[victim])
        start, weight, ids, out = arrays
        with pytest.raises(ValueError, match=r"_core: .* is not aligned; copy it first"):
            unit.steps(start, weight, 1, 0, ids, 1, none, 0.1, 0.0, 0.0, out)


def test_the_limit_of_a_batch_is_stated():
    X, y, sizes = np.ones((2, 1)), np.array([0, 1]), np.array([2])
    for batch in (MOST_BATCH + 1, 2**62, 0, -1):
        with pytest.raises(ValueError, match=f"batch is {batch}; need 1 to 16777216"):
            ClientLosses.regression(X, y, sizes, columns=1, batch=batch, reg=0.0)
    assert ClientLosses.regression(X, y, sizes, columns=1, batch=MOST_BATCH, reg=0.0).batch == 2**24
