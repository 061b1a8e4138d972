"""Exact expectations over any number of rounds, of any algorithm whose rounds are affine."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.runs.affine import AffineRound, Look, Probe
from theorylab.runs.blocks import Block
from theorylab.runs.setting import Setting

Floats = NDArray[Any]
SEPARATE = 1 << 14  # rounds that may all differ


@dataclass(frozen=True)
class Moment:
    """At T rounds: the mean of E ||vector||^2 over the rounds before, and that of round T itself,
    each with its rounding error."""

    mean: float
    mean_room: float
    last: float
    last_room: float


class Moments:
    """Exact expectations of a metric's squared vectors over any number of rounds.

    Round by round while weights or matrices move; by repeated squaring once every round repeats
    to the bit.

    first: the first round that a mean counts. repeats: ``look`` depends on no number of a round.
    """

    def __init__(self, setting: Setting, look: Look, first: int = 0, repeats: bool = True) -> None:
        self.probe, self.first = Probe(setting, look, repeats), first
        self.start, self.spread = self.probe.y0, np.zeros((len(self.probe.y0),) * 2)
        self.t, self.w = 0, np.ones(setting.problem.clients)
        self.found: list[Block] = []
        self.repeated: AffineRound | None = None

    def at(self, rounds: int) -> list[Moment]:
        """Every form at T = ``rounds``, of calls with increasing T.

        Raises:
            NotAffineError: where a round is not affine. ValueError: where sums leave float64, or
                rounds that do not repeat are more than ``SEPARATE``.
        """
        with np.errstate(over="ignore", invalid="ignore"):
            self._play(self.first + rounds)
            now = self.repeated or self.probe.round(self.t, self.w)
            return [self._moment(k, now, rounds) for k in range(len(now.forms))]

    def of_form(self, rounds: int, Q: Floats) -> Moment:
        """y^T Q y, symmetric Q, of the state after ``rounds`` >= 1 rounds, and its mean before."""
        sizes = np.diag(np.abs(Q).sum(axis=1))  # at least Q and -Q
        total, one, w = None, None, self.w
        for t in range(self.t, rounds + 1):
            now = self.probe.round(t, w)
            one = Block.of(now.A, now.N, Q, 0.0, sizes)
            if t < rounds:
                total, w = one if total is None else total.then(one), now.w_after
        assert total is not None
        assert one is not None
        return self._of(total, one, now.steps, rounds)

    def _play(self, end: int) -> None:
        while self.t < end:
            if self.repeated is not None:
                more = [
                    self.repeated.block(k).times(end - self.t)
                    for k in range(len(self.repeated.forms))
                ]
                self.found = [old.then(new) for old, new in zip(self.found, more, strict=True)]
                self.t = end
                return
            if self.t > SEPARATE:
                raise ValueError(
                    f"moments: rounds still change at t={self.t}; need fewer rounds, or one matrix "
                    "and weights that settle"
                )
            one = self.probe.round(self.t, self.w)
            if self.t < self.first:
                self.start = one.A @ self.start
                self.spread = one.A @ self.spread @ one.A.T + one.N
            else:
                blocks = [one.block(k) for k in range(len(one.forms))]
                self.found = (
                    [old.then(new) for old, new in zip(self.found, blocks, strict=True)]
                    if self.found
                    else blocks
                )
                if self.probe.period == 1 and np.array_equal(one.w_after, self.w):
                    self.repeated = one
            self.t, self.w = self.t + 1, one.w_after

    def _moment(self, form: int, now: AffineRound, rounds: int) -> Moment:
        return self._of(self.found[form], now.block(form), now.steps, rounds)

    def _of(self, total: Block, one: Block, steps: int, rounds: int) -> Moment:
        echo, steps = total.echo(one), steps + 2  # and the two roundings of a probed entry
        mean = total.value(self.start, self.spread)
        moved = total.A @ self.start
        spread = total.A @ self.spread @ total.A.T + total.N
        last = one.value(moved, spread)
        sizes = one.value(np.abs(total.A) @ np.abs(self.start))
        last = replace(last, size=last.size + sizes.size, parts=last.parts + sizes.parts)
        values = (
            mean.value / rounds,
            mean.room(rounds, steps, echo) / rounds,
            last.value,
            last.room(rounds, steps, echo),
        )
        if not all(map(math.isfinite, values)):
            raise ValueError(
                f"moments: those of {rounds} rounds leave float64; need smaller steps or fewer "
                "rounds"
            )
        return Moment(*values)
