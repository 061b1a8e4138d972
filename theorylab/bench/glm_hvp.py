"""glm_hvp, softmax_hvp and mix_jvp against NumPy, a read of the data, its flops, and peers."""

from __future__ import annotations

import functools
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.table import Table

from theorylab import _core
from theorylab.bench._checkout import ABSENT, beside, threads, torch_here
from theorylab.bench._hvp_numpy import numpy_peer
from theorylab.bench._measure import interleaved, machine, median
from theorylab.kernels import Stream, glm_hvp, mix_jvp, softmax_hvp

THREADS = 2
ROUNDS = 15
REG = 0.1
COLUMN = 11  # edges into a client, its own among them
# name: kernel, (clients, rows, features, vectors, classes; 0: a GLM), dtype
CASES: dict[str, tuple[str, tuple[int, ...], str]] = {
    "headline": ("glm_hvp", (100, 600, 784, 2, 0), "float32"),
    "digits": ("softmax_hvp", (100, 600, 65, 2, 10), "float32"),
    "step": ("mix_jvp", (100, 600, 784, 2, 0), "float32"),
    "digits step": ("mix_jvp", (100, 600, 65, 2, 10), "float32"),
    "tiny": ("glm_hvp", (10, 32, 10, 1, 0), "float64"),
    "tiny, 8 vectors": ("glm_hvp", (10, 32, 10, 8, 0), "float64"),
    "tiny digits": ("softmax_hvp", (10, 32, 10, 1, 3), "float64"),
    "tiny step": ("mix_jvp", (10, 32, 10, 1, 0), "float64"),
    "many vectors": ("glm_hvp", (20, 200, 784, 32, 0), "float64"),
}
# How many times ours may be slower than the read, or has to be faster than a peer.
TARGETS = {"headline": {"read": 0.5, "torch bmm out=": 2.0}} | {
    name: {"numpy out=": 1.0, "numpy": 1.0} for name in CASES if name.startswith("tiny")
}
# A product and its sum rounded apart take two instructions, rounded once (FMA) they take one; no
# kernel here may do the second, because its bits would be those of other instruction sets.
APART, ONCE = "flops alone, rounded apart", "flops alone, FMA"
_CALLS = 200  # of a tiny case, timed together
_EXTRA = """
import sys
import numpy as np
from theorylab.bench._peak import peak_kib
from theorylab.kernels import glm_hvp, mix_jvp, set_threads, softmax_hvp
kernel, dtype, threads, n, m, d, k, classes = *sys.argv[1:3], *map(int, sys.argv[3:])
set_threads(threads)
ones = lambda *shape: np.ones(shape, dtype)
tail = (classes,) if classes else ()
A, h, c, s = ones(n, m, d), ones(n, m), ones(n, n), ones(n)
V, out = ones(n, k, d, *tail), ones(n, k, d, *tail)
prob = ones(n, m, classes) if classes else None
before = peak_kib()
if kernel == "mix_jvp":
    mix_jvp(c, V, s, A, h, prob=prob, out=out)
elif classes:
    softmax_hvp(A, prob, h, V, out=out)
else:
    glm_hvp(A, h, V, out=out)
print(peak_kib() - before)
"""


