"""Rounds of SGP on quadratics over drawn networks, against one NumPy loop over all clients at once.

The peer has every advantage that the recursion allows: all runs share one product with P, which it
keeps by columns and so never sorts, and its generator is NumPy's own. The noise's own time stands
beside each row, since ours is a counter stream that any part of a run can be made from again.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.table import Table
from scipy.sparse import csc_array

from theorylab.algorithms import SGP
from theorylab.bench._measure import interleaved, machine, median
from theorylab.kernels import Stream, get_threads, push_mix, set_threads
from theorylab.problems import problem
from theorylab.runs import simulate
from theorylab.topologies import topology

Array = NDArray[Any]
THREADS, DEGREE, ETA, SEED = 2, 4, 0.05, 1
# (clients, runs, d) -> (at least this many times faster without noise, with noise)
TARGETS = {
    (10, 1, 10): (3.0, 2.0),
    (100, 1, 10): (3.0, 2.0),
    (1000, 1, 10): (3.0, 1.5),
    (10_000, 1, 10): (3.0, 2.0),
    (100_000, 1, 10): (3.0, 2.0),
    (100, 64, 10): (3.0, 2.0),
    (10, 1, 1000): (None, 1.5),
}
QUICK = ((10, 1, 10), (100, 2, 10))
WORK = 40_000_000  # products of a timed call
GROWTH = 1.5  # a client-step at 100,000 clients over one at 1,000, at most


class NumPyLoop:
    """The same recursion with whole arrays: x (n, R d), run after run in the columns."""

    def __init__(self, losses: Any, runs: int) -> None:
        self.n, self.d, self.runs = losses.clients, losses.dim, runs
        self.H, self.scale = losses.hessians, losses.sigma / math.sqrt(losses.dim)
        self.c = np.ascontiguousarray(losses.centers[:, :, None])
        self.ends = np.arange(self.n + 1) * (DEGREE + 1)
        self.shares = np.full(self.n * (DEGREE + 1), 1 / (DEGREE + 1))

    def network(self, draws: np.random.Generator) -> Any:
        """P by columns: receivers by Floyd's sampling, each step for all clients at once."""
        n, me = self.n, np.arange(self.n)
        chosen = np.empty((n, DEGREE + 1), np.int32)
        for k in range(DEGREE):
            top = n - 1 - DEGREE + k
            drawn = draws.integers(top + 1, size=n, dtype=np.int32)
            seen = (chosen[:, :k] == drawn[:, None]).any(axis=1)
            chosen[:, k] = np.where(seen, top, drawn)
        chosen[:, :DEGREE] += chosen[:, :DEGREE] >= me[:, None]
        chosen[:, DEGREE] = me
        return csc_array((self.shares, chosen.ravel(), self.ends), shape=(n, n))

    def round(self, state: Array, P: Any, noise: Array | None) -> Array:
        """One round of the state (n, d R + 1), whose last column is w."""
        x, w = state[:, :-1].reshape(self.n, self.d, self.runs), state[:, -1]
        g = self.H @ (x / w[:, None, None] - self.c)
        if noise is not None:
            g += noise
        half = np.empty_like(state)
        np.subtract(x, ETA * g, out=half[:, :-1].reshape(x.shape))
        half[:, -1] = w
        mixed: Array = P @ half
        return mixed

    def run(self, rounds: int) -> Array:
        draws = np.random.default_rng(SEED)
        state = np.zeros((self.n, self.d * self.runs + 1))
        state[:, -1] = 1
        for _ in range(rounds):
            state = self.round(state, self.network(draws), self.noise(draws))
        return state

    def noise(self, draws: np.random.Generator) -> Array | None:
        if not self.scale:
            return None
        made: Array = draws.standard_normal((self.n, self.d, self.runs))
        made *= self.scale
        return made


def run(quick: bool = False) -> dict[str, Any]:
    """Measure with two threads for everybody and return a JSON-able record.

    Before a case is timed, both make one round from the same draws, and their models agree to
    rounding, or this raises AssertionError.

    Args:
        quick: two small cases; shows that it runs, not how fast it is.
    """
    before = get_threads()
    set_threads(THREADS)
    try:
        sizes = QUICK if quick else tuple(TARGETS)
        cases = [
            _case(*size, noisy=noisy, rounds=2 if quick else 5)
            for size in sizes
            for noisy in (False, True)
        ]
    finally:
        set_threads(before)
    return {"bench": "rounds", "quick": quick, "machine": machine(), "cases": cases}


