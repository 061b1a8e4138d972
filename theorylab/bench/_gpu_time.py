"""Times on a GPU: each contestant in turn, on the device's own clock, over rotating arrays."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence

from theorylab.bench._gpu_board import Array, Board, Mark

Call = Callable[[], object]
_MOST = 400  # leading kernels


class Leader:
    """Work that keeps the device busy while the host queues what is to be timed.

    Without it the clock would also count how long Python takes to reach the launch.
    """

    def __init__(self, board: Board) -> None:
        self._board = board
        words = (1 << 10) if board.emulated else min(1 << 28, board.free() // 64) // 4
        self._array: Array = board.random((words,), "float32", 5)
        board.total(self._array)
        first = board.mark()
        board.total(self._array)
        last = board.mark()
        board.wait()
        self._seconds = board.between(first, last)

    def lead(self, seconds: float) -> None:
        """Queue kernels that take about this long."""
        if self._board.emulated:
            return
        for _ in range(min(_MOST, math.ceil(seconds / self._seconds))):
            self._board.total(self._array)


def timed(
    board: Board, leader: Leader, functions: Mapping[str, Sequence[Call]], rounds: int
) -> dict[str, list[float]]:
    """Seconds of each function in each round, A B C A B C ..., after each variant was warmed up.

    Args:
        functions: variants of one call on different arrays; round k takes number k mod their count.
    """
    queueing = {}
    for name, variants in functions.items():
        for variant in [*variants] * (1 if board.emulated else 2):
            board.wait()
            start = time.perf_counter()
            variant()
            queueing[name] = time.perf_counter() - start
        board.wait()
    marks: dict[str, list[tuple[Mark, Mark]]] = {name: [] for name in functions}
    for number in range(rounds):
        for name, variants in functions.items():
            variant = variants[number % len(variants)]
            leader.lead(2 * queueing[name] + 5e-5)
            first = board.mark()
            result = variant()
            marks[name].append((first, board.mark()))
            del result
        board.wait()
    return {
        name: [board.between(first, last) for first, last in pairs] for name, pairs in marks.items()
    }
