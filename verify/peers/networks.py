"""Rounds of DFedSGPSM on networks, against what one writes in torch: see ``networks_torch``.

Ours are the rounds of a run. Before networks of one kind are timed, each peer plays a round of four
clients in float64 on the rows and weights of ours, and makes the same models to rounding.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from rich.table import Table

from theorylab.algorithms import DFedSGPSM
from theorylab.bench._checkout import beside, threads, torch_here
from theorylab.bench._measure import interleaved, machine, median
from theorylab.kernels import push_mix
from theorylab.problems import problem
from theorylab.runs.rounds import Rounds
from theorylab.topologies import Topology, topology

THREADS, STEPS, SEED = 2, 5, 1
NUMBERS = ETA, ALPHA, RHO = 0.05, 0.9, 0.05
# (network, options, numbers of clients, rounds of a call for four)
CASES: tuple[tuple[str, dict[str, Any], tuple[int, ...], int], ...] = (
    ("mlp", {}, (4, 20, 100), 10),
    ("cnn", {}, (4, 20, 100), 2),
    ("lstm", {"units": 64}, (4, 20, 100), 1),
    ("lstm", {}, (4,), 1),
    ("resnet18", {"width": 16}, (4, 20, 100), 1),
    ("resnet18", {}, (4,), 1),  # 100 clients of 11 million numbers take 30 GB
)
QUICK: tuple[tuple[str, dict[str, Any], tuple[int, ...], int], ...] = (
    ("mlp", {"hidden": [8]}, (4,), 1),
    ("cnn", {"channels": [2, 3], "hidden": [8]}, (4,), 1),
)
AIM = 1.0  # the fastest peer's time over ours, at least
# Ten gradients of at most 20 layers, each a sum of at most 4608 products, in units of 2^-53.
_ROUNDING = 10 * 20 * 4608 * 2.0**-53


def run(quick: bool = False) -> dict[str, Any]:
    """Measure with two threads for everybody and return a JSON-able record.

    Raises AssertionError where a peer's models are not ours.

    Args:
        quick: tiny networks; shows that it runs, not how fast it is.
    """
    cases, there = [], torch_here() is not None
    if there:
        with threads(THREADS):
            for name, options, sizes, rounds in QUICK if quick else CASES:
                check(name, options)
                for n in sizes:
                    T = max(1, 4 * rounds // n)
                    cases.append(_case(name, options, n, T, 1 if quick else 5))
    return {
        "bench": "networks", "quick": quick, "machine": machine(), "cases": cases,
        "missing": [] if there else ["torch: not installed; pip install 'theorylab[torch]'"],
    }  # fmt: skip


def _peers() -> Any:
    return beside("networks_torch").PEERS  # type: ignore[union-attr]  # this file is beside it


def _graph(n: int) -> Topology:
    return topology("random-out", n, degree=min(10, n - 2), seed=SEED)


def check(name: str, options: dict[str, Any]) -> None:
    """One round of each peer and of ours from the same models, weights, rows and network."""
    n, ids = 4, np.arange(1)
    losses: Any = problem(name, n, dtype="float64", **options)
    x = losses.points(losses.initial(SEED, ids))
    w = losses.points(np.array([[1.0, 0.5, 1.2, 1.3]]))
    P = _graph(n).matrix(0)
    half = losses.local_steps(
        x, w, SEED, ids, 0, steps=STEPS, counts=None, eta=ETA, alpha=ALPHA, rho=RHO
    )
    right, _, _ = push_mix(P, half, w)
    rows = [losses.sample(SEED, ids, 0, k)[0] + losses.starts[:, None] for k in range(STEPS)]
    for kind in _peers():
        peer = kind(losses, x[0], NUMBERS)
        torch = torch_here()
        peer.round(w[0], torch.from_numpy(P.toarray()), torch.from_numpy(np.stack(rows)))
        gap = float((peer.models() - right[0]).abs().max() / right.abs().max())
        assert gap <= _ROUNDING, f"bench networks: {kind.name} on {name} is off by {gap:.1e}"


def _case(name: str, options: dict[str, Any], n: int, T: int, repeats: int) -> dict[str, Any]:
    losses: Any = problem(name, n, **options)
    method = DFedSGPSM(eta=ETA, alpha=ALPHA, rho=RHO, local_steps=STEPS)
    graph, ids, torch = _graph(n), np.arange(1), torch_here()
    first = method.init(losses.points(losses.initial(SEED, ids)))
    rounds = Rounds(losses, graph, method, ids, SEED)

    def ours() -> Any:
        state = first
        for _ in range(T):
            state = rounds.play(state)
        return state

    def theirs(kind: Any) -> Callable[[], object]:
        def play() -> object:
            matrices = [torch.from_numpy(graph.matrix(t).toarray()).float() for t in range(T)]
            return peer.run(matrices, STEPS)

        peer = kind(losses, first.x[0], NUMBERS)
        return play

    functions: dict[str, Callable[[], object]] = {"theorylab": ours}
    functions |= {kind.name: theirs(kind) for kind in _peers()}
    seconds = interleaved(functions, repeats)
    least = {key: min(values) / T for key, values in seconds.items()}
    return {
        "name": name, "options": options, "clients": n, "dim": losses.dim, "rounds": T,
        "seconds": {key: median(values) / T for key, values in seconds.items()},
        "least": least,
        "speedup": {key: value / least["theorylab"] for key, value in least.items()},
    }  # fmt: skip


def render(record: dict[str, Any]) -> Table:
    """A row a case: the least times, since others' work only adds to them."""
    title = f"networks, a round of DFedSGPSM, K = {STEPS}: {record['machine']['threads']} threads"
    table = Table(title=title + " (quick)" * record["quick"])
    names = list(record["cases"][0]["speedup"])[1:] if record["cases"] else []
    for heading in ("case, least ms a round", "ours", *names, "fastest of these", "aim"):
        table.add_column(heading)
    for case in record["cases"]:
        ms = {key: f"{value * 1e3:,.1f}" for key, value in case["least"].items()}
        own = "".join(f" {key}={value}" for key, value in case["options"].items())
        table.add_row(
            f"{case['name']}{own} n={case['clients']} d={case['dim']}",
            ms["theorylab"],
            *(f"{ms[key]}, {case['speedup'][key]:.2f}x" for key in names),
            f"{min(case['speedup'][key] for key in names):.2f}x",
            f"{AIM:g}x",
        )
    for line in record["missing"]:
        table.add_row(line)
    return table
