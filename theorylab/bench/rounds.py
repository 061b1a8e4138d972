"""Rounds of SGP on quadratics over drawn networks, against whole-array loops over all clients.

The peers, NumPy, torch and JAX (one jitted scan), have every advantage that the recursion allows;
see ``_round_peers``. The noise's own time stands beside each row, since ours is a counter stream
that any part of a run can be made from again.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from rich.table import Table

from theorylab.algorithms import SGP
from theorylab.bench._checkout import ABSENT, beside, threads
from theorylab.bench._measure import interleaved, machine, median
from theorylab.bench._round_peers import (
    DEGREE,
    ETA,
    SEED,
    Array,
    Loop,
    NumPyLoop,
    fastest,
    missing,
)
from theorylab.kernels import Stream, push_mix
from theorylab.problems import problem
from theorylab.runs import simulate
from theorylab.topologies import topology

THREADS = 2
# (clients, runs, d) -> (at least this many times faster than NumPy without noise, with noise)
TARGETS = {
    (10, 1, 10): (3.0, 2.0),
    (100, 1, 10): (3.0, 2.0),
    (1000, 1, 10): (3.0, 1.5),
    (10_000, 1, 10): (3.0, 2.0),
    (100_000, 1, 10): (3.0, 2.0),
    (100, 64, 10): (3.0, 2.0),
    (10, 1, 1000): (None, 1.5),
}
JAX_TARGETS = {(10, 1, 10): 1.0}  # at least, with noise or without
QUICK = ((10, 1, 10), (100, 2, 10))
WORK = 40_000_000  # products of a timed call
GROWTH = 1.5  # a client-step at 100,000 clients over one at 1,000, at most
LIBRARIES: dict[str, type[Loop]] = {}  # a checkout's
if (_torch := beside("rounds_torch")) is not None and (_jax := beside("rounds_jax")) is not None:
    LIBRARIES |= {"torch": _torch.TorchLoop, "jax": _jax.JaxLoop}
_DRAWN = 400  # rounds of a small network whose draws' moments are looked at
_Z = 6.0  # standard errors: what exceeds them by chance is one of 10^9 such numbers


def run(quick: bool = False) -> dict[str, Any]:
    """Measure with two threads for everybody and return a JSON-able record.

    Before a case is timed, every peer makes one round from the same draws as ours, and their models
    agree to rounding; the moments of its own draws are those of the law. Else this raises
    AssertionError. ``missing`` has a line for each peer whose library is not installed.

    Args:
        quick: two small cases; shows that it runs, not how fast it is.
    """
    peers: list[type[Loop]] = [
        NumPyLoop, *(kind for name, kind in LIBRARIES.items() if missing(name) is None)
    ]  # fmt: skip
    with threads(THREADS):
        sizes = QUICK if quick else tuple(TARGETS)
        for kind in peers:
            _check_law(kind(problem("quadratic", 7, dim=2, sigma=1.0), 3))
        cases = [
            _case(peers, *size, noisy=noisy, rounds=2 if quick else 5)
            for size in sizes
            for noisy in (False, True)
        ]
    lines = [line for name in LIBRARIES if (line := missing(name)) is not None]
    program = beside("million")
    return {
        "bench": "rounds",
        "quick": quick,
        "machine": machine(),
        "cases": cases,
        "missing": lines if LIBRARIES else [ABSENT],
        "million": program and program.million(10_000 if quick else 1_000_000),
    }


def _case(
    peers: list[type[Loop]], clients: int, runs: int, dim: int, *, noisy: bool, rounds: int
) -> dict[str, Any]:
    losses = problem("quadratic", clients, dim=dim, sigma=float(noisy), seed=SEED)
    graph = topology("random-out", clients, degree=DEGREE, seed=SEED)
    T = max(8, min(4000, WORK // (clients * runs * dim * dim)))
    T = T if rounds > 2 else 8

    def seconds_of(loop: Loop) -> float:
        times = []
        for _ in range(3):
            start = time.perf_counter()
            loop.run(T)
            times.append(time.perf_counter() - start)
        return min(times[1:])

    loops: dict[str, Loop] = {}
    for kind in peers:
        for way in kind.variants(losses, runs):
            _check(losses, graph, kind(losses, runs, way))
        loops[kind.name] = fastest(kind, losses, runs, seconds_of)

    def ours() -> object:
        return simulate(
            losses, graph, SGP(eta=ETA), rounds=T, runs=runs, every=T, columns=("weight_min",)
        )

    functions: dict[str, Callable[[], object]] = {"theorylab": ours}
    functions |= {name: functools.partial(loop.run, T) for name, loop in loops.items()}
    if noisy:
        ids, stream = np.arange(runs), Stream(SEED, "noise")
        peer = NumPyLoop(losses, runs)
        draws = np.random.default_rng(SEED)

        def noise() -> None:
            for first in range(0, T, peer.block):
                peer.noise(draws, min(peer.block, T - first))

        functions |= {
            "our noise": lambda: [stream.normal(ids, clients, t, 0, dim) for t in range(T)],
            "numpy noise": noise,
        }
    seconds = interleaved(functions, rounds)
    medians = {name: median(values) / T for name, values in seconds.items()}
    size = (clients, runs, dim)
    return {
        "clients": clients,
        "runs": runs,
        "dim": dim,
        "noisy": noisy,
        "rounds": T,
        "ways": {name: loop.way for name, loop in loops.items()},
        "seconds": medians,
        "spread": {name: [min(v) / T, max(v) / T] for name, v in seconds.items()},
        "speedup": {name: medians[name] / medians["theorylab"] for name in loops},
        "targets": {"numpy": TARGETS.get(size, (None, None))[noisy], "jax": JAX_TARGETS.get(size)},
    }


def _check(losses: Any, graph: Any, loop: Loop) -> None:
    """One round of both from the same network and noise."""
    n, d, ids = losses.clients, losses.dim, np.arange(loop.runs)
    x = Stream(SEED, "init").normal(ids, n, 0, 0, d)
    w = 0.5 + Stream(SEED, "init").uniform(1, n, 0, 1)[0, :, 0]
    weights = np.ascontiguousarray(np.broadcast_to(w, (loop.runs, n)))
    half = losses.local_steps(
        x, weights, SEED, ids, 0, steps=1, counts=None, eta=ETA, alpha=0.0, rho=0.0
    )
    P = graph.matrix(0)
    right, mass, _ = push_mix(P, half, weights)
    noise = losses.sample(SEED, ids, 0, 0)
    state = np.empty((n, d * loop.runs + 1))
    state[:, :-1] = x.transpose(1, 2, 0).reshape(n, -1)
    state[:, -1] = w
    given = None if noise is None else np.ascontiguousarray(noise.transpose(1, 2, 0))
    made = loop.round(state, _receivers(P), given)
    models = made[:, :-1].reshape(n, d, loop.runs).transpose(2, 0, 1)
    gap = float(np.abs(models - right).max() / np.abs(right).max())
    gap = max(gap, float(np.abs(made[:, -1] - mass[0]).max()))
    allowed = 64 * (d + DEGREE) * 2.0**-53 * float(np.abs(losses.hessians).max() + 1) * d
    assert gap <= allowed, f"bench rounds: {loop.name} is off by {gap:.1e}, allowed {allowed:.1e}"


def _receivers(P: Any) -> Array:
    """The receivers (n, DEGREE) of every client but itself, from P with equal shares."""
    edges = P.tocoo()
    away = edges.row != edges.col
    order = np.argsort(edges.col[away], kind="stable")
    made: Array = edges.row[away][order].reshape(P.shape[0], DEGREE).astype(np.int32)
    return made


def _check_law(loop: Loop) -> None:
    """The peer's own draws: chances of receivers and of pairs of them, moments of the noise."""
    receivers, noise = loop.draws(_DRAWN)
    n = loop.n
    heard = np.zeros((_DRAWN, n, n))
    np.put_along_axis(heard, receivers.astype(np.int64), 1.0, axis=2)
    assert np.all(heard.sum(axis=2) == DEGREE), f"bench rounds: {loop.name} repeats a receiver"
    assert not np.einsum("tii->ti", heard).any(), f"bench rounds: {loop.name} sends to the sender"
    pairs = np.einsum("tij,tik->ijk", heard, heard) / _DRAWN
    single, double = DEGREE / (n - 1), DEGREE * (DEGREE - 1) / ((n - 1) * (n - 2))
    j, k = np.arange(n)[:, None], np.arange(n)
    gaps = []
    for i in range(n):
        other = (j != i) & (k != i)
        for chance, some in ((single, other & (j == k)), (double, other & (j != k))):
            error = np.sqrt(chance * (1 - chance) / _DRAWN)
            gaps.append(np.abs(pairs[i][some] - chance).max() / error)
    if noise is not None:
        z = np.moveaxis(noise / loop.scale, 0, -1).reshape(-1, _DRAWN)
        for power, mean, variance in ((1, 0, 1), (2, 1, 2), (3, 0, 15), (4, 3, 96)):
            whole = (z**power).mean() - mean
            gaps.append(abs(whole) / np.sqrt(variance / z.size))
        gaps.append(np.abs((z[:-1] * z[1:]).mean(axis=1)).max() * np.sqrt(_DRAWN))
        gaps.append(np.abs((z[:, :-1] * z[:, 1:]).mean(axis=1)).max() * np.sqrt(_DRAWN - 1))
    worst = float(max(gaps))
    assert worst <= _Z, f"bench rounds: {loop.name} draws another law, by {worst:.1f} deviations"


