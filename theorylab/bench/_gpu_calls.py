"""What a call costs the host: kernels on arrays so small that the device waits for Python."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from theorylab.bench._gpu_board import Board
from theorylab.bench._gpu_case import Case
from theorylab.bench._gpu_hvp import GLM_HVP
from theorylab.bench._gpu_measured import line_of
from theorylab.bench._gpu_push_mix import PUSH_MIX
from theorylab.bench._gpu_time import Times
from theorylab.bench._measure import median
from theorylab.bench.push_mix import random_out
from theorylab.kernels import Mixing, push_mix

CALLS, TIMES = 100, 7
MIX = {"n": 100, "d": 1000, "column": 11}
HVP = {"n": 10, "m": 50, "d": 64, "k": 2, "classes": 0}
Record = dict[str, Any]
Calls = dict[str, Callable[[], object]]


def calls(board: Board) -> list[Record]:
    """Microseconds of a call until the next one may be queued, for each contestant, fit for JSON.

    Returns:
        for push_mix and glm_hvp ``call`` and ``sizes``, and for each contestant ``us``, ``spread``
        and ``settled``; ``lacking``: contestants that fail, and why.
    """
    with board.path(board.paths[0]):
        return [
            _row(board, "push_mix", MIX, _mixing(board)),
            _row(board, "glm_hvp", HVP, _products(board)),
        ]


def _mixing(board: Board) -> Calls:
    """A matrix that is prepared once, and one that is given as it is; into buffers or fresh."""
    work = PUSH_MIX.work(board, Case("call", MIX, MIX), MIX, 1)
    P = random_out(MIX["n"], MIX["column"])
    mixing = Mixing(P)
    x = board.random((MIX["n"], MIX["d"]), "float32", 1)
    w = board.random((MIX["n"],), "float32", 2) + 0.5
    made: Calls = {
        "theorylab, prepared, out=": work.ours[0],
        "theorylab, prepared, fresh results": partial(push_mix, mixing, x, w),
        "theorylab, a SciPy matrix": partial(push_mix, P, x, w),
    }
    return made | {label: variants[0] for label, variants in work.peers.items()}


def _products(board: Board) -> Calls:
    work = GLM_HVP.work(board, Case("call", HVP, HVP), HVP, 1)
    made: Calls = {"theorylab, out=": work.ours[0]}
    return made | {label: variants[0] for label, variants in work.peers.items()}


def _row(board: Board, name: str, sizes: Mapping[str, int], made: Calls) -> Record:
    row: Record = {
        "call": name, "sizes": dict(sizes), "us": {}, "spread": {}, "settled": {}, "lacking": {},
    }  # fmt: skip
    times: dict[str, Times] = {}
    for label, call in made.items():
        try:
            _each(board, call, 2)
            times[label] = Times()
        except Exception as error:
            row["lacking"][label] = line_of(error)
    count, rounds = (1, 1) if board.emulated else (CALLS, TIMES)
    for _ in range(rounds):
        for label, of_one in times.items():
            of_one.seconds.append(_each(board, made[label], count))
    for label, of_one in times.items():
        values = [1e6 * seconds for seconds in of_one.seconds]
        row["us"][label] = median(values)
        row["spread"][label] = [float(np.min(values)), float(np.max(values))]
        row["settled"][label] = of_one.settled
    return row


def _each(board: Board, call: Callable[[], object], count: int) -> float:
    board.wait()
    start = time.perf_counter()
    for _ in range(count):
        call()
    seconds = (time.perf_counter() - start) / count
    board.wait()
    return seconds
