"""What launching costs a round: its wall time, launched in three ways, beside its kernels' time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from theorylab.algorithms import DFedSGPSM, State
from theorylab.bench._gpu_board import Board
from theorylab.bench._gpu_time import Leader, Times
from theorylab.bench._measure import median
from theorylab.bench._peers import ALPHA, ETA, SEED
from theorylab.problems import problem
from theorylab.runs import Rounds
from theorylab.runs._fused import fused
from theorylab.topologies import topology

SIZES = ({"n": 16, "d": 100}, {"n": 100, "d": 1_000}, {"n": 100, "d": 30_000})
DRY = ({"n": 4, "d": 6},)
STEPS, ROUNDS, TIMES = 5, 64, 7
Record = dict[str, Any]


def launches(board: Board, leader: Leader, quick: bool = False) -> list[Record]:
    """Milliseconds of a round of DFedSGPSM on a drawn network, float32, without a record.

    Returns:
        for each size ``sizes``, ``kernels`` (own ones a round), ``step_ms`` (wall time, each kernel
        prepared and launched by Python), ``tape_ms`` (wall time, launched together) and
        ``device_ms`` (the second on the device's clock, with work queued before it, so that the
        device never waits for the host; ``settled`` says whether that was so, and the least is
        near the median). Whatever replays whole rounds, such as a CUDA graph, can
        win at most ``tape_ms - device_ms``.
    """
    rows = []
    rounds, times = (4, 1) if board.emulated else (ROUNDS, TIMES)
    for size in DRY if board.emulated else SIZES[: 1 if quick else None]:
        with board.path(board.paths[0]):
            rows.append(_one(board, leader, size["n"], size["d"], rounds, times))
    return rows


def _one(board: Board, leader: Leader, n: int, d: int, rounds: int, times: int) -> Record:
    from theorylab.problems._placed import Placed

    losses = Placed(problem("log-cosh", n, dim=d, sigma=0.1), "cpu" if board.emulated else "cuda")
    graph = topology("random-out", n, degree=min(10, n - 1), seed=SEED)
    method = DFedSGPSM(eta=ETA, alpha=ALPHA, local_steps=STEPS)
    ids = np.zeros(1, np.int64)
    played = Rounds(losses, graph, method, ids, SEED)
    start = method.init(losses.points(np.zeros((1, n, d), np.float32)), losses)
    taped = fused(
        losses, graph, method, start,
        seed=SEED, runs=ids, graph_run=0, audits=played.audits, every=rounds,
    )  # fmt: skip
    if taped is None:
        raise RuntimeError(f"launches: n={n} d={d} is played round by round")

    def one_by_one() -> State:
        state = start
        for _ in range(rounds):
            state = played.play(state)
        played.audits.settle()
        return state

    def together() -> State:
        return taped(start, np.array([rounds]))[1]

    board.wait()
    ends = [one_by_one(), together()]  # warm, and the same
    if not bool((ends[0].x == ends[1].x).all()):
        raise RuntimeError(f"launches: n={n} d={d}: rounds launched together have other bits")
    step, tape = (
        median([_wall(board, call) for _ in range(times)]) for call in (one_by_one, together)
    )
    device = Times()
    for _ in range(times):
        seconds, led = leader.timed(together, tape)
        device.seconds.append(seconds)
        device.unled += not led
    each = 1e3 / rounds
    return {
        "sizes": {"n": n, "d": d, "K": STEPS, "rounds": rounds}, "kernels": 2,
        "step_ms": step * each, "tape_ms": tape * each,
        "device_ms": median(device.seconds) * each, "settled": device.settled,
    }  # fmt: skip


def _wall(board: Board, call: Callable[[], object]) -> float:
    board.wait()
    start = time.perf_counter()
    call()
    board.wait()
    return time.perf_counter() - start
