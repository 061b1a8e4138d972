"""Corollary 1 of dfedsgpsm as alpha -> 1: its left side over its bracket, with T growing along.

One client, f(x) = log cosh(x - c) from 0, K = 1, no noise, rho = 0: every round starts its momentum
from 0, so Algorithm 1 is gradient descent with step eta = 1/(L K sqrt(T)), whatever alpha is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from theorylab.experiments._base import Experiment, Observation, Row, check_column
from theorylab.experiments._slope import growth
from theorylab.known import Known

STOP = 1e-10  # of f(x^0) - f^*; see ``average``
MOST_STEPS = 10**7  # some seconds
PROVEN = 2.0  # Theorem 1's factor of the first term: what an O(.) may hide


class CorollaryGrowth(Experiment):
    """Columns: "growth", the factor by which (left side / bracket) grows per decade of 1/gap;
    "ratio_kept", rows of the ratio with 1/a~ = 1 (K = 1) for the bracket's (1-alpha)/K.

    The bracket with every constant 1, n = 1 (so delta = 1, C = q = 0), L = B = 1, sigma_g = 0:
    (1-alpha) f0/sqrt(T) + (alpha^2/(1-alpha)^2 + 1/T)/T + 1/T.

    A growth is at least that of the last step, and no evidence (at least 0) while the last ratio is
    below ``PROVEN``, or where gradient descent has not halved the loss by the end of the last two
    values: far from the center the gradient is 1 for ever so long, and any ratio rises.

    Args:
        gaps: the 1 - alpha, decreasing, at least three. power: T = gap^-power, rounded up; beyond
            6 the first term of the bracket rules. center: c, 1e-100 .. 1e100.

    Raises:
        ValueError: on numbers out of range, and on a T that would take ``MOST_STEPS`` steps.
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
        if not 0 < power < math.inf or not 1e-100 <= center <= 1e100:
            raise ValueError(
                f"{self.name}: power is {power!r}, center {center!r}; need > 0, 1e-100 .. 1e100"
            )
        self.gaps, self.power, self.center = [float(g) for g in gaps], power, center
        # rounds until the loss is STOP of the first: |c| at full slope, then a factor e each
        log10 = -power * math.log10(made[-1])
        far = center + math.log(1 / STOP)
        if min(log10, log10 / 2 + math.log10(far)) > math.log10(MOST_STEPS):
            raise ValueError(
                f"{self.name}: T is 10^{log10:.3g} at 1-alpha={made[-1]:g} with center {center:g}; "
                "need fewer rounds"
            )

    def describe(self) -> dict[str, Any]:
        return {"gaps": self.gaps, "power": self.power, "center": self.center}

    def constants(self) -> dict[str, Known]:
        return {}

    def observe(self, column: str, runs: range, seed: int) -> Observation:
        check_column(self, column)
        f0, rows, arrived = loss(self.center), [], []
        for gap in self.gaps:
            T = math.ceil(gap**-self.power)
            first = f0 / math.sqrt(T) * (gap if column == "growth" else 1.0)
            bracket = first + (((1 - gap) / gap) ** 2 + 1 / T) / T + 1 / T
            left, end = average(T, self.center)
            # STOP and up to MOST_STEPS additions of positive numbers leave a relative 1e-6
            ratio, label = left / bracket, f"1-alpha={gap:g}"
            rows.append(Row(np.array([ratio]), label=label, rounding=1e-6 * ratio))
            arrived.append(end <= f0 / 2)
        if column == "ratio_kept":
            return Observation(tuple(rows), True)
        row = growth(self.name, "1/(1-alpha)", [1 / gap for gap in self.gaps], rows, 0)
        last = float(rows[-1].values[0])
        why = ""
        if not all(arrived[-2:]):
            why = "gradient descent is still on its way"
        elif last <= PROVEN:
            why = f"last ratio {last:.3g}: the order may hide {PROVEN:g}"
        if why:
            row = replace(row, least=0.0, label=f"{row.label} ({why})")
        return Observation((row,), True)


def average(T: int, center: float) -> tuple[float, float]:
    """(1/T sum_{t < T} tanh(x^t - c)^2, f(x^T) or less than f(x^0)/2 where that is less) of
    gradient descent with step 1/sqrt(T) from 0.

    Stops once the loss is below STOP f(x^0): the rest of the sum is at most loss / (eta (1 -
    eta/2)), by the descent lemma, against a sum of at least (1 - STOP) f(x^0) / eta.
    """
    eta, y, total = 1 / math.sqrt(T), -center, 0.0
    small = 2 * STOP * loss(center)  # log cosh y <= y^2/2
    for _ in range(T):
        slope = math.tanh(y)
        total += slope * slope
        y -= eta * slope
        if y * y < small:
            break
    return total / T, loss(y)


def loss(y: float) -> float:
    """log cosh y without cancellation."""
    y = abs(y)
    if y < 1:
        return math.log1p(2 * math.sinh(y / 2) ** 2)
    return y - math.log(2) + math.log1p(math.exp(-2 * y))
