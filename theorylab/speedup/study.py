"""A study of linear speedup: the errors of every arm at every n, made as they are asked for."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from theorylab.runs import asymptotic_interval
from theorylab.speedup.cells import ENDS, Cell, Errors, has_moments
from theorylab.speedup.keep import Cells
from theorylab.speedup.protocol import FINER, HANDED, MAIN, QUIET, Arm, Protocol
from theorylab.verdicts.arms import FEW, Power, Side
from theorylab.verdicts.power import slope_of

Floats = NDArray[np.float64]
BATCH = 16  # runs that are added at once
Say = Callable[[str], None]


@dataclass
class Study:
    """The errors of all arms, made as they are asked for."""

    protocol: Protocol
    clients: Sequence[int]
    seed: int
    most: int
    kept: Cells
    say: Say
    ceiling: float | None = None  # of a run's error: what is above it is clipped
    exact: bool = False
    runs: int = 0
    cells: dict[tuple[Arm, int], Errors] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.exact = has_moments(self.protocol, self.clients[0])

    def add(self, arms: Sequence[Arm], runs: int) -> None:
        """Have at least so many runs of these arms; one where nothing is random."""
        every = [(arm, n) for arm in arms for n in self.clients]
        while short := [each for each in every if self._lacks(*each, runs)]:
            for cell, more in self.kept.all([self._next(*each) for each in short]):
                have = self.cells.get((cell.arm, cell.clients))
                self.cells[cell.arm, cell.clients] = have = more if have is None else have + more
                self.say(f"n = {cell.clients}, {_name(cell.arm)}: {len(have.values)} runs")

    def _lacks(self, arm: Arm, n: int, runs: int) -> bool:
        have = self.cells.get((arm, n))
        return have is None or (not have.exact and len(have.values) < runs)

    def _next(self, arm: Arm, n: int) -> Cell:
        """The next runs of an arm."""
        have, protocol = self.cells.get((arm, n)), self.protocol
        if self.exact and arm not in (MAIN, QUIET):  # of others the last round alone is read
            protocol = replace(protocol, points=1)
        first = 0 if have is None else len(have.values)
        last = 1 if self.exact or (not arm.noise and have is None) else first + BATCH
        return Cell(protocol, n, arm, tuple(range(first, last)), self.seed, self.exact)

    def side(self, arm: Arm, measure: str = "") -> Side:
        """The errors of an arm at the end, of the runs that all n have.

        Where nothing is sampled that is the last round, else the mean over the last quarter of the
        rounds that are looked at, which varies less. measure: the protocol's own, or one of
        ``ENDS``.
        """
        cells = {n: self.cells[arm, n] for n in self.clients}
        runs = min(len(cell.values) for cell in cells.values())
        last = 1 if self.exact else self.protocol.end
        place = ENDS.index(measure) if measure else 0
        # a control that is clipped, or an error beside the one on trial, would hide what falls
        ceiling = self.ceiling if arm == MAIN and not measure else None
        most = np.inf if ceiling is None else ceiling
        return Side(
            {
                n: np.minimum(
                    cell.ends[:, place] if measure else cell.values[:, -last:].mean(axis=1), most
                )[:runs]
                for n, cell in cells.items()
            },
            {
                n: float(cell.ends_room[place] if measure else cell.room[-1])
                for n, cell in cells.items()
            },
            all(cell.exact for cell in cells.values()),
            ceiling,
        )

    @functools.cached_property
    def finer(self) -> Study | None:
        """The same study at a quarter of the step; None where no option scales it."""
        protocol = self.protocol.finer()
        if protocol is None:
            return None
        if self.exact:  # the last round alone is read
            protocol = replace(protocol, points=1)
        return replace(self, protocol=protocol, cells={})

    def step_power(self, measure: str = "") -> dict[int, Power]:
        """By n, the power of the step in the error; measure: as of ``side``, or "apart" for the
        disagreement, which is the clients' own error less that at their mean.

        Empty where no option scales the step.
        """
        if self.finer is None:
            return {}
        self.finer.add([MAIN], self.runs)
        sides = [each._apart() if measure == "apart" else each.side(MAIN, measure)
                 for each in (self.finer, self)]  # fmt: skip
        found = {}
        for n in self.clients:
            if n > 1:
                values = [each.values[n][: self.runs] for each in sides]
                room = [each.room[n] for each in sides]
                slope = slope_of([1 / FINER, 1], values, room, self.exact)
                found[n] = (-np.inf, np.inf) if slope is None else (slope.low, slope.high)
        return found

    def nearer(self) -> dict[int, Power] | None:
        """By n, the power of the step in the disagreement over the error at the mean model.

        None where no option scales the step. An n at which the disagreement is small is left out.
        """
        if self.finer is None:
            return None
        apart, mean = self.step_power("apart"), self.step_power("mean")
        far, error = self._apart().values, self.side(MAIN, "mean").values
        return {
            n: (low - mean[n][1], high - mean[n][0])
            for n, (low, high) in apart.items()
            if far[n].mean() > FEW * error[n].mean()
        }

    def apart(self) -> float:
        """The largest part of the clients' own error, over n, that their disagreement makes."""
        apart, own = self._apart().values, self.side(MAIN, "clients").values
        return max(float(apart[n].mean() / own[n].mean()) for n in self.clients)

    def _apart(self) -> Side:
        mean, own = (self.side(MAIN, measure) for measure in ENDS)
        values = {n: np.maximum(own.values[n] - mean.values[n], 0) for n in self.clients}
        return Side(values, {n: own.room[n] + mean.room[n] for n in self.clients}, own.exact)

    def handed(self) -> Side | str:
        """The clients' own errors where models are handed round; why there are none."""
        try:
            self.add([HANDED], self.runs)
        except ValueError as error:
            return str(error)
        return self.side(HANDED, "clients")

    def band(self, n: int, arm: Arm = MAIN) -> tuple[Floats, Floats, Floats]:
        """(low, mean, high) of the error at every round of the grid."""
        cell = self.cells[arm, n]
        mean = cell.values.mean(axis=0)
        if cell.exact:
            return np.maximum(mean - cell.room, 0), mean, mean + cell.room
        around = [_around(column) for column in cell.values.T]
        low, _, high = np.array(around).T
        return low, mean, high

    def ends(self, n: int, arm: Arm = MAIN) -> tuple[float, float, float]:
        """(low, mean, high) of the error at the end, as in ``side``."""
        side = self.side(arm)
        mean, room = float(side.values[n].mean()), side.room[n]
        if side.exact:
            return max(mean - room, 0.0), mean, mean + room
        return _around(side.values[n])


def _around(values: Floats) -> tuple[float, float, float]:
    found = asymptotic_interval(values)
    return max(found.low, 0.0), float(values.mean()), found.high


def _name(arm: Arm) -> str:
    words = [] if arm.noise else ["without noise"]
    words += ["alone"] if arm.alone else []
    words += ["handed round"] if arm.handed else []
    words += ["growing steps"] if arm.grows else []
    return ", ".join(words) or "as asked"
