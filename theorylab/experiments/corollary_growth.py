"""Corollary 1 of dfedsgpsm as alpha -> 1: its left side over its bracket, with T growing along.

One client, f(x) = log cosh(x - c) from 0, K = 1, no noise, rho = 0: every round starts its momentum
from 0, so Algorithm 1 is gradient descent with step eta = 1/(L K sqrt(T)), whatever alpha is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from theorylab.experiments._base import Experiment, Observation, Row, check_column
from theorylab.known import Known

STOP = 1e-10  # of the loss; see ``average``


class CorollaryGrowth(Experiment):
    """Columns: "growth", the factor by which (left side / bracket) grows per decade of 1/gap;
    "ratio_kept", rows of the ratio with 1/a~ = 1 (K = 1) for the bracket's (1-alpha)/K.

    The bracket with every constant 1, n = 1 (so delta = 1, C = q = 0), L = B = 1, sigma_g = 0:
    (1-alpha) f0/sqrt(T) + (alpha^2/(1-alpha)^2 + 1/T)/T + 1/T.

    Args:
        gaps: the 1 - alpha, decreasing, at least three. power: T = gap^-power, rounded up; beyond
            6 the first term of the bracket rules. center: c.
    """

    name = "corollary-growth"
    columns = ("growth", "ratio_kept")

    def __init__(
        self,
        *,
        gaps: Sequence[float] = (0.5, 0.25, 0.125, 0.1),
        power: float = 8.0,
        center: float = 1.0,
    ) -> None:
        made = np.array([*gaps], float)
        if len(made) < 3 or not (np.diff(made) < 0).all() or not (made > 0).all() or made[0] > 1:
            raise ValueError(
                f"{self.name}: gaps is {gaps!r}; need at least three, falling from <= 1"
            )
        if not power > 0 or not center > 0:
            raise ValueError(f"{self.name}: power is {power!r}, center {center!r}; need > 0")
        self.gaps, self.power, self.center = [float(g) for g in gaps], power, center

    def describe(self) -> dict[str, Any]:
        return {"gaps": self.gaps, "power": self.power, "center": self.center}

    def constants(self) -> dict[str, Known]:
        return {}

    def observe(self, column: str, runs: range, seed: int) -> Observation:
        check_column(self, column)
        f0, ratios = _loss(self.center), []
        for gap in self.gaps:
            T = math.ceil(gap**-self.power)
            first = f0 / math.sqrt(T) * (gap if column == "growth" else 1.0)
            bracket = first + (((1 - gap) / gap) ** 2 + 1 / T) / T + 1 / T
            ratios.append(average(T, self.center) / bracket)
        if column == "ratio_kept":
            pairs = zip(self.gaps, ratios, strict=True)
            rows = (Row(np.array([r]), label=f"1-alpha={g:g}", rounding=1e-6) for g, r in pairs)
            return Observation(tuple(rows), True)
        slope = np.polyfit(-np.log10(self.gaps), np.log10(ratios), 1)[0]
        # a relative 1e-6 of the ratios moves a slope over less than a decade by less than 1e-5
        label = f"1-alpha {self.gaps[0]:g} .. {self.gaps[-1]:g}"
        return Observation((Row(np.array([10**slope]), label=label, rounding=1e-4),), True)


def average(T: int, center: float) -> float:
    """1/T sum_{t < T} tanh(x^t - c)^2 of gradient descent with step 1/sqrt(T) from 0.

    Stops once the loss is below STOP: the rest of the sum is at most loss / (eta (1 - eta/2)), by
    the descent lemma, against a sum of at least (f0 - STOP) / eta.
    """
    eta, y, total = 1 / math.sqrt(T), -center, 0.0
    for _ in range(T):
        slope = math.tanh(y)
        total += slope * slope
        y -= eta * slope
        if y * y < STOP:
            break
    return total / T


def _loss(y: float) -> float:
    return math.log(math.cosh(y))
