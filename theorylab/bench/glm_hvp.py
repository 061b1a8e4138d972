"""glm_hvp, softmax_hvp and mix_jvp against torch, NumPy and one streaming read of the data."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.table import Table

from theorylab import _core
from theorylab.bench._hvp_peers import numpy_peer, torch_peer
from theorylab.bench._measure import interleaved, machine, median
from theorylab.kernels import Stream, get_threads, glm_hvp, mix_jvp, set_threads, softmax_hvp

THREADS = 2
ROUNDS = 15
REG = 0.1
COLUMN = 11  # edges into a client, its own among them
# name: kernel, clients, rows, features, vectors, classes (0: a GLM)
CASES = {
    "headline": ("glm_hvp", 100, 600, 784, 2, 0),
    "digits": ("softmax_hvp", 100, 600, 65, 2, 10),
    "step": ("mix_jvp", 100, 600, 784, 2, 0),
    "digits step": ("mix_jvp", 100, 600, 65, 2, 10),
}
TARGETS = {"torch bmm out=": 2.0}  # times faster, at the headline
READ_TARGET = 0.5  # the read's time / own time, at the headline; the aim is 1 / 1.5
_EXTRA = """
import resource, sys
import numpy as np
from theorylab.kernels import glm_hvp, mix_jvp, set_threads, softmax_hvp
kernel, threads, n, m, d, k, classes = sys.argv[1], *map(int, sys.argv[2:])
set_threads(threads)
ones = lambda *shape: np.ones(shape, np.float32)
tail = (classes,) if classes else ()
A, h, c, s = ones(n, m, d), ones(n, m), ones(n, n), ones(n)
V, out = ones(n, k, d, *tail), ones(n, k, d, *tail)
prob = ones(n, m, classes) if classes else None
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
if kernel == "mix_jvp":
    mix_jvp(c, V, s, A, h, prob=prob, out=out)
elif classes:
    softmax_hvp(A, prob, h, V, out=out)
