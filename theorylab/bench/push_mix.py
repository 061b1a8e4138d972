"""push_mix against torch sparse CSR, scipy CSR and a plain streaming copy of as many bytes."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.table import Table
from scipy.sparse import csr_array

from theorylab import _core
from theorylab.bench._measure import interleaved, machine, median
from theorylab.kernels import Mixing, Stream, get_threads, push_mix, set_threads

THREADS = 2
ROUNDS = 9
# name: clients, coordinates, entries in a column (self-loop and random out-neighbours)
CASES = {
    "headline": (100, 262_144, 11),
    "n=1000": (1000, 26_214, 11),
    "dense-ish": (100, 262_144, 41),
}
QUICK = {name: (n, d // 8, column) for name, (n, d, column) in CASES.items()}
TARGETS = {"torch csr": 8.0, "scipy csr": 4.0}  # times faster, at the headline
COPY_TARGET = 0.4  # copy time / own time, at the headline


def run(quick: bool = False) -> dict[str, Any]:
    """Measure every case with two threads for everybody and return a JSON-able record.

    Peers get their best: float32 matrices built once, and an in-place form where they have one.

    Args:
        quick: an eighth of the coordinates and 3 rounds; shows that it runs, not how fast it is.

    Returns:
        ``{"bench", "quick", "machine", "targets", "cases": [...]}``; a case has its sizes,
        ``bytes`` and ``flops`` (the least any implementation moves and does),
        ``floor_seconds`` (the copy), and ``seconds[name]`` (median) with
        ``spread[name]`` (least and greatest).
    """
    import torch

    before, torch_before = get_threads(), torch.get_num_threads()
    set_threads(THREADS)
    torch.set_num_threads(THREADS)
    try:
        cases = [
            _case(name, n, d, column, 3 if quick else ROUNDS)
            for name, (n, d, column) in (QUICK if quick else CASES).items()
        ]
        facts = machine()
    finally:
        set_threads(before)
        torch.set_num_threads(torch_before)
    targets = {**TARGETS, "copy": COPY_TARGET}
    return {
        "bench": "push_mix",
        "quick": quick,
        "machine": facts,
        "targets": targets,
        "cases": cases,
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


def _case(name: str, n: int, d: int, column: int, rounds: int) -> dict[str, Any]:
    P = random_out(n, column)
    x = _fresh((n, d))
    x[:] = Stream(1, "init").uniform(1, n, 0, count=d)[0]
    w = np.ones(n, dtype=np.float32)
    functions = _contestants(P, x, w)
    seconds = interleaved(functions, rounds)
    medians = {key: median(values) for key, values in seconds.items()}
    ours, ours_fresh = medians["theorylab out="], medians["theorylab"]
    return {
        "name": name,
        "n": n,
        "d": d,
        "column": column,
        "entries": int(P.nnz),
        "dtype": "float32",
        "bytes": least_bytes(n, d),
        "flops": flops(n, d, int(P.nnz)),
        "floor_seconds": medians["copy"],
        "seconds": medians,
        "spread": {key: [min(values), max(values)] for key, values in seconds.items()},
        "copy_over_ours": medians["copy"] / ours,
        "speedup": {key: value / ours for key, value in medians.items()},
        "speedup_fresh": {key: value / ours_fresh for key, value in medians.items()},
    }


def _fresh(shape: tuple[int, ...]) -> NDArray[np.float32]:
    memory = _core.fresh32(shape)
    memory[:] = 0
    return memory


def _contestants(
    P: csr_array, x: NDArray[np.float32], w: NDArray[np.float32]
) -> dict[str, Callable[[], object]]:
    import torch

    n, d = x.shape
    mixing = Mixing(P, np.float32)
    out = (_fresh((n, d)), np.empty_like(w), _fresh((n, d)))
    words = least_bytes(n, d) // 2 // 4096 * 512
    source, target = _core.fresh64((words,)), _core.fresh64((words,))
    source[:] = target[:] = 1.0

    P32 = P.astype(np.float32)
    ratio = np.empty_like(x)

    def scipy_fresh() -> object:
        x1, w1 = P32 @ x, P32 @ w
        return x1, w1, x1 / w1[:, None]

    def scipy_out() -> object:  # scipy's product has no out=
        x1, w1 = P32 @ x, P32 @ w
        return x1, w1, np.divide(x1, w1[:, None], out=ratio)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch calls its sparse CSR a beta
        sparse = torch.sparse_csr_tensor(
            torch.from_numpy(P32.indptr.astype(np.int64)),
            torch.from_numpy(P32.indices.astype(np.int64)),
            torch.from_numpy(P32.data),
            size=(n, n),
        )
    dense = torch.from_numpy(P32.toarray())
    xt, wt = torch.from_numpy(x), torch.from_numpy(w)
    x1t, z1t = torch.empty_like(xt), torch.empty_like(xt)

    def torch_fresh() -> object:
        x1, w1 = sparse @ xt, sparse @ wt
        return x1, w1, x1 / w1[:, None]

    def torch_out() -> object:
        w1 = sparse @ wt
        torch.mm(sparse, xt, out=x1t)
        return w1, torch.div(x1t, w1[:, None], out=z1t)

    def torch_dense() -> object:
        w1 = dense @ wt
        torch.mm(dense, xt, out=x1t)
        return w1, torch.div(x1t, w1[:, None], out=z1t)

    return {
        "copy": lambda: _core.traffic("copy", source, target),
        "theorylab out=": lambda: push_mix(mixing, x, w, out=out),
        "theorylab": lambda: push_mix(mixing, x, w),
        "torch csr out=": torch_out,
        "torch csr": torch_fresh,
        "torch dense out=": torch_dense,
        "scipy csr out=": scipy_out,
        "scipy csr": scipy_fresh,
    }


def render(record: dict[str, Any]) -> Table:
    """One row for each case and contestant: median, times slower than ours, share of the floor."""
    facts = record["machine"]
    versions = ", ".join(f"{name} {facts[name]}" for name in ("numpy", "scipy", "torch"))
    table = Table(
        title=f"push_mix: {facts['threads']} threads, {facts['isa']}"
        + (" (quick)" if record["quick"] else ""),
        caption=f"{facts['cores']} cores, {versions}; 'out=' reuses buffers, its times compare "
        "with ours out=, the others with ours fresh; copy moves the least possible bytes",
    )
    for heading in (
        "case",
        "contestant",
        "median ms",
        "least - greatest",
        "vs ours",
        "copy / time",
    ):
        table.add_column(heading, justify="left" if heading in ("case", "contestant") else "right")
    for case in record["cases"]:
        size = f"{case['name']}: n={case['n']} d={case['d']} {case['column']} a column"
        for name, seconds in case["seconds"].items():
            reuses = name == "copy" or name.endswith("out=")
            times = case["speedup" if reuses else "speedup_fresh"][name]
            low, high = case["spread"][name]
            share = case["floor_seconds"] / seconds
            table.add_row(
                size,
                name,
                f"{seconds * 1e3:.2f}",
                f"{low * 1e3:.2f} - {high * 1e3:.2f}",
                f"{times:.2f}x",
                f"{share:.2f}",
            )
            size = ""
        floor = f"{case['bytes'] / 1e6:.0f} MB, {case['flops'] / 1e9:.2f} Gflop at least"
        table.add_row("", floor, "", "", "", "", end_section=True)
    return table
