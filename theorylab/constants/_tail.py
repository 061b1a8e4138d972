"""What carries an envelope of a few lags on to all lags: see ``_recurrence``."""

from __future__ import annotations

import math
from dataclasses import dataclass

from theorylab.constants._envelope import LARGEST_ERROR, Pairs
from theorylab.known import EPS

SHARE = 0.9 * LARGEST_ERROR  # the largest zeta
CLOSE = 1e-6  # of its gap, so near the least rate is found


@dataclass(frozen=True)
class Tail:
    """What carries the lags up to ``last`` on; ``q`` the least rate it allows, by norm.

    ``offset``: relative to n pi, what y(t) may be off by from a geometric series.
    """

    last: int
    mu: float
    step: int
    beta: dict[str, float]
    q: dict[str, float]
    offset: float

    def zeta(self, norm: str, q: float) -> float:
        """The share of C q^l that the remainder may take at lag l; 0 where nothing is left out."""
        if self.mu == 0:
            return 0.0
        return _zeta(self.beta[norm], self.mu, self.step, self.last, q)


def _zeta(beta: float, mu: float, step: int, last: int, q: float) -> float:
    power = q**step
    above = power - mu - 4 * step * EPS
    if above <= 0:
        return math.inf
    log = math.log(beta) - last * math.log(q) if beta else -math.inf
    return math.exp(min(log, 700.0)) * power / above


@dataclass(frozen=True)
class Recurrent(Pairs):
    """Pairs whose C carries the remainder of the tail."""

    tail: Tail | None = None
    norm: str = ""

    def error(self, C: float, q: float) -> float:
        """zeta / (1 - zeta)."""
        assert self.tail is not None
        zeta = self.tail.zeta(self.norm, q)
        return zeta / (1 - zeta) if zeta < 1 else math.inf


def least_rate(beta: float, mu: float, d: int, last: int) -> float:
    """The least q whose tail takes no larger share of C q^l than q takes of the gap of mu, nor
    than ``SHARE``; 1 where there is none."""

    def fits(q: float) -> bool:
        taken = (q**d - mu) / (1 - mu)
        return _zeta(beta, mu, d, last, q) <= min(SHARE, taken)

    if not beta < math.inf:
        return 1.0
    if d == 0:
        return math.exp(math.log(beta) / last) * (1 + 1e-14) if 0 < beta < 1 else 1.0
    low, high = math.pow(mu, 1 / d), 1 - 1e-15
    if not fits(high):
        return 1.0
    while high - low > CLOSE * (1 - high):
        middle = 1 - math.sqrt((1 - low) * (1 - high))  # the gap may be tiny
        if not low < middle < high:
            break
        if fits(middle):
            high = middle
        else:
            low = middle
    return high
