"""A study of linear speedup: every arm at every n, the controls, and what follows from them."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.runs import asymptotic_interval
from theorylab.speedup.cells import ENDS, Cell, Errors, has_moments
from theorylab.speedup.controls import BATCH, confirmed, controls, probes
from theorylab.speedup.fit import ABOVE, FIRST, slope_of
from theorylab.speedup.judge import FEW, Judgement, Power, Side, each_gains, gains, judged, told
from theorylab.speedup.keep import Cells
from theorylab.speedup.protocol import ALONE, FINER, HANDED, MAIN, QUIET, Arm, Protocol
from theorylab.speedup.result import Control, Speedup
from theorylab.speedup.rows import rows, saturation

Floats = NDArray[np.float64]
FORECAST = 8  # the runs that an open study needs are looked for up to 2^7 times those it has
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

    @property
    def limits(self) -> str:
        """What the limits of the slope rest on, in words."""
        if self.exact:
            return "exact, up to rounding"
        side = self.side(MAIN)
        how = "as given"
        if self.ceiling is None:
            how = f"{ABOVE:g} times the largest of the first {FIRST} runs, which serve nothing else"
        return (
            f"betting limits of paired seeds, valid while runs are added, of the error clipped at "
            f"{side.top:.4g}, {how}; clipped runs: {told(side.clipped())}"
        )

    def judgement(self, claim: float) -> Judgement:
        """Runs are added until the claim is decided, or there are as many as may be."""
        self.add([QUIET], 1)
        runs = 1 if self.exact else BATCH
        while True:
            self.add([MAIN, ALONE], runs)
            self.runs = runs
            found = judged(claim, self.side(MAIN), self.side(ALONE), self.side(QUIET))
            if found.verdict.word.stands and all(each.passes for each in self.probes):
                own = self.side(MAIN, "clients")
                slope = own.slope()
                near = {} if slope is None or gains(claim, slope) else self.nearer()
                found = each_gains(claim, found, own, self.handed(), near)
            if not found.needs_runs:
                return found
            if runs + BATCH > self.most:
                return replace(found, needs=self._needed(claim))
            runs += BATCH

    def _needed(self, claim: float) -> int:
        """About how many runs would decide, if more of them were like those that there are; 0 where
        so many would not. A forecast, of the slope and of P = I alone."""
        main, alone, quiet = (self.side(arm) for arm in (MAIN, ALONE, QUIET))
        for times in (2**k for k in range(1, FORECAST)):
            if not judged(claim, main.repeated(times), alone.repeated(times), quiet).needs_runs:
                return int(times * self.runs)
        return 0

    @functools.cached_property
    def probes(self) -> tuple[Control, ...]:
        """The controls that need no run of the study."""
        return probes(self)

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


def settled(
    study: Study, title: str, claim: float, target: float | None, extra: Mapping[str, Any]
) -> Speedup:
    """Everything that a study says."""
    began = time.monotonic()
    found = confirmed(study, claim, study.judgement(claim))
    beside = controls(study, claim)
    taken = [each for each in beside if not each.passes and found.verdict.name in each.guards]
    if taken:
        found = found.undecided(
            f"the control {taken[0].name!r} does not pass ({taken[0].outcome}): nothing can be "
            f"told where {found.reason}"
        )
    bands = {n: study.band(n) for n in study.clients}
    best = min(float(mean.min()) for _, mean, _ in bands.values())
    aim = 2 * study.ends(study.clients[0])[1] if target is None else target
    table = rows(study, aim)
    return Speedup(
        title=title,
        verdict=found.verdict,
        reason=found.reason,
        claim=claim,
        slope=found.slope,
        power=found.power,
        exact=study.exact,
        limits=study.limits,
        runs=study.runs,
        seed=study.seed,
        measure=study.protocol.measure,
        rows=table,
        controls=beside,
        saturates=saturation(study),
        target=aim,
        best=best,
        reached=any(row.rounds[1] is not None for row in table),
        transients=extra.get("transients", ()),
        exponents=extra.get("exponents", {}),
        grid=tuple(study.protocol.grid),
        curves=bands,
        document=study.protocol.document(study.clients[0], MAIN),
        needs=found.needs,
        seconds=time.monotonic() - began,
        work=study.kept.seconds,
    )
