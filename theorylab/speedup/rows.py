"""What a study says of each number of clients, and where it saturates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.constants import lambda2, spectral_gap
from theorylab.speedup.cells import gradients_a_round, messages_a_round
from theorylab.speedup.protocol import ALONE, HANDED, MAIN, QUIET, Protocol
from theorylab.speedup.result import Row
from theorylab.speedup.study import Study
from theorylab.verdicts.arms import HALF
from theorylab.verdicts.power import slope_of

Floats = NDArray[np.float64]


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
    handed = all((HANDED, n) in study.cells for n in study.clients)
    for n in study.clients:
        low, mean, high = study.band(n)
        quiet = study.cells[QUIET, n].values.mean(axis=0)
        grid = protocol.grid
        reached = tuple(first_reached(each, target, grid) for each in (low, mean, high))
        loud = tuple(first_lasting(list(HALF * each >= quiet), grid) for each in (high, mean, low))
        sent = messages_a_round(protocol, n, protocol.rounds)
        made.append(
            Row(
                n,
                gap_of(protocol, n),
                study.ends(n),
                study.ends(n, ALONE),
                study.ends(n, QUIET)[1],
                float(study.side(MAIN, "clients").values[n].mean()),
                float(study.side(HANDED, "clients").values[n].mean()) if handed else None,
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
    error, left = study.ends(n)[1], study.ends(n, QUIET)[1]
    return n * (error - left) / left if 0 < left < error else None
