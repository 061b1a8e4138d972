"""The weights w(t) = P(t-1) ... P(0) 1 of push-sum, of the rounds of a run or of all rounds."""

from __future__ import annotations

import itertools
import math

import numpy as np
from numpy.typing import NDArray

from theorylab.constants.sequence import rounding, row_terms, weights
from theorylab.known import How, Known
from theorylab.topologies import Topology

Floats = NDArray[np.float64]

SETTLED = 1e-7  # later weights may differ by this, relative, from those that stand for them
ROUNDS, ENTRIES = 100_000, 2**24  # weights looked at until they settle, and numbers kept of them


class UnsettledError(ValueError):
    """No statement about all rounds can be made within the work that is allowed."""


class WeightTable:
    """w(0), w(1), ... of one run.

    Attributes:
        table: distinct weights, shape (rows, n).
        settled: rounds from here on are stood for by those of [settled, settled + period).
        later: relative: what the rounds that are stood for may differ by from those that stand.
        closer: relative: what a round's weights may be off by because an earlier row serves it.
        rounds: roundings in a row that made the last row of the table, over those of one round.
        endless: the table serves every round, not only 0..horizon.
    """

    def __init__(self, topology: Topology, horizon: int | None, run: int) -> None:
        """``horizon`` None: all rounds of a static or periodic topology.

        Raises:
            UnsettledError: the weights of all rounds were asked for and do not settle in time.
        """
        self._period = topology.period
        self.endless = horizon is None
        most = min(ROUNDS, ENTRIES // topology.clients) if horizon is None else horizon
        self._terms = row_terms(topology, min(most, topology.period or most), run)
        rows: list[Floats] = []
        for t, w in enumerate(weights(topology, most, run)):
            rows.append(w)
            if self._repeats(rows, t):
                break
        else:
            if horizon is None:
                raise UnsettledError(f"the weights have not settled after {most} rounds")
        self.table = np.array(rows)
        self.rounds = len(rows) - 1
        self.closer = 0.0
        if (
            horizon is not None and horizon > self.rounds and self.table.all()
        ):  # P adds nothing to ||x||_1
            self.closer = self.step() * ((horizon - self.rounds) // (topology.period or 1) + 1)
        self.settled, self.later = self._settled(horizon)

    def _repeats(self, rows: list[Floats], t: int) -> bool:
        """Row t is row t - period as far as the roundings of a period allow to tell."""
        period = self._period
        if period is None or t < period:
            return False
        allowed = 4 * rounding((self._terms + 2) * period)
        return bool(np.all(np.abs(rows[t] - rows[t - period]) <= allowed * rows[t - period]))

    def _settled(self, horizon: int | None) -> tuple[int, float]:
        last = len(self.table) - 1
        if self._period is None:
            return last, 0.0
        settled, later = 0, 0.0
        for phase in range(min(self._period, last + 1)):
            part = self.table[phase :: self._period]
            high = np.maximum.accumulate(part[::-1])[::-1]
            low = np.minimum.accumulate(part[::-1])[::-1]
            with np.errstate(divide="ignore", invalid="ignore"):
                spread = np.nan_to_num((high / low - 1).max(axis=1), nan=math.inf)
            first = int(np.argmax(spread <= SETTLED))  # the last row alone has spread 0
            settled = max(settled, phase + self._period * first)
            later = max(later, float(spread[first]))
        settled = max(0, settled - self._period + 1)
        return settled if horizon is None else min(settled, horizon), later

    def rows(self, t: NDArray[np.int64]) -> NDArray[np.int64]:
        """The row of the table that serves round t."""
        last = len(self.table) - 1
        if self._period is None:
            return t
        back = np.maximum(0, -(-(t - last) // self._period)) * self._period
        return np.asarray(t - back)

    def drifted(self, columns: dict[int, float], factor: float) -> float:
        """``closer`` for all rounds, relative to the smallest weight.

        The last row differs from the one a period before by some x with 1^T x = 0; later rows add
        Phi x, Phi^2 x, ..., one a period. ``columns``, times ``factor``, bounds ||Phi x||_1 /
        ||x||_1 over so many rounds. It never grows with the rounds, and after the last of them
        everything comes again, times its last value.
        """
        period = self._period or 1
        lags = sorted(columns)
        again = columns[lags[-1]] * factor
        if again >= 1:
            return math.inf
        total = sum(
            min(1.0, columns[lag] * factor) * ((after - lag) / period + 1)
            for lag, after in itertools.pairwise(lags)
        )
        return self.step() * total / (1 - again)

    def step(self) -> float:
        """||w(last) - w(last - period)||_1 / min w, the roundings of the last period included."""
        period = self._period or 1
        if np.abs(self.table - 1).max() <= self.table.shape[1] * np.finfo(float).eps:
            return 0.0  # doubly stochastic but for the rounding of the entries: no weight moves
        step = np.abs(self.table[-1] - self.table[-1 - period]).sum()
        step += rounding((self._terms + 2) * period) * self.table[-1].sum()
        return float(step / self.table.min())

    @property
    def spread(self) -> tuple[float, float]:
        """Factors on ||M|| and ||N|| that cover the starts which others stand for; >= 1.

        With w(s') = w(s) + eps for s' = s + k period, Phi w = w and 1^T eps = 0,

            M(s'+l, s') = diag(w(s+l) / w(s'+l)) M(s+l, s) (I - eps 1^T / n),

        so e = max |eps / w| and W = max w cost at most (1 + e)(1 + e W) in every norm here, and
        for N(t, r) = M(t, r) diag(w(r)) at most (1 + e)(1 + e + e W).
        """
        e = self.later + self.closer
        heaviest = float(self.table.max())
        return (1 + e) * (1 + e * heaviest), (1 + e) * (1 + e + e * heaviest)

    def empty(self) -> tuple[int, int] | None:
        """(client, first round) of a weight 0, which leaves no M; None if there is none."""
        if self.table.all():
            return None
        t, client = np.argwhere(self.table == 0)[0]
        return int(client), int(t)


def least_weight(topology: Topology, C: float, q: float) -> Known:
    """inf over all t and i of w_i(t), of a static or periodic topology: a lower bound.

    From the last row of the table on, the weights move by x, Phi x, Phi^2 x, ... with 1^T x = 0,
    one a period, and |Phi x|_i <= C q^l ||x||_1 over l rounds.

    Args:
        C, q: the pair of the largest entry of |Phi(t, s) - w(t) 1^T/n|, for all 0 <= s <= t.

    Raises:
        UnsettledError: if the weights do not settle in time.
    """
    table = WeightTable(topology, None, 0)
    period = topology.period or 1
    smallest = table.table.min(axis=1)
    t = int(np.argmin(smallest))
    terms = row_terms(topology, table.rounds)
    low = float(smallest[t]) * (1 - rounding((terms + 1) * table.rounds))
    low -= table.step() * float(smallest.min()) * C / (1 - q**period)
    return Known(
        max(0.0, low),
        How.LOWER,
        f"min of P(t-1)...P(0) 1 over all t, attained at t = {t}, less rounding and the tail's "
        "C_entry q_entry^t",
        lower=max(0.0, low),
        upper=float(smallest[t]) * (1 + rounding((terms + 1) * table.rounds)),
    )
