"""Norms of the debiased products M(t, s), the largest for every lag t - s.

Phi(t, s) = P(t-1) ... P(s), w(t) = Phi(t, 0) 1, M(t, s) = diag(1/w(t)) Phi(t, s) - 11^T/n, and
before debiasing E(t, s) = diag(w(t)) M(t, s) = Phi(t, s) - phi(t) 1^T with phi(t) = w(t) / n.
"row" and "spectral" are norms of M, "entry" is the largest |E_ij|.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from theorylab.constants._envelope import LARGEST_ERROR, Pairs, hull, smallest_envelope
from theorylab.constants._lag_norms import Stack, Sums, stacked, summed
from theorylab.constants._weight_table import WeightTable
from theorylab.constants.sequence import rounding, row_terms
from theorylab.kernels import Mixing, get_threads, set_threads
from theorylab.topologies import Topology

Floats = NDArray[np.float64]

NORMS = ("row", "spectral", "entry")
EXACT = 128  # up to here the 2-norm is the largest singular value
DECAYED = 1e-5  # go on to here as long as BUDGET allows
VANISHED = 1e-250  # and on to here, for a sharper tail, as long as it costs less than CHEAP
CHEAP, BUDGET = 2e7, 4e9  # entries of M looked at: some .2 s, some 20 s
CALLS = 4096  # entries that take as long as the calls of one lag
SLACK = 1.02  # the tail may cost the pair this factor, see ``_enough``
STACK = 2**21  # entries held at once: 16 MB in each of four arrays


@dataclass(frozen=True)
class Lags:
    """What ``norms_by_lag`` found, as computed. How far off that can be:

    Let S be the true step and p = the error with its w-average removed. The average itself is
    projected away after every step, down to g ||M||. So p(t) = sum_k N(t, k+1) E(k) with
    ||E(k)|| <= g ||M(k)|| <= g C q^k. With ||N(k + l, k)|| <= X q^l for all l this gives
    ||p|| <= g H X C q^(l-1) at lag l. N is M diag(w), so X <= C max w (1 + g + g H X / q),
    that is, X <= 2 C max w if g and g H C max w / q are at most 1/4. If they are not, nothing
    is proven. So if every computed ||M|| <= C q^lag, every true one is at most
    (1 + g (1 + 2 H C max w / q)) C q^lag (``Pairs.error``).

    Attributes:
        largest: norm -> max over s of ||M(s + l, s)||, l = 0, ..., H; shape (H + 1,).
        contraction: norm -> max over s of ||N(s + H, s)||, N(t, s) = M(t, s) diag(w(s)); for
            "entry" the largest row sum of |E(s + H, s)|.
        whole: H is the horizon, so that no tail is left to certify.
        carry: norm -> c: ||N|| <= c ||M||. For "row" and "spectral" max over t, i of w_i(t).
        step_error: norm -> g: one step M <- S M is off by at most g ||M||.
    """

    largest: dict[str, Floats]
    contraction: dict[str, float]
    whole: bool
    carry: dict[str, float]
    step_error: dict[str, float]

    def pairs(self, norm: str, heights: Floats, q_min: float = 0.0, exact: bool = False) -> Pairs:
        """All pairs above ``heights``, inf where a lag does not count; q is at least ``q_min``."""
        counted = np.flatnonzero(np.isfinite(heights))
        lags, logs = hull(counted.astype(float), heights[counted])
        return Pairs(
            lags,
            logs,
            q_min,
            step_error=0.0 if exact else self.step_error[norm],
            carry=self.carry[norm],
            last=len(heights) - 1,
            # the error's proof takes an envelope of M from lag 0 on: N(r, r) is part of its sum
            first=float(self.largest[norm][0]),
        )


def norms_by_lag(
    topology: Topology,
    table: WeightTable,
    horizon: int | None,
    run: int = 0,
    norms: tuple[str, ...] = NORMS,
    floor: float = 0.0,
) -> Lags:
    """The largest norms of M(s + l, s) over 0 <= s <= horizon - l, for l = 0, ..., H.

    M(t + 1, s) = S(t) M(t, s) with S(t) = diag(1/w(t+1)) P(t) diag(w(t)), and its w-average, zero
    but for rounding, is taken out after every step. So the errors shrink with M, and lags far
    below the float64 spacing at 1 still count. H is the horizon, or the lag where the constants
    at the head of this file stop it. Without a horizon s is any round.

    One step costs: P and the weights are off by rho = gamma_{2 (m + 1) rounds} + closer relative
    (m the longest row of a P), the step by gamma_{m+3}, the average by gamma_{n+2}. In the row
    norm S has norm 1; in the 2-norm of |M| there is a factor sqrt(n max w / min w) more. The
    norm itself is off by 4 n^2 eps (n terms, or ``largest_norms``, which says by how much less).

    Args:
        table: the weights of the same topology, horizon and run, all positive.
        norms: those that are wanted; "spectral" costs most.
        floor: no q below can hold for all lags; it only tells when more lags bring little.
    """
    # A step is too short to be shared, least of all on a busy machine; starts are shared instead.
    threads = get_threads()
    try:
        set_threads(1)
        with threadpool_limits(1, user_api="blas"):
            return _norms_by_lag(topology, table, horizon, run, norms, floor, threads)
    finally:
        set_threads(threads)


def _norms_by_lag(
    topology: Topology,
    table: WeightTable,
    horizon: int | None,
    run: int,
    wanted: tuple[str, ...],
    floor: float,
    threads: int,
) -> Lags:
    n, period = topology.clients, topology.period
    starts = table.settled + (period or 1)
    if horizon is not None:
        starts = min(horizon + 1, starts)
    P = [topology.matrix(t, run) for t in range(period or horizon or 0)]
    seen = _Seen(float(starts * n**2 + CALLS), horizon, wanted, floor)
    if n > EXACT:
        steps = [Mixing(A) for A in P]

        def lags(start: int) -> Iterator[Sums]:
            return summed(steps, table, start, horizon, "spectral" in wanted)

        seen.first(lags(0))
        with ThreadPoolExecutor(threads) as pool:
            others = range(1, starts)
            for block in pool.map(lambda s: list(islice(lags(s), seen.stop + 1)), others):
                seen.add(block)
    else:
        held = max(1, STACK // n**2)
        for low in range(0, starts, held):
            stacks = stacked(P, table, np.arange(low, min(low + held, starts)), horizon)
            (seen.add if low else seen.first)(stacks)
    terms = row_terms(topology, table.rounds, run)
    factor = 1 + 4 * n**2 * float(np.finfo(float).eps)
    if table.endless:
        table.closer = table.drifted(seen.columns, factor * (1 + LARGEST_ERROR))
    for_M, for_N = table.spread
    rho = rounding(2 * (terms + 1) * (table.rounds + 1)) + table.closer
    g = 4 * (rho + rounding(terms + n + 8))
    heaviest, lightest = float(table.table.max()), float(table.table.min())
    inflow = max(float(A.sum(axis=1).max()) for A in P)
    carry = heaviest * (1 + rho)
    return Lags(
        {norm: np.array(seen.tops[norm][: seen.stop + 1]) * (factor * for_M) for norm in wanted},
        {norm: seen.contraction[norm] * (factor * for_N) for norm in wanted},
        seen.stop == horizon,
        {"row": carry, "spectral": carry, "entry": float(n)},
        {
            "row": g,
            "spectral": g * float(np.sqrt(n * heaviest / lightest)),
            "entry": 2 * g * max(inflow, carry),
        },
    )


class _Seen:
    """The largest norms of the starts that were looked at, by lag.

    Args:
        per_lag: the work of one lag of all starts, in entries of M.
    """

    def __init__(
        self, per_lag: float, horizon: int | None, wanted: tuple[str, ...], floor: float
    ) -> None:
        self._per_lag, self._wanted, self._floor = per_lag, wanted, floor
        self._known = 0.0 if "spectral" in wanted else math.inf
        self.stop = max(1, int(BUDGET / per_lag))
        if horizon is not None:
            self.stop = min(horizon, self.stop)
        self.tops: dict[str, list[float]] = {norm: [] for norm in NORMS}
        self.contraction = dict.fromkeys(NORMS, 0.0)
        self.columns = {0: 2.0}

    def first(self, lags: Iterable[Stack | Sums]) -> None:
        """Add the first starts; these say at which lag to stop."""
        look = 0
        for lag, seen in enumerate(lags):
            self._top(lag, seen)
            row = self.tops["row"][lag]
            if 0 < lag < self.stop and row < DECAYED:
                if row < VANISHED:
                    self.stop = lag
                elif lag >= look and lag * self._per_lag > CHEAP:
                    look = lag + lag // 8  # a look takes all lags seen so far
                    tail = seen.of_N(self._known)
                    if _enough(self.tops, tail, self._wanted, lag, self._floor):
                        self.stop = lag
            if self._last(lag, seen):
                break

    def add(self, lags: Iterable[Stack | Sums]) -> None:
        """Add other starts, up to the lag where the first ones stopped."""
        for lag, seen in enumerate(lags):
            self._top(lag, seen)
            if self._last(lag, seen):
                break

    def _top(self, lag: int, seen: Stack | Sums) -> None:
        for norm in NORMS:
            if len(self.tops[norm]) == lag:
                self.tops[norm].append(0.0)
        found = seen.of_M(self._known or self.tops["spectral"][lag])
        for norm, value in (found | {"entry": seen.entry()}).items():
            self.tops[norm][lag] = max(self.tops[norm][lag], value)

    def _last(self, lag: int, seen: Stack | Sums) -> bool:
        """Note what only some lags are asked for; whether this lag is the last one."""
        if lag == self.stop or lag.bit_count() == 1:
            self.columns[lag] = max(self.columns.get(lag, 0.0), seen.column())
        if lag != self.stop:
            return False
        N = seen.of_N(self._known or self.contraction["spectral"]) | {"entry": seen.row()}
        for norm, value in N.items():
            self.contraction[norm] = max(self.contraction[norm], value)
        return True


def _enough(
    tops: dict[str, list[float]],
    N: dict[str, float],
    wanted: tuple[str, ...],
    lag: int,
    floor: float,
) -> bool:
    """True where more lags sharpen the pair by less than SLACK: that of the lags seen, with the q
    that the tail asks for, against that with the least q that any tail can ask for, ``floor``."""
    for norm in set(wanted) & set(N):
        q_min = max(floor, min(N[norm] ** (1 / lag), 1 - 1e-12))
        for first in (0, 1):
            seen = np.arange(first, lag + 1, dtype=float)
            heights = np.array(tops[norm][first : lag + 1])
            free, bound = (smallest_envelope(seen, heights, q) for q in (floor, q_min))
            if bound[0] / (1 - bound[1]) > SLACK * free[0] / (1 - free[1]):
                return False
    return True