def _case(clients: int, runs: int, dim: int, *, noisy: bool, rounds: int) -> dict[str, Any]:
    losses = problem("quadratic", clients, dim=dim, sigma=float(noisy), seed=SEED)
    graph = topology("random-out", clients, degree=DEGREE, seed=SEED)
    loop = NumPyLoop(losses, runs)
    _check(losses, graph, loop)
    T = max(8, min(4000, WORK // (clients * runs * dim * dim)))
    T = T if rounds > 2 else 8

    def ours() -> object:
        return simulate(
            losses, graph, SGP(eta=ETA), rounds=T, runs=runs, every=T, columns=("weight_min",)
        )

    functions: dict[str, Callable[[], object]] = {"theorylab": ours, "numpy": lambda: loop.run(T)}
    if noisy:
        ids, stream, draws = np.arange(runs), Stream(SEED, "noise"), np.random.default_rng(SEED)
        functions |= {
            "our noise": lambda: [stream.normal(ids, clients, t, 0, dim) for t in range(T)],
            "numpy noise": lambda: [loop.noise(draws) for _ in range(T)],
        }
    seconds = interleaved(functions, rounds)
    medians = {name: median(values) / T for name, values in seconds.items()}
    target = TARGETS.get((clients, runs, dim), (None, None))[noisy]
    return {
        "clients": clients,
        "runs": runs,
        "dim": dim,
        "noisy": noisy,
        "rounds": T,
        "seconds": medians,
        "spread": {name: [min(v) / T, max(v) / T] for name, v in seconds.items()},
        "speedup": medians["numpy"] / medians["theorylab"],
        "target": target,
    }


def _check(losses: Any, graph: Any, loop: NumPyLoop) -> None:
    """One round of both from the same network and noise."""
    n, d, ids = losses.clients, losses.dim, np.arange(loop.runs)
    x = Stream(SEED, "init").normal(ids, n, 0, 0, d)
    w = 0.5 + Stream(SEED, "init").uniform(1, n, 0, 1)[0, :, 0]
    weights = np.ascontiguousarray(np.broadcast_to(w, (loop.runs, n)))
    half = losses.local_steps(
        x, weights, SEED, ids, 0, steps=1, counts=None, eta=ETA, alpha=0.0, rho=0.0
    )
    right, _, _ = push_mix(graph.matrix(0), half, weights)
    noise = losses.sample(SEED, ids, 0, 0)
    state = np.empty((n, d * loop.runs + 1))
    state[:, :-1] = x.transpose(1, 2, 0).reshape(n, -1)
    state[:, -1] = w
    given = None if noise is None else np.ascontiguousarray(noise.transpose(1, 2, 0))
    made = loop.round(state, csc_array(graph.matrix(0)), given)
    made = made[:, :-1].reshape(n, d, loop.runs).transpose(2, 0, 1)
    gap = float(np.abs(made - right).max() / np.abs(right).max())
    allowed = 64 * (d + DEGREE) * 2.0**-53 * float(np.abs(losses.hessians).max() + 1) * d
    assert gap <= allowed, f"bench rounds: numpy is off by {gap:.1e}, allowed {allowed:.1e}"


def render(record: dict[str, Any]) -> Table:
    """A row a case; then what a client-step costs as n grows."""
    facts = record["machine"]
    title = f"rounds of SGP, random-out degree {DEGREE}: {facts['threads']} threads, {facts['isa']}"
    table = Table(title=title + " (quick)" * record["quick"])
    for heading in ("case", "us a round", "numpy's", "faster", "target", "noise of ours, numpy's"):
        table.add_column(heading)
    for case in record["cases"]:
        us = {name: f"{value * 1e6:,.1f}" for name, value in case["seconds"].items()}
        drawn = f"{us['our noise']}, {us['numpy noise']}" if case["noisy"] else ""
        table.add_row(
            f"n={case['clients']} R={case['runs']} d={case['dim']}" + ", noise" * case["noisy"],
            us["theorylab"],
            us["numpy"],
            f"{case['speedup']:.2f}x",
            "" if case["target"] is None else f"{case['target']:g}x",
            drawn,
        )
    step = {
        case["clients"]: case["seconds"]["theorylab"] / case["clients"]
        for case in record["cases"]
        if case["runs"] == 1 and case["noisy"] and case["dim"] == 10
    }
    if {1000, 100_000} <= set(step):
        ratio = f"{step[100_000] / step[1000]:.2f}"
        table.add_row("a client-step at n=100,000 over n=1,000", "", "", ratio, f"<= {GROWTH}", "")
    return table
