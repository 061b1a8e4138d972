"""One whole run with its metrics on the GPU: nothing crosses to the host inside a round."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from theorylab.algorithms import DFedSGPSM
from theorylab.bench._gpu_board import Board
from theorylab.bench._peers import ALPHA, ETA, RHO, SEED
from theorylab.problems import problem
from theorylab.runs import simulate
from theorylab.topologies import topology

SIZES = {"n": 100, "d": 1_000_000, "K": 5, "rounds": 200, "every": 20}
DRY = {"n": 4, "d": 30, "K": 2, "rounds": 3, "every": 1}


def whole_run(board: Board) -> dict[str, Any]:
    """Seconds of one run of DFedSGPSM on log-cosh losses, float32, after a run of two rounds.

    The points are torch tensors, so that there must be a GPU for torch; a dry run has them on the
    host, in NumPy.

    Returns:
        sizes, ``seconds``, ``round_ms``, and the last recorded loss.
    """
    sizes: Mapping[str, int] = DRY if board.emulated else SIZES
    n, d, K = (sizes[key] for key in ("n", "d", "K"))
    place = {} if board.emulated else {"device": "cuda"}
    losses = problem("log-cosh", n, dim=d, sigma=0.1, **place)
    graph = topology("random-out", n, degree=min(10, n - 1), seed=SEED)
    method = DFedSGPSM(eta=ETA, alpha=ALPHA, rho=RHO, local_steps=K)

    def run(rounds: int) -> Any:
        every = min(sizes["every"], rounds)
        return simulate(
            losses, graph, method, rounds=rounds, seed=SEED, every=every, dtype=np.float32
        )

    run(2)
    board.wait()
    start = time.perf_counter()
    trace = run(sizes["rounds"])
    board.wait()
    seconds = time.perf_counter() - start
    return {
        "sizes": dict(sizes),
        "seconds": seconds,
        "round_ms": seconds / sizes["rounds"] * 1e3,
        "loss": float(trace.columns["loss"][..., -1].mean()),
    }
