"""A GPU that is played by loops on the host, for tests and for computers without one."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

from theorylab.kernels._schedule import Facts, Grid, Schedule, word
from theorylab.kernels._tape import Launch, Player, played_by

ORDERS = range(6)  # of emulation, see AsLoops
_LEAST = 48 << 10  # bytes of shared memory that a block has on every card; facts may be less


class AsLoops:
    """``theorylab._emulated``: the same code block by block on the host, for tests.

    Args:
        order: in which order the threads of a block take turns, one of ``ORDERS``; asynchronous
            copies arrive at their wait (0, 1, 2) or at once (3, 4, 5). No bit may depend on it.
        facts: of the device that is played; small numbers make small problems span many blocks.
    """

    name = "emulated"

    def __init__(self, order: int = 0, facts: Facts | None = None) -> None:
        try:
            self._emulated = importlib.import_module("theorylab._emulated")
        except ImportError as error:
            need = "python setup.py build_emulated in a clone of theorylab, on Linux"
            raise ImportError(f"no GPU is emulated ({error}); need {need}") from error
        if order not in ORDERS:
            raise ValueError(f"emulated: order {order!r} came; need one of 0 to {len(ORDERS) - 1}")
        self._order = order
        self._facts = facts or Facts("host loops", 90, 4, 1 << 20, 227 << 10, 228 << 10, 1 << 40,
                                     1 << 40)  # fmt: skip
        self.launched: list[tuple[Schedule, Grid]] = []

    def facts(self, device: int) -> Facts:
        return self._facts

    def launch(
        self, schedule: Schedule, grid: Grid, words: Sequence[int | float], device: int, stream: int
    ) -> None:
        self._check(schedule, grid)
        self.launched.append((schedule, grid))
        cut, given = (grid.blocks, grid.threads, grid.shared), [word(value) for value in words]
        try:
            self._emulated.launch(str(schedule), *cut, given, self._order)
        except RuntimeError as error:  # what a GPU would do wrong without a word
            raise RuntimeError(f"{schedule} on {grid}: {error}") from error

    def _check(self, schedule: Schedule, grid: Grid) -> None:
        """RuntimeError where the device that is played refuses the launch."""
        most = max(self._facts.shared, _LEAST)
        if grid.shared > most:
            raise RuntimeError(f"{schedule} on {grid}: a block has at most {most} bytes")

    def player(self, phases: Sequence[Sequence[Launch]], device: int) -> Player:
        """By the C++ that plays on a GPU."""

        def prepared(schedule: Schedule, grid: Grid) -> Any:
            self._check(schedule, grid)
            cut = (grid.blocks, grid.threads, grid.shared)
            return self._emulated.Prepared(str(schedule), *cut, self._order)

        play = played_by(self._emulated.Tape(), prepared, phases)

        def noted(phase: int, moments: bytes, columns: int, stream: int) -> None:
            play(phase, moments, columns, stream)
            for k in range(len(moments) // (8 * columns)):
                launches = phases[(phase + k) % len(phases)]
                self.launched += [(each.schedule, each.grid) for each in launches]

        return noted