def run(quick: bool = False) -> dict[str, Any]:
    """Measure every case with two threads for everybody; return a JSON-able record.

    Args:
        quick: a tenth of the rows and 3 rounds; shows that it runs, not how fast it is.

    Returns:
        ``{"bench", "quick", "machine", "targets", "cases": [...]}``; a case has its sizes,
        ``bytes`` and ``flops`` (the least any implementation reads and does), ``floor_seconds``
        (one streaming read of A), ``extra_bytes`` (what a call of ours adds to the largest memory
        of a process that holds inputs and output) and ``seconds[name]`` (median) with
        ``spread[name]`` (least and greatest); ``absent[name]`` says why a peer has neither. With
        many vectors ``APART`` and ``ONCE`` are the time of as many flops in registers.
    """
    with threads(THREADS):
        cases = [
            _case(name, kernel, (n, m // 10 if quick else m, *rest), dtype, 3 if quick else ROUNDS)
            for name, (kernel, (n, m, *rest), dtype) in CASES.items()
        ]
        facts = machine()
    return {
        "bench": "glm_hvp",
        "quick": quick,
        "machine": facts,
        "targets": TARGETS,
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


def inputs(
    n: int, m: int, d: int, k: int, classes: int, dtype: str = "float32"
) -> dict[str, NDArray[Any]]:
    """A in huge pages as the outputs of large kernels are, h or weight and prob, V, c, s."""
    draw, number = Stream(1, "problem"), np.dtype(dtype).type

    def uniform(step: int, *shape: int) -> NDArray[Any]:
        count = int(np.prod(shape[1:]))
        made = draw.uniform(1, shape[0], 0, step=step, count=count)[0]
        return np.asarray(made.reshape(shape), dtype)

    A = (_core.fresh32 if number is np.float32 else _core.fresh64)((n, m, d))
    for i in range(n):
        A[i] = draw.uniform(1, np.array([i]), 0, count=m * d)[0, 0].reshape(m, d) - 0.5
    tail = (classes,) if classes else ()
    given = {"A": A, "h": uniform(1, n, m), "V": uniform(2, n, k, d, *tail) - number(0.5)}
    if classes:
        prob = uniform(3, n, m, classes)
        given["prob"] = prob / prob.sum(axis=-1, keepdims=True)
        given["h"] /= number(m)
    column = min(COLUMN, n)
    kept = np.argsort(uniform(4, n, n) - 2 * np.eye(n, dtype=dtype), axis=1)[:, :column]
    given["c"] = np.zeros((n, n), dtype)
    np.put_along_axis(given["c"], kept, number(1 / column), axis=1)
    given["s"] = uniform(5, n)
    return given


def ours(
    kernel: str, given: dict[str, NDArray[Any]], out: NDArray[Any] | None
) -> Callable[[], object]:
    """The kernel's call on what ``inputs`` made."""
    A, h, V, prob = given["A"], given["h"], given["V"], given.get("prob")
    if kernel == "mix_jvp":
        return lambda: mix_jvp(given["c"], V, given["s"], A, h, REG, prob=prob, out=out)
    if kernel == "softmax_hvp":
        return lambda: softmax_hvp(A, prob, h, V, REG, out)
    return lambda: glm_hvp(A, h, V, REG, out)


def _case(
    name: str, kernel: str, sizes: tuple[int, ...], dtype: str, rounds: int
) -> dict[str, Any]:
    n, m, d, k, classes = sizes
    given, mixing = inputs(n, m, d, k, classes, dtype), kernel == "mix_jvp"
    count = flops(n, m, d, k, classes, n * min(COLUMN, n) if mixing else 0)
    functions = _contestants(kernel, given)
    absent = {} if torch_here() is not None else {"torch": "not installed"}
    if beside("hvp") is None:
        absent = {"others": ABSENT}
    if name == "many vectors":
        more, lacking = _bounds(given, count)
        functions, absent = functions | more, absent | lacking
    calls = _CALLS if name.startswith("tiny") else 1
    timed = interleaved({key: _often(f, calls) for key, f in functions.items()}, rounds)
    seconds = {key: [value / calls for value in values] for key, values in timed.items()}
    medians = {key: median(values) for key, values in seconds.items()}
    fastest, fresh = medians["theorylab out="], medians["theorylab"]
    child = [sys.executable, "-P", "-c", _EXTRA, kernel, dtype, *map(str, (THREADS, *sizes))]
    extra = subprocess.run(child, capture_output=True, text=True, check=True, timeout=300)
    return {
        "name": name,
        "kernel": kernel,
        **{"n": n, "m": m, "d": d, "k": k, "classes": classes},
        "dtype": dtype,
        "bytes": least_bytes(n, m, d, k, classes, np.dtype(dtype).itemsize),
        "flops": count,
        "extra_bytes": int(extra.stdout) * 1024,
        "floor_seconds": medians["read"],
        "seconds": medians,
        "spread": {key: [min(values), max(values)] for key, values in seconds.items()},
        "absent": absent,
        "read_over_ours": medians["read"] / fastest,
        "speedup": {key: value / fastest for key, value in medians.items()},
        "speedup_fresh": {key: value / fresh for key, value in medians.items()},
    }


def _often(function: Callable[[], object], calls: int) -> Callable[[], object]:
    """That many calls in a row, of which one is too short to time."""

    def called() -> object:
        for _ in range(calls - 1):
            function()
        return function()

    return called


def _contestants(kernel: str, given: dict[str, NDArray[Any]]) -> dict[str, Callable[[], object]]:
    pages = given["A"].reshape(-1).view(np.uint8)[: given["A"].nbytes // 4096 * 4096]
    words = pages.view(np.float64)
    return {
        "read": lambda: _core.traffic("read", words, words),
        "theorylab out=": ours(kernel, given, np.empty_like(given["V"])),
        "theorylab": ours(kernel, given, None),
        **_torch(kernel, given),
        "numpy out=": numpy_peer(kernel, given, REG, reuse=True),
        "numpy": numpy_peer(kernel, given, REG),
    }


def _torch(kernel: str, given: dict[str, NDArray[Any]]) -> dict[str, Callable[[], object]]:
    peers = beside("hvp")
    if peers is None or torch_here() is None:
        return {}
    reused, fresh = (peers.torch_peer(kernel, given, REG, reuse=reuse) for reuse in (True, False))
    return {"torch bmm out=": reused, "torch bmm": fresh}


def _bounds(
    given: dict[str, NDArray[Any]], count: int
) -> tuple[dict[str, Callable[[], object]], dict[str, str]]:
    """JAX and the case's flops in registers, rounded apart and once; and what there is not."""
    single = given["A"].dtype == np.float32
    made: dict[str, Callable[[], object]] = {}
    absent = {}
    peers = beside("hvp")
    try:
        if peers is not None:
            made["jax"] = peers.jax_peer(given, REG)
    except ModuleNotFoundError:
        absent["jax"] = "not installed"
    for name, once in ((APART, False), (ONCE, True)):
        if _core.arithmetic(single, once, 1):
            made[name] = functools.partial(_core.arithmetic, single, once, count // 2)
        else:
            absent[name] = f"{_core.isa()} has none"
    return made, absent


def render(record: dict[str, Any]) -> Table:
    """One row for each case and contestant: median, times slower than ours, share of the read."""
    facts = record["machine"]
    versions = ", ".join(f"{name} {facts[name]}" for name in ("numpy", "scipy", "torch"))
    table = Table(
        title=f"glm_hvp: {facts['threads']} threads, {facts['isa']}"
        + (" (quick)" if record["quick"] else ""),
        caption=f"{facts['cores']} cores, {versions}; 'out=' reuses buffers; its times, "
        "the bounds' and jax's compare with ours out=, the others with ours fresh; read goes once "
        "through A; jax takes all cores; tiny cases are called 200 times in a row",
    )
    left = ("case", "contestant")
    for heading in (*left, "median ms", "least - greatest", "vs ours", "target", "read / time"):
        table.add_column(heading, justify="left" if heading in left else "right")
    for case in record["cases"]:
        classes = f" C={case['classes']}" if case["classes"] else ""
        size = f"{case['kernel']}: n={case['n']} m={case['m']} d={case['d']} k={case['k']}{classes}"
        size += " f64" if case["dtype"] == "float64" else ""
        targets = record["targets"].get(case["name"], {})
        digits = 4 if case["name"].startswith("tiny") else 2
        for name, seconds in case["seconds"].items():
            alone = name in ("theorylab", "torch bmm", "numpy")
            times = case["speedup_fresh" if alone else "speedup"][name]
            low, high = case["spread"][name]
            table.add_row(
                size,
                name,
                f"{seconds * 1e3:.{digits}f}",
                f"{low * 1e3:.{digits}f} - {high * 1e3:.{digits}f}",
                f"{times:.2f}x",
                f"{targets[name]:g}x" if name in targets else "",
                f"{case['floor_seconds'] / seconds:.2f}",
            )
            size = ""
        for name, why in case["absent"].items():
            table.add_row("", f"{name}: {why}", "", "", "", "", "")
        floor = f"{case['bytes'] / 1e6:.3g} MB, {case['flops'] / 1e9:.3g} Gflop at least"
        extra = f"{case['extra_bytes'] / 2**20:.1f} MiB beside the arrays"
        table.add_row("", f"{floor}; {extra}", "", "", "", "", "", end_section=True)
    return table
