"""Times on a GPU: each contestant in turn, on the device's own clock, over rotating arrays."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from theorylab.bench._gpu_board import Board
from theorylab.bench._measure import median

Call = Callable[[], object]
SETTLED = 0.1  # of the median: how far the least may lie below it
_MOST = 0.25  # seconds of a lead
_TRIES = 6  # each has twice the lead of the one before


@dataclass
class Times:
    """Seconds of one contestant, and how many of them may hold time of the host."""

    seconds: list[float] = field(default_factory=list)
    unled: int = 0

    @property
    def settled(self) -> bool:
        """Whether the device never waited for the host, and the least is near the median."""
        middle = median(self.seconds)
        return not self.unled and middle - min(self.seconds) <= SETTLED * middle


class Leader:
    """A kernel that spins on the device while the host queues what is to be timed.

    Without it the clock would also count how long Python takes to reach the launch. Whether the
    kernel was still spinning when all was queued is asked of the device, and where it was not, the
    call is timed again behind a longer one.
    """

    def __init__(self, board: Board) -> None:
        self._board = board
        cycles, self._each = 1 << 20, 1e-9  # seconds a cycle
        for _ in range(3):  # the first ones wake the clock of a device that rests
            first = board.mark()
            board.spin(cycles)
            last = board.mark()
            board.wait()
            self._each = board.between(first, last) / cycles

    def timed(self, call: Call, queueing: float) -> tuple[float, bool]:
        """(seconds of a call on the device's clock, whether they hold no time of the host).

        queueing: about how many seconds the host takes to queue it.
        """
        lead, board = 2 * queueing + 5e-5, self._board
        for _ in range(_TRIES):
            lead = min(lead, _MOST)
            board.spin(round(lead / self._each))
            first = board.mark()
            result = call()
            last = board.mark()
            led = not board.passed(first)
            board.wait()
            del result
            if led or lead == _MOST:
                break
            lead *= 2
        return board.between(first, last), led


def timed(
    board: Board, leader: Leader, functions: Mapping[str, Sequence[Call]], rounds: int
) -> dict[str, Times]:
    """Times of each function in each round, A B C A B C ..., after each variant was warmed up.

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
    times: dict[str, Times] = {name: Times() for name in functions}
    for number in range(rounds):
        for name, variants in functions.items():
            seconds, led = leader.timed(variants[number % len(variants)], queueing[name])
            times[name].seconds.append(seconds)
            times[name].unled += not led
    return times
