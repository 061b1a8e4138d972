"""One whole run with its metrics on the GPU: nothing crosses to the host inside a round."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from theorylab.algorithms import DFedSGPSM
from theorylab.bench._gpu_board import Board
from theorylab.bench._peers import ALPHA, ETA, RHO, SEED
from theorylab.problems import problem
from theorylab.runs import simulate
from theorylab.topologies import topology

SIZES = {"n": 100, "d": 1_000_000, "K": 5, "rounds": 200, "every": 20}
QUICK = SIZES | {"rounds": 20, "every": 10}
DRY = {"n": 4, "d": 30, "K": 2, "rounds": 3, "every": 1}


def whole_run(
    board: Board, quick: bool = False, left: Callable[[], float] = lambda: float("inf")
) -> dict[str, Any]:
    """Seconds of one run of DFedSGPSM on log-cosh losses, float32, after a run of two rounds.

    The points are torch tensors, so that there must be a GPU for torch; a dry run has them on the
    host, in NumPy. quick: fewer rounds, and none on the host. left: seconds, in which the host's
    rounds have to fit.

    Returns:
        sizes, ``seconds``, ``round_ms``, ``peak_bytes`` of the device's memory (None where the
        library does not tell), ``host_round_ms`` of the same run on the host with all its threads
        (None where it was left out, or its first round took a third of the time left), and the
        last recorded loss.
    """
    sizes: Mapping[str, int] = DRY if board.emulated else QUICK if quick else SIZES
    n, d, K = (sizes[key] for key in ("n", "d", "K"))
    place = {} if board.emulated else {"device": "cuda"}
    losses = problem("log-cosh", n, dim=d, sigma=0.1, **place)
    graph = topology("random-out", n, degree=min(10, n - 1), seed=SEED)
    method = DFedSGPSM(eta=ETA, alpha=ALPHA, rho=RHO, local_steps=K)

    def run(rounds: int, where: Any) -> Any:
        every = min(sizes["every"], rounds)
        return simulate(
            where, graph, method, rounds=rounds, seed=SEED, every=every, dtype=np.float32
        )

    def timed(rounds: int, where: Any) -> tuple[float, Any]:
        board.wait()
        start = time.perf_counter()
        trace = run(rounds, where)
        board.wait()
        return time.perf_counter() - start, trace

    run(2, losses)
    board.forget_peak()
    seconds, trace = timed(sizes["rounds"], losses)
    peak, host = board.peak(), None
    if not quick and not board.emulated:
        at_home, room = problem("log-cosh", n, dim=d, sigma=0.1), left()
        one = timed(1, at_home)[0]
        if 3 * one < room:  # two rounds less one: what a run does besides its rounds drops out
            host = 1e3 * max(timed(2, at_home)[0] - one, 0.0)
    return {
        "sizes": dict(sizes),
        "seconds": seconds,
        "round_ms": seconds / sizes["rounds"] * 1e3,
        "peak_bytes": peak,
        "host_round_ms": host,
        "loss": float(trace.columns["loss"][..., -1].mean()),
    }
