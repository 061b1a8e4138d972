"""push_mix against SciPy, NumPy, a copy of as many bytes, and, in a checkout, other libraries."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray
from rich.table import Table
from scipy.sparse import csr_array

from theorylab import _core
from theorylab.bench._checkout import ABSENT, beside, threads
from theorylab.bench._measure import interleaved, machine, median
from theorylab.kernels import Mixing, Stream, push_mix

THREADS = 2
ROUNDS = 9
DENSE = 2000  # clients; a dense P of more is nobody's choice
# name: clients, coordinates, entries in a column (self-loop and random out-neighbours)
CASES = {
    "headline": (100, 262_144, 11),
    "n=1000": (1000, 26_214, 11),
    "dense-ish": (100, 262_144, 41),
}
QUICK = {name: (n, d // 8, column) for name, (n, d, column) in CASES.items()}
COPY_TARGETS = {"headline": 0.6, "n=1000": 0.5, "dense-ish": 0.5}  # copy time / own time
TARGETS = {"torch csr out=": 8.0, "scipy csr out=": 4.0, "MKL csr out=": 2.0}  # at the headline
SMALL = [(n, d) for n in (10, 100, 1000, 10_000) for d in (1, 10, 100)]  # float64, 10 or 11 entries
SMALL_QUICK = [(10, 1), (100, 10), (1000, 1)]
CALL_TARGET = 2.5e-6  # seconds of a call at the least of them
NUMBA_TARGET = 0.4  # times faster than ours, below so many numbers:
NUMBA_BELOW = 1000
_SPAN = 1e-3  # seconds of calls in a row between two looks at the clock


def run(quick: bool = False) -> dict[str, Any]:
    """Measure every case with two threads for everybody and return a JSON-able record.

    Peers get their best: matrices of x's dtype built once, and buffers where they take any.

    Args:
        quick: an eighth of the coordinates and 3 rounds; shows that it runs, not how fast it is.

    Returns:
        ``{"bench", "quick", "machine", "targets", "cases": [...], "small": [...]}``; a case has its
        sizes, ``bytes`` and ``flops`` (the least any implementation moves and does),
        ``floor_seconds`` (the copy), ``seconds[name]`` (median) with ``spread[name]`` (least and
        greatest), ``absent[name]`` (why a peer is not there) and ``targets[name]``, the times by
        which ours is to be faster.
    """
    rounds = 3 if quick else ROUNDS
    with threads(THREADS):
        cases = [
            _case(name, n, d, column, np.float32, rounds)
            for name, (n, d, column) in (QUICK if quick else CASES).items()
        ]
        small = [
            _case(f"n={n} d={d}", n, d, min(n, 11), np.float64, rounds, tiny=True)
            for n, d in (SMALL_QUICK if quick else SMALL)
        ]
        facts = machine()
    return {
        "bench": "push_mix",
        "quick": quick,
        "machine": facts,
        "targets": {"copy": COPY_TARGETS, "call_seconds": CALL_TARGET},
        "cases": cases,
        "small": small,
    }


def random_out(n: int, column: int, seed: int = 0) -> csr_array:
    """Column-stochastic: self-loop and ``column - 1`` random out-neighbours, equal shares."""
    key = Stream(seed, "topology").uniform(1, n, 0, count=n)[0]
    key[np.arange(n), np.arange(n)] = -1.0  # the self-loop is always among the smallest
    chosen = np.argpartition(key, column - 1, axis=1)[:, :column]
    source = np.repeat(np.arange(n), column)
    share = np.full(n * column, 1.0 / column)
    P = csr_array((share, (chosen.ravel(), source)), shape=(n, n))
    P.sort_indices()
    return P


def least_bytes(n: int, d: int, itemsize: int = 4) -> int:
    """x read once, x1 and z1 written once; the matrix and weights are small beside them."""
    return 3 * n * d * itemsize


def flops(n: int, d: int, entries: int) -> int:
    """A product and a sum for each entry and coordinate, a quotient for each output."""
    return 2 * entries * d + n * d


def _case(
    name: str, n: int, d: int, column: int, dtype: DTypeLike, rounds: int, tiny: bool = False
) -> dict[str, Any]:
    P = random_out(n, column)
    x = _fresh((n, d), dtype)
    x[:] = Stream(1, "init").uniform(1, n, 0, count=d)[0]
    w = np.ones(n, dtype=dtype)
    functions, absent = _contestants(P, x, w)
    calls = {key: _calls(function) if tiny else 1 for key, function in functions.items()}
    timed = {key: _repeated(function, calls[key]) for key, function in functions.items()}
    seconds = {
        key: [value / calls[key] for value in values]
        for key, values in interleaved(timed, rounds).items()
    }
    medians = {key: median(values) for key, values in seconds.items()}
    ours, ours_fresh = medians["theorylab out="], medians["theorylab"]
    return {
        "name": name,
        "n": n,
        "d": d,
        "column": column,
        "entries": int(P.nnz),
        "dtype": np.dtype(dtype).name,
        "bytes": least_bytes(n, d, np.dtype(dtype).itemsize),
        "flops": flops(n, d, int(P.nnz)),
        "floor_seconds": medians["copy"],
        "seconds": medians,
        "spread": {key: [min(values), max(values)] for key, values in seconds.items()},
        "copy_over_ours": medians["copy"] / ours,
        "speedup": {key: value / ours for key, value in medians.items()},
        "speedup_fresh": {key: value / ours_fresh for key, value in medians.items()},
        "absent": absent,
        "targets": _targets(name, n, d, tiny),
    }


def _targets(name: str, n: int, d: int, tiny: bool) -> dict[str, float]:
    if not tiny:
        return TARGETS if name == "headline" else {"MKL csr out=": TARGETS["MKL csr out="]}
    targets = {"scipy csr out=": 1.0, "numpy dense out=": 1.0}
    if n * d < NUMBA_BELOW:
        targets["numba out="] = NUMBA_TARGET
    if d >= 100:
        targets["MKL csr out="] = TARGETS["MKL csr out="]
    return targets


def _calls(function: Callable[[], object]) -> int:
    """How many calls fill the span: what a clock and a rest cost is little beside them."""
    function()
    seconds = median(interleaved({"": function}, 3)[""])
    return max(1, min(1000, int(_SPAN / max(seconds, 1e-7))))


def _repeated(function: Callable[[], object], calls: int) -> Callable[[], object]:
    if calls == 1:
        return function

    def all_of_them() -> object:
        for _ in range(calls - 1):
            function()
        return function()

    return all_of_them


def _fresh(shape: tuple[int, int], dtype: DTypeLike) -> NDArray[Any]:
    memory = (_core.fresh32 if np.dtype(dtype) == np.float32 else _core.fresh64)(shape)
    memory[:] = 0
    return memory


def _contestants(
    P: csr_array, x: NDArray[Any], w: NDArray[Any]
) -> tuple[dict[str, Callable[[], object]], dict[str, str]]:
    n, d = x.shape
    mixing = Mixing(P, x.dtype)
    out = (_fresh((n, d), x.dtype), np.empty_like(w), _fresh((n, d), x.dtype))
    words = -(-least_bytes(n, d, x.itemsize) // 2 // 4096) * 512  # at least a page
    source, target = _core.fresh64((words,)), _core.fresh64((words,))
    source[:] = target[:] = 1.0
    others, absent = peers(P.astype(x.dtype), x, w, THREADS)
    return {
        "copy": lambda: _core.traffic("copy", source, target),
        "theorylab out=": lambda: push_mix(mixing, x, w, out=out),
        "theorylab": lambda: push_mix(mixing, x, w),
        **others,
    }, absent


def scipy_csr(P: csr_array, x: NDArray[Any], w: NDArray[Any], threads: int) -> Callable[[], Any]:
    z1 = np.empty_like(x)

    def call() -> Any:  # scipy's product has no out=
        x1, w1 = P @ x, P @ w
        return x1, w1, np.divide(x1, w1[:, None], out=z1)

    return call


def numpy_dense(P: csr_array, x: NDArray[Any], w: NDArray[Any], threads: int) -> Callable[[], Any]:
    full, x1, w1, z1 = P.toarray(), np.empty_like(x), np.empty_like(w), np.empty_like(x)

    def call() -> Any:
        np.matmul(full, x, out=x1)
        np.matmul(full, w, out=w1)
        return x1, w1, np.divide(x1, w1[:, None], out=z1)

    return call


def peers(
    P: csr_array, x: NDArray[Any], w: NDArray[Any], threads: int
) -> tuple[dict[str, Callable[[], Any]], dict[str, str]]:
    """The calls by name, and why each of the others is absent, in one line."""
    calls: dict[str, Callable[[], Any]] = {}
    others = beside("mix")
    absent = {"others": ABSENT} if others is None else {}
    known = {"scipy csr out=": scipy_csr, "numpy dense out=": numpy_dense}
    for name, build in (known if others is None else {**others.PEERS, **known}).items():
        if "dense" in name and P.shape[0] > DENSE:
            continue
        try:
            calls[name] = build(P, x, w, threads)
        except ImportError as error:
            absent[name] = "not here: " + str(error).splitlines()[0]
    return calls, absent


def render(record: dict[str, Any]) -> Table:
    """One row for each case and contestant: median, times slower than ours, share of the floor."""
    facts = record["machine"]
    versions = ", ".join(f"{name} {facts[name]}" for name in ("numpy", "scipy", "torch"))
    table = Table(
        title=f"push_mix: {facts['threads']} threads, {facts['isa']}"
        + (" (quick)" if record["quick"] else ""),
        caption=f"{facts['cores']} cores, {versions}; 'out=' reuses buffers where the library can; "
        "times compare with ours out=; copy moves the least possible bytes",
    )
    for heading in ("case", "contestant", "median", "least - greatest", "vs ours", "copy / time"):
        table.add_column(heading, justify="left" if heading in ("case", "contestant") else "right")
    table.add_column("target", justify="right")
    for case in record["cases"] + record["small"]:
        size = f"n={case['n']} d={case['d']} {case['column']} a column {case['dtype']}"
        unit, scale = ("ms", 1e3) if case["floor_seconds"] > 1e-3 else ("us", 1e6)
        for name, seconds in case["seconds"].items():
            low, high = case["spread"][name]
            table.add_row(
                size,
                name,
                f"{seconds * scale:.2f} {unit}",
                f"{low * scale:.2f} - {high * scale:.2f}",
                f"{case['speedup'][name]:.2f}x",
                f"{case['floor_seconds'] / seconds:.2f}",
                _target(record, case, name),
            )
            size = ""
        for name, why in case["absent"].items():
            table.add_row("", name, why, "", "", "", "")
        floor = f"{case['bytes'] / 1e6:.2g} MB, {case['flops'] / 1e9:.2g} Gflop at least"
        table.add_row("", floor, "", "", "", "", "", end_section=True)
    return table


def _target(record: dict[str, Any], case: dict[str, Any], name: str) -> str:
    if name == "theorylab out=":
        if case["name"] in record["targets"]["copy"]:
            return f"{record['targets']['copy'][case['name']]} of copy"
        least = case is record["small"][0]
        return f"{record['targets']['call_seconds'] * 1e6} us" if least else ""
    return f"{case['targets'][name]:g}x" if name in case["targets"] else ""