else:
    glm_hvp(A, h, V, out=out)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def run(quick: bool = False) -> dict[str, Any]:
    """Measure every case in float32 with two threads for everybody; return a JSON-able record.

    Args:
        quick: a tenth of the rows and 3 rounds; shows that it runs, not how fast it is.

    Returns:
        ``{"bench", "quick", "machine", "targets", "cases": [...]}``; a case has its sizes,
        ``bytes`` and ``flops`` (the least any implementation reads and does), ``floor_seconds``
        (one streaming read of A), ``extra_bytes`` (what a call of ours adds to the largest memory
        of a process that holds inputs and output) and ``seconds[name]`` (median) with
        ``spread[name]`` (least and greatest).
    """
    import torch

    before, torch_before = get_threads(), torch.get_num_threads()
    set_threads(THREADS)
    torch.set_num_threads(THREADS)
    try:
        cases = [
            _case(name, kernel, n, m // 10 if quick else m, d, k, classes, 3 if quick else ROUNDS)
            for name, (kernel, n, m, d, k, classes) in CASES.items()
        ]
        facts = machine()
    finally:
        set_threads(before)
        torch.set_num_threads(torch_before)
    return {
        "bench": "glm_hvp",
        "quick": quick,
        "machine": facts,
        "targets": {**TARGETS, "read": READ_TARGET},
        "cases": cases,
    }


def least_bytes(n: int, m: int, d: int, k: int, classes: int, itemsize: int = 4) -> int:
    """A and what goes with its rows read once; V read and the product written once."""
    columns = classes or 1
    return itemsize * (n * m * (d + 1 + classes) + 2 * n * k * d * columns)


def flops(n: int, m: int, d: int, k: int, classes: int, edges: int = 0) -> int:
    """A product and a sum for each number of A and column, in both passes; and for each edge."""
    columns = k * (classes or 1)
    return 4 * n * m * d * columns + 2 * edges * d * columns


def inputs(n: int, m: int, d: int, k: int, classes: int) -> dict[str, NDArray[np.float32]]:
    """A in huge pages as the outputs of large kernels are, h or weight and prob, V, c, s."""
    draw = Stream(1, "problem")

    def uniform(step: int, *shape: int) -> NDArray[np.float32]:
        count = int(np.prod(shape[1:]))
        made = draw.uniform(1, shape[0], 0, step=step, count=count)[0]
        return np.asarray(made.reshape(shape), np.float32)

    A = _core.fresh32((n, m, d))
    for i in range(n):
        A[i] = draw.uniform(1, np.array([i]), 0, count=m * d)[0, 0].reshape(m, d) - 0.5
    tail = (classes,) if classes else ()
    given = {"A": A, "h": uniform(1, n, m), "V": uniform(2, n, k, d, *tail) - np.float32(0.5)}
    if classes:
        prob = uniform(3, n, m, classes)
        given["prob"] = prob / prob.sum(axis=-1, keepdims=True)
        given["h"] /= np.float32(m)
    column = min(COLUMN, n)
    kept = np.argsort(uniform(4, n, n) - 2 * np.eye(n, dtype=np.float32), axis=1)[:, :column]
    given["c"] = np.zeros((n, n), np.float32)
    np.put_along_axis(given["c"], kept, np.float32(1 / column), axis=1)
    given["s"] = uniform(5, n)
    return given


def ours(
    kernel: str, given: dict[str, NDArray[np.float32]], out: NDArray[np.float32] | None
) -> Callable[[], object]:
    """The kernel's call on what ``inputs`` made."""
    A, h, V, prob = given["A"], given["h"], given["V"], given.get("prob")
    if kernel == "mix_jvp":
        return lambda: mix_jvp(given["c"], V, given["s"], A, h, REG, prob=prob, out=out)
    if kernel == "softmax_hvp":
        return lambda: softmax_hvp(A, prob, h, V, REG, out)
    return lambda: glm_hvp(A, h, V, REG, out)


def _case(
    name: str, kernel: str, n: int, m: int, d: int, k: int, classes: int, rounds: int
) -> dict[str, Any]:
    given = inputs(n, m, d, k, classes)
    seconds = interleaved(_contestants(kernel, given), rounds)
    medians = {key: median(values) for key, values in seconds.items()}
    fastest, fresh = medians["theorylab out="], medians["theorylab"]
    mixing = kernel == "mix_jvp"
    sizes = (THREADS, n, m, d, k, classes)
    child = [sys.executable, "-P", "-c", _EXTRA, kernel, *map(str, sizes)]
    extra = subprocess.run(child, capture_output=True, text=True, check=True, timeout=300)
    return {
        "name": name,
        "kernel": kernel,
        **{"n": n, "m": m, "d": d, "k": k, "classes": classes},
        "dtype": "float32",
        "bytes": least_bytes(n, m, d, k, classes),
        "flops": flops(n, m, d, k, classes, n * min(COLUMN, n) if mixing else 0),
        "extra_bytes": int(extra.stdout) * 1024,
        "floor_seconds": medians["read"],
        "seconds": medians,
        "spread": {key: [min(values), max(values)] for key, values in seconds.items()},
        "read_over_ours": medians["read"] / fastest,
        "speedup": {key: value / fastest for key, value in medians.items()},
        "speedup_fresh": {key: value / fresh for key, value in medians.items()},
    }


def _contestants(
    kernel: str, given: dict[str, NDArray[np.float32]]
) -> dict[str, Callable[[], object]]:
    words = given["A"].reshape(-1)[: given["A"].nbytes // 4096 * 1024].view(np.float64)
    return {
        "read": lambda: _core.traffic("read", words, words),
        "theorylab out=": ours(kernel, given, np.empty_like(given["V"])),
        "theorylab": ours(kernel, given, None),
        "torch bmm out=": torch_peer(kernel, given, REG, reuse=True),
        "torch bmm": torch_peer(kernel, given, REG, reuse=False),
        "numpy": numpy_peer(kernel, given, REG),
    }


def render(record: dict[str, Any]) -> Table:
    """One row for each case and contestant: median, times slower than ours, share of the read."""
    facts = record["machine"]
    versions = ", ".join(f"{name} {facts[name]}" for name in ("numpy", "scipy", "torch"))
    table = Table(
        title=f"glm_hvp: {facts['threads']} threads, {facts['isa']}"
        + (" (quick)" if record["quick"] else ""),
        caption=f"{facts['cores']} cores, {versions}; 'out=' reuses buffers, its times compare "
        "with ours out=, the others with ours fresh; read goes once through A",
    )
    left = ("case", "contestant")
    for heading in (*left, "median ms", "least - greatest", "vs ours", "read / time"):
        table.add_column(heading, justify="left" if heading in left else "right")
    for case in record["cases"]:
        classes = f" C={case['classes']}" if case["classes"] else ""
        size = f"{case['kernel']}: n={case['n']} m={case['m']} d={case['d']} k={case['k']}{classes}"
        for name, seconds in case["seconds"].items():
            reuses = name == "read" or name.endswith("out=")
            times = case["speedup" if reuses else "speedup_fresh"][name]
            low, high = case["spread"][name]
            table.add_row(
                size,
                name,
                f"{seconds * 1e3:.2f}",
                f"{low * 1e3:.2f} - {high * 1e3:.2f}",
                f"{times:.2f}x",
                f"{case['floor_seconds'] / seconds:.2f}",
            )
            size = ""
        floor = f"{case['bytes'] / 1e6:.0f} MB, {case['flops'] / 1e9:.2f} Gflop at least"
        extra = f"{case['extra_bytes'] / 2**20:.1f} MiB beside the arrays"
        table.add_row("", f"{floor}; {extra}", "", "", "", "", end_section=True)
    return table
