"""The pairs (C, q) above given points m_l: m_l <= C q^l. They form a curve, one C for every q."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from theorylab.known import How, Known

Floats = NDArray[np.float64]

INFLATION = 1e-9
LARGEST_LOG = 700.0  # of C, which float64 has
LARGEST_ERROR = 1e-3  # the tail's q allows for this much: its H-th root is nothing
_PASSES = 32  # over all points, before one by one
_GRID = 24  # rates tried between the least one and 1, by decades of 1 - q


Pair = tuple[Known, Known]


@dataclass(frozen=True)
class Pairs:
    """Every valid pair: C(q) for q_min <= q < 1, the least that is proven for that q.

    C is larger than the maximum of m_l q^-l by the rounding error of the points,
    ``step_error`` (1 + 2 ``last`` C ``carry`` / q) relative (``Lags.error``), and by 1e-9 for
    whoever evaluates C q^l: l multiplications, and logarithms good to 1e-14.

    Attributes:
        lags, logs: the upper hull of the points (l, log m_l) with m_l > 0.
        smallest: the pair with the smallest C / (1 - q).
    """

    lags: Floats
    logs: Floats
    q_min: float
    step_error: float = 0.0
    carry: float = 0.0
    last: int = 0
    first: float = 0.0  # the largest m_l: an envelope has to be above it for the error's sake

    def C(self, q: float) -> float:
        """The least C that is proven for this q; inf where there is none."""
        if not self.q_min <= q < 1:
            return math.inf
        if len(self.lags) == 0:
            return 0.0
        if q == 0:
            return math.exp(self.logs[0]) * (1 + INFLATION) if self.lags[-1] == 0 else math.inf
        log = float((self.logs - self.lags * math.log(q)).max())
        C = math.exp(log) if log < LARGEST_LOG else math.inf
        error = self.error(C, q)
        return C * (1 + error) * (1 + INFLATION) if error <= LARGEST_ERROR else math.inf

    def error(self, C: float, q: float) -> float:
        """kappa: if every computed m_l <= C q^l, every true one is <= (1 + kappa) C q^l."""
        if self.step_error == 0:
            return 0.0
        X = max(C, self.first) * self.carry
        spread = self.step_error * self.last * X
        if q <= 0 or spread / q > 0.25 or self.step_error > 0.25:
            return math.inf
        return self.step_error + 2 * spread / q

    @property
    def smallest(self) -> tuple[float, float]:
        q = min(self.rates(grid=0), key=lambda q: self.C(q) / (1 - q))
        return self.C(q), q

    def rates(self, grid: int = _GRID) -> list[float]:
        """The q where C(q) / (1 - q) can be smallest, and a grid of all q up to 1 - 1e-6 of it.

        In x = log q, log(C / (1 - q)) = max_l (log m_l - l x) - log(1 - e^x) is a maximum of
        convex functions, so it is convex. Its minimum is where two lines of the maximum cross
        (two neighbours on the hull), where one of them is stationary (q = l / (l + 1)), or at
        q_min.
        """
        x, y = self.lags, self.logs
        tried = [np.array([self.q_min]), x / (x + 1)]
        if len(x) > 1:
            tried.append(np.exp(np.diff(y) / np.diff(x)))
        if grid:
            tried.append(1 - (1 - self.q_min) * np.logspace(0, -6, grid, endpoint=False))
        found = np.unique(np.concatenate(tried))
        least = 0.0 if self.q_min == 0 and (len(x) == 0 or x[-1] == 0) else 1e-300
        return [float(q) for q in found if max(least, self.q_min) <= q < 1]


def smallest_envelope(lags: Floats, heights: Floats, q_min: float = 0.0) -> tuple[float, float]:
    """Minimise C / (1 - q) over q_min <= q < 1, C >= 0, subject to heights <= C q^lags.

    No grid: see ``Pairs.rates``. No rounding error is added.

    Args:
        lags: nonnegative, increasing, shape (k,).
        heights: nonnegative, shape (k,).
        q_min: q may not be smaller, 0 <= q_min < 1.

    Returns:
        (C, q). q = 0 is taken with 0^0 = 1: nothing but lag 0 is above zero.
    """
    lags, logs = hull(lags, heights)
    if len(lags) == 0:
        return 0.0, q_min
    tried = np.array(Pairs(lags, logs, q_min).rates(grid=0))
    if tried[0] == 0:
        return math.exp(logs[0]), 0.0
    log_C = (logs[None, :] - lags[None, :] * np.log(tried)[:, None]).max(axis=1)
    best = int(np.argmin(log_C - np.log1p(-tried)))
    return math.exp(log_C[best]), float(tried[best])


def hull(lags: Floats, heights: Floats) -> tuple[Floats, Floats]:
    """The upper hull of the points (lag, log height) with height > 0."""
    above = heights > 0
    x, y = np.asarray(lags[above], float), np.log(heights[above])
    for _ in range(_PASSES):  # what lies below a line between two others is no corner
        left, right = x[1:-1] - x[:-2], x[2:] - x[1:-1]
        corner = np.ones(len(x), bool)
        corner[1:-1] = (y[1:-1] - y[:-2]) * right > (y[2:] - y[1:-1]) * left
        if corner.all():
            return x, y
        x, y = x[corner], y[corner]
    kept: list[int] = []
    for k in range(len(x)):
        while len(kept) > 1:
            a, b = kept[-2:]
            if (y[b] - y[a]) * (x[k] - x[a]) > (y[k] - y[a]) * (x[b] - x[a]):
                break
            kept.pop()
        kept.append(k)
    return x[kept], y[kept]


def upper_pair(pairs: Pairs, source: str, within: str = "") -> Pair:
    """The smallest pair of a curve, as the two constants C and q."""
    C, q = pairs.smallest
    return (
        Known(C, How.UPPER, source, within=within, pairs=pairs),
        Known(q, How.UPPER, source, within=within, pairs=pairs),
    )


def geometric_pair(gain: float, lags: str) -> Pair:
    """||M(t, s)||_2 <= gain^(t - s) of a static doubly stochastic P."""
    start: Floats = np.array([1.0 if lags == "positive" else 0.0])
    source = "static and doubly stochastic: ||M||_2 <= ||P - 11^T/n||_2^(t-s), for all 0 <= s <= t"
    return upper_pair(Pairs(start, start * math.log(gain), gain), source)


def with_lags(heights: Floats, lags: str, norm: str, n: int) -> Floats:
    """``heights`` with that of lag 0 as ``lags`` counts it: see ``consensus_pairs``."""
    counted = heights.copy()
    if lags == "positive":
        counted[0] = math.inf
    elif lags == "least":  # M(0, 0) = I - 11^T/n
        counted[0] = {"row": 2 * (n - 1) / n, "spectral": float(n > 1), "entry": 1 - 1 / n}[norm]
    return counted


def which_lags(lags: str) -> str:
    """What ``with_lags`` counts, in the words of a source."""
    return {"all": "", "positive": ", t > s", "least": ", t > s or t = 0"}[lags]
