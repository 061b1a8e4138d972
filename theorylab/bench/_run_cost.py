"""What whole rounds of DFedSGPSM cost beside whole-array NumPy, and what a run's columns cost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from theorylab.algorithms import SGP, Algorithm, DFedSGPSM
from theorylab.bench._measure import interleaved, median
from theorylab.bench._peers import ALPHA, ETA, RHO, SEED, STEPS
from theorylab.bench._step_peers import steps_of, whole_rounds
from theorylab.kernels import get_threads
from theorylab.problems import Problem, problem
from theorylab.runs import cadence, simulate
from theorylab.topologies import Topology, topology

_RUN = 2000  # rounds of the run whose share is told


def method() -> DFedSGPSM:
    return DFedSGPSM(eta=ETA, alpha=ALPHA, rho=RHO, local_steps=STEPS)


def whole(
    losses: Problem,
    runs: int,
    rounds: int,
    repeats: int,
    cancellation: Callable[[Problem, Any, Any], float],
) -> dict[str, Any]:
    """Whole rounds of DFedSGPSM; the network's matrices are made beforehand, nothing is recorded.

    ``cancellation``: how much larger than a gradient its summands are, at models and weights.

    Raises AssertionError unless both make the same round from the same samples.
    """
    graph = topology("directed-exponential", losses.clients)
    matrices = [graph.matrix(t) for t in range(graph.period or 1)]
    steps = steps_of(losses, runs, get_threads())

    def ours(T: int) -> Any:
        return simulate(
            losses, graph, method(), rounds=T, runs=runs, seed=SEED, every=T,
            columns=("weight_min",),
        )  # fmt: skip

    samples = [losses.sample(SEED, np.arange(runs), 0, k) for k in range(STEPS)]
    given = [np.ascontiguousarray(np.asarray(part).transpose(1, 0, 2)) for part in samples]
    made, _ = whole_rounds(steps, matrices, 1, given)()
    right = ours(1).final_x
    gap = float(np.abs(made.transpose(1, 0, 2) - right).max() / np.abs(right).max())
    weights = np.ones(right.shape[:2])
    worst = max(cancellation(losses, x, weights) for x in (np.zeros_like(right), right))
    allowed = 4096 * np.finfo(float).eps * worst  # as of the local steps alone
    assert gap <= allowed, f"bench engine: rounds are off by {gap:.1e}, allowed {allowed:.1e}"
    functions: dict[str, Callable[[], object]] = {
        "theorylab": lambda: ours(rounds),
        "numpy": whole_rounds(steps, matrices, rounds),
    }
    seconds = interleaved(functions, repeats)
    medians = {key: median(values) / rounds for key, values in seconds.items()}
    return {
        "runs": runs,
        "clients": losses.clients,
        "dim": losses.dim,
        "rounds": rounds,
        "client_steps": runs * losses.clients * STEPS,
        "seconds": medians,
        "speedup": {key: value / medians["theorylab"] for key, value in medians.items()},
    }


def metrics(losses: Problem, runs: int, quick: bool) -> list[dict[str, Any]]:
    """Shares of runs of ``theorylab run``'s columns, at the cadence that it chooses."""
    sizes = (10, 20) if quick else (100, 1000)
    cases: list[tuple[str, Problem, Topology, Algorithm, int, int]] = [
        (
            f"quadratics n={n} d=10",
            problem("quadratic", n, dim=10, sigma=1.0, seed=SEED),
            topology("random-out", n, degree=4, seed=SEED),
            SGP(eta=ETA),
            1,
            2 if quick else 20,
        )
        for n in sizes
    ]
    graph = topology("directed-exponential", losses.clients)
    name = f"logistic n={losses.clients} d={losses.dim} R={runs}"
    cases.append((name, losses, graph, method(), runs, 1 if quick else 3))
    return [_share(*case, repeats=1 if quick else 5) for case in cases]


def _share(
    name: str,
    losses: Problem,
    graph: Topology,
    algorithm: Algorithm,
    runs: int,
    intervals: int,
    *,
    repeats: int,
) -> dict[str, Any]:
    """The share of a run of ``_RUN`` rounds that goes to its default columns.

    A run over a few intervals is timed with them, and without, in turns; the difference is that of
    the intervals' records and the last one's. The share of a whole run follows from it.
    """
    every = cadence(losses, algorithm, _RUN)
    T = intervals * every

    def one(**options: Any) -> Callable[[], object]:
        return lambda: simulate(losses, graph, algorithm, rounds=T, runs=runs, seed=SEED, **options)

    bare = one(columns=("weight_min",), every=T)
    seconds = interleaved({"with": one(every=every), "without": bare}, repeats)
    full, less = median(seconds["with"]), median(seconds["without"])
    record = max(0.0, full - less) / (intervals + 1)
    recorded, played = record * (-(-_RUN // every) + 1), less * _RUN / T
    return {
        "name": name,
        "rounds": _RUN,
        "every": every,
        "with": full,
        "without": less,
        "record": record,
        "share": recorded / (recorded + played),
    }
