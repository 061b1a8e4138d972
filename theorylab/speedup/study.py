"""A study of linear speedup: every arm at every n, the controls, and what follows from them."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from typing import Protocol as Typed

import numpy as np
from numpy.typing import NDArray

from theorylab.constants import lambda2, spectral_gap
from theorylab.runs import asymptotic_interval
from theorylab.speedup.cells import (
    Errors,
    errors,
    gradients_a_round,
    has_moments,
    messages_a_round,
)
from theorylab.speedup.controls import BATCH, confirmed, controls
from theorylab.speedup.fit import slope_of
from theorylab.speedup.judge import HALF, Judgement, Side, judged
from theorylab.speedup.protocol import ALONE, MAIN, QUIET, Arm, Protocol
from theorylab.speedup.result import Row, Speedup
from theorylab.verdicts import Verdict

Floats = NDArray[np.float64]
Say = Callable[[str], None]


class Kept(Typed):
    """Where cells are kept; see ``keep``."""

    def get(self, document: Mapping[str, Any], make: Callable[[], Errors]) -> Errors: ...


@dataclass
class Study:
    """The errors of all arms, made as they are asked for."""

    protocol: Protocol
    clients: Sequence[int]
    seed: int
    most: int
    kept: Kept
    say: Say
    exact: bool = False
    runs: int = 0
    cells: dict[tuple[Arm, int], Errors] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.exact = has_moments(self.protocol, self.clients[0])

    def add(self, arms: Sequence[Arm], runs: int) -> None:
        """Have at least so many runs of these arms; one where nothing is random."""
        for arm in arms:
            for n in self.clients:
                self._extend(arm, n, runs)

    def _extend(self, arm: Arm, n: int, runs: int) -> None:
        have = self.cells.get((arm, n))
        while have is None or (not have.exact and len(have.values) < runs):
            first = 0 if have is None else len(have.values)
            last = 1 if self.exact or (not arm.noise and have is None) else first + BATCH
            ids = list(range(first, last))
            document = {
                **self.protocol.document(n, arm),
                "exact": self.exact,
                "seed": self.seed,
                "runs": [first, last],
            }
            make = functools.partial(errors, self.protocol, n, arm, ids, self.seed, self.exact)
            more = self.kept.get(document, make)
            if have is not None:
                more = Errors(np.concatenate([have.values, more.values]), more.room, False)
            self.cells[arm, n] = have = more
            self.say(f"n = {n}, {_name(arm)}: {len(have.values)} runs")

    def side(self, arm: Arm, place: int = -1) -> Side:
        """The errors of an arm at a round of the grid, of the runs that all n have."""
        cells = {n: self.cells[arm, n] for n in self.clients}
        runs = min(len(cell.values) for cell in cells.values())
        return Side(
            {n: cell.values[:runs, place] for n, cell in cells.items()},
            {n: float(cell.room[place]) for n, cell in cells.items()},
            all(cell.exact for cell in cells.values()),
        )

    def judgement(self, claim: float) -> Judgement:
        """Runs are added until the claim is decided, or there are as many as may be."""
        self.add([QUIET], 1)
        runs = 1 if self.exact else BATCH
        while True:
            self.add([MAIN, ALONE], runs)
            self.runs = runs
            found = judged(claim, self.side(MAIN), self.side(ALONE), self.side(QUIET))
            if not found.needs_runs or runs + BATCH > self.most:
                return found
            runs += BATCH

    def band(self, n: int, arm: Arm = MAIN) -> tuple[Floats, Floats, Floats]:
        """(low, mean, high) of the error at every round of the grid."""
        cell = self.cells[arm, n]
        mean = cell.values.mean(axis=0)
        if cell.exact:
            return np.maximum(mean - cell.room, 0), mean, mean + cell.room
        around = [asymptotic_interval(column) for column in cell.values.T]
        low = np.array([max(each.low, 0.0) for each in around])
        return low, mean, np.array([each.high for each in around])


def _name(arm: Arm) -> str:
    words = [] if arm.noise else ["without noise"]
    words += ["alone"] if arm.alone else []
    words += ["growing steps"] if arm.grows else []
    return ", ".join(words) or "as asked"


def first_lasting(true: Sequence[bool], grid: Sequence[int]) -> int | None:
    """The first round from which on all are true."""
    wrong = [k for k, each in enumerate(true) if not each]
    place = wrong[-1] + 1 if wrong else 0
    return None if place >= len(grid) else grid[place]


def first_reached(values: Floats, target: float, grid: Sequence[int]) -> int | None:
    hits = np.flatnonzero(values <= target)
    return grid[int(hits[0])] if len(hits) else None


def rows(study: Study, target: float) -> tuple[Row, ...]:
    """One row a number of clients."""
    protocol, made = study.protocol, []
    before: int | None = None
    for n in study.clients:
        low, mean, high = study.band(n)
        apart = study.band(n, ALONE)
        quiet = study.cells[QUIET, n].values.mean(axis=0)
        grid = protocol.grid
        reached = tuple(first_reached(each, target, grid) for each in (low, mean, high))
        loud = tuple(first_lasting(list(HALF * each >= quiet), grid) for each in (high, mean, low))
        sent = messages_a_round(protocol, n, protocol.rounds)
        made.append(
            Row(
                n,
                gap_of(protocol, n),
                (float(low[-1]), float(mean[-1]), float(high[-1])),
                (float(apart[0][-1]), float(apart[1][-1]), float(apart[2][-1])),
                float(quiet[-1]),
                None if before is None else _local(study, before, n),
                (loud[0], loud[1], loud[2]),
                (reached[0], reached[1], reached[2]),
                _times(gradients_a_round(protocol, n), reached[1]),
                _times(sent, reached[1]),
            )
        )
        before = n
    return tuple(made)


def _times(each: float | None, rounds: int | None) -> float | None:
    return None if each is None or rounds is None else float(each * rounds)


def _local(study: Study, before: int, n: int) -> Any:
    side = study.side(MAIN)
    return slope_of(
        [before, n],
        [side.values[before], side.values[n]],
        [side.room[before], side.room[n]],
        side.exact,
    )


def gap_of(protocol: Protocol, n: int) -> float | None:
    """1 - |lambda_2| of a network whose matrix stays."""
    network = protocol.topology(n, MAIN)
    return float(spectral_gap(lambda2(network.matrix(0))).value) if network.period == 1 else None


def saturation(study: Study) -> float | None:
    """About the n at which what is left without noise is as large as what noise makes.

    With E(n) = a + b/n at the largest n, a without noise, it is b/a.
    """
    n = study.clients[-1]
    error = float(study.cells[MAIN, n].values[:, -1].mean())
    left = float(study.cells[QUIET, n].values[:, -1].mean())
    return n * (error - left) / left if 0 < left < error else None


def settled(
    study: Study, title: str, claim: float, target: float | None, extra: Mapping[str, Any]
) -> Speedup:
    """Everything that a study says."""
    began = time.monotonic()
    found = confirmed(study, claim, study.judgement(claim))
    beside = controls(study, claim)
    verdict, reason = found.verdict, found.reason
    taken = [each for each in beside if not each.passes]
    if taken and verdict is not Verdict.INCONCLUSIVE:
        verdict, first = Verdict.INCONCLUSIVE, taken[0]
        reason = f"the control {first.name!r} does not pass ({first.outcome}): nothing can be told"
    bands = {n: study.band(n) for n in study.clients}
    best = min(float(mean.min()) for _, mean, _ in bands.values())
    aim = 2 * float(bands[study.clients[0]][1][-1]) if target is None else target
    table = rows(study, aim)
    return Speedup(
        title=title,
        verdict=verdict,
        reason=reason,
        claim=claim,
        slope=found.slope,
        power=found.power,
        exact=study.exact,
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
        seconds=time.monotonic() - began,
    )


class InMemory:
    """Keeps nothing."""

    def get(self, document: Mapping[str, Any], make: Callable[[], Errors]) -> Errors:
        return make()