def render(record: dict[str, Any]) -> Table:
    """A row a case; then what a client-step costs as n grows, and a million clients."""
    facts = record["machine"]
    title = f"rounds of SGP, random-out degree {DEGREE}: {facts['threads']} threads, {facts['isa']}"
    table = Table(title=title + " (quick)" * record["quick"])
    for heading in ("case, us a round", "ours", "numpy", "torch", "jax", "aims", "noise of both"):
        table.add_column(heading)
    for case in record["cases"]:
        us = {name: f"{value * 1e6:,.1f}" for name, value in case["seconds"].items()}
        faster = {name: f"{us[name]}, {ratio:.2f}x" for name, ratio in case["speedup"].items()}
        aims = [f"{name} {aim:g}x" for name, aim in case["targets"].items() if aim is not None]
        table.add_row(
            f"n={case['clients']} R={case['runs']} d={case['dim']}" + ", noise" * case["noisy"],
            us["theorylab"],
            *(faster.get(name, "") for name in ("numpy", "torch", "jax")),
            ", ".join(aims),
            f"{us['our noise']}, {us['numpy noise']}" if case["noisy"] else "",
        )
    for line in record["missing"]:
        table.add_row(line)
    step = {
        case["clients"]: case["seconds"]["theorylab"] / case["clients"]
        for case in record["cases"]
        if case["runs"] == 1 and case["noisy"] and case["dim"] == 10
    }
    if {1000, 100_000} <= set(step):
        ratio = f"{step[100_000] / step[1000]:.2f}"
        table.add_row("a client-step at n=100,000 over n=1,000", ratio, *4 * [""], f"<= {GROWTH}")
    if (program := beside("million")) is not None and record["million"] is not None:
        table.add_row(*program.row(record["million"]))
    return table
