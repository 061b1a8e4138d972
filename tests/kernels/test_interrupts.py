"""A signal's handler runs while a kernel works, whichever thread has the work left to do.

All seconds are of the processor: a call that has had none is not late, however long it waits for
one. A process that would never end has a limit of them.
"""

import signal
import subprocess
import sys

import pytest

START = """
import resource, signal, time
resource.setrlimit(resource.RLIMIT_CPU, (120, 120))
import numpy as np
from scipy.sparse import csr_array
from theorylab.kernels import ClientLosses, Stream, glm_hvp, push_mix, set_threads

class Raised(Exception):
    pass

def handler(*_):
    raise Raised

signal.signal(signal.SIGPROF, handler)
rng = np.random.default_rng(0)
X, y = rng.standard_normal((300, 40)), np.arange(300) % 2
many = ClientLosses.regression(
    np.repeat(X, 1000, 0), np.repeat(y, 1000), np.array([300_000]), columns=1, batch=None, reg=0.0
)
P, x, w = csr_array(np.ones((1500, 1500))), np.ones((1500, 20_000)), X.sum() * np.ones(1500)
glm = np.ones((1, 20_000, 300)), np.ones((1, 20_000)), np.ones((1, 400, 300))
long = {"seed": 1, "round": 0, "steps": 2**32 - 1, "eta": 1e-3}
set_threads(THREADS)
"""
REGRESSION = "ClientLosses.regression(X, y, np.array([100] * 3), columns={}, batch={}, reg=0.0)"
STEPS = ".local_steps(np.zeros((1, 3, {})), np.ones((1, 3)), runs=np.arange(1), **long{})"
LOG_COSH = "ClientLosses.separable(np.ones((3, 2)), scale=1.0, noise=0.1)"
CALLS = {
    "noise": LOG_COSH + STEPS.format(2, ""),
    "first": LOG_COSH + STEPS.format(2, ", counts=np.array([[2**32 - 1, 1, 1]])"),
    "last": LOG_COSH + STEPS.format(2, ", counts=np.array([[1, 1, 2**32 - 1]])"),
    "logistic": REGRESSION.format(1, 5) + STEPS.format(40, ""),
    "softmax": REGRESSION.format(3, None) + STEPS.format(120, ""),
    "batch": REGRESSION.format(1, 2**24) + STEPS.format(40, ""),
    "means": "many.means(np.ones((2000, 40)))",
    "draws": "Stream(1, 'noise').normal(1, 1, 0, count=2**29)",
    "push_mix": "push_mix(P, x, w)",
    "glm_hvp": "glm_hvp(*glm)",
}


@pytest.mark.parametrize("threads", [1, 2])
def test_a_handler_that_raises_ends_any_long_call_at_once(threads):
    tries = "".join(
        f"""
signal.setitimer(signal.ITIMER_PROF, 0.1)
began = time.process_time()
try:
    {call}
    signal.setitimer(signal.ITIMER_PROF, 0)
    print("{name} done", time.process_time() - began)
except Raised:
    print("{name} raised", time.process_time() - began)
"""
        for name, call in CALLS.items()
    )
    code = START.replace("THREADS", str(threads)) + tries
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-500:]
    lines = [line.split() for line in done.stdout.splitlines()]
    assert [name for name, *_ in lines] == list(CALLS)
    assert {name for name, what, _ in lines if what == "done"} <= {"means", "push_mix", "glm_hvp"}
    # the handler is due after 0.1 s, and looked for every 0.1 s of the wall
    late = {name: float(seconds) for name, what, seconds in lines if what == "raised"}
    assert max(late.values()) < 3, late
    assert sorted(late.values())[len(late) // 2] < 1, late


COMMAND = ["run", "osgp", "--problem", "log-cosh", "--topology", "ring", "--clients", "3"]
COMMAND += ["--rounds", "2", "--eta", ".001", "--set", "local_steps=4000000000"]
INSIDE = f"""
import linecache, resource, signal
resource.setrlimit(resource.RLIMIT_CPU, (60, 60))
# a job of a shell that waits for nobody has it ignored, and so have its children
signal.signal(signal.SIGINT, signal.default_int_handler)

def told(_, frame):
    line = frame.f_lineno or 0  # None: the bytecode that runs is of no line
    if "_core." in linecache.getline(frame.f_code.co_filename, line):
        signal.setitimer(signal.ITIMER_PROF, 0)
        print("inside", flush=True)

from theorylab.cli import run
signal.signal(signal.SIGPROF, told)
signal.setitimer(signal.ITIMER_PROF, 0.1, 0.1)
raise SystemExit(run({COMMAND}))
"""


def test_ctrl_c_in_a_kernel_ends_a_command_with_one_line():
    with subprocess.Popen(
        [sys.executable, "-c", INSIDE], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            begun = process.stdout.readline()
            if begun:  # by a kernel
                process.send_signal(signal.SIGINT)
            _, text = process.communicate()
        finally:
            process.kill()
    assert begun == "inside\n", f"{process.returncode}: {text[-2000:]}"
    assert process.returncode == 130
    price, ended = text.splitlines()  # the price is told before the run starts
    assert price.endswith(f"cost {2 * 3 * 4_000_000_000} gradients; Ctrl-C ends it")
    assert ended.startswith("theorylab: interrupted")
