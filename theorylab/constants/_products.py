"""Norms of the debiased products M(t, s), the largest for every lag t - s.

Phi(t, s) = P(t-1) ... P(s), w(t) = Phi(t, 0) 1, M(t, s) = diag(1/w(t)) Phi(t, s) - 11^T/n, and
before debiasing E(t, s) = diag(w(t)) M(t, s) = Phi(t, s) - phi(t) 1^T with phi(t) = w(t) / n.
"row" and "spectral" are norms of M, "entry" is the largest |E_ij|.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from threadpoolctl import threadpool_limits

from theorylab.constants._envelope import LARGEST_ERROR, Pairs, hull, smallest_envelope
from theorylab.constants._weight_table import WeightTable
from theorylab.constants.sequence import rounding, row_terms
from theorylab.kernels import Mixing, push_mix
from theorylab.topologies import Topology

Floats = NDArray[np.float64]

NORMS = ("row", "spectral", "entry")
EXACT = 128  # up to here the 2-norm is the largest singular value
DECAYED = 1e-5  # go on to here as long as BUDGET allows
VANISHED = 1e-250  # and on to here, for a sharper tail, as long as it costs less than CHEAP
CHEAP, BUDGET = 2e7, 4e9  # entries of M looked at: some .2 s, some 40 s
CALLS = 4096  # entries that take as long as the calls of one lag
SLACK = 1.02  # the tail may cost the pair this factor, see ``_enough``
NEAR = 1e-6  # a 2-norm may be given too large by this, relative, to save the search for a larger
CACHED = 2**13  # entries of M and of E worked on together, 64 KB of each
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
    norm itself is off by 4 n^2 eps (n terms, or eigvalsh of M M^T, whose entries are n-term sums
    of size up to n ||M||^2).

    Args:
        table: the weights of the same topology, horizon and run, all positive.
        norms: those that are wanted; "spectral" costs most.
        floor: no q below can hold for all lags; it only tells when more lags bring little.
    """
    # Small matrices gain nothing from BLAS threads, and lose much to them on a busy machine.
    with threadpool_limits(1, user_api="blas"):
        return _norms_by_lag(topology, table, horizon, run, norms, floor)


def _norms_by_lag(
    topology: Topology,
    table: WeightTable,
    horizon: int | None,
    run: int,
    wanted: tuple[str, ...],
    floor: float,
) -> Lags:
    n, period = topology.clients, topology.period
    known = 0.0 if "spectral" in wanted else math.inf
    starts = table.settled + (period or 1)
    if horizon is not None:
        starts = min(horizon + 1, starts)
    per_lag = float(starts * n**2 + CALLS)
    stop = max(1, int(BUDGET / per_lag))
    if horizon is not None:
        stop = min(horizon, stop)
    tops: dict[str, list[float]] = {norm: [] for norm in NORMS}
    contraction = dict.fromkeys(NORMS, 0.0)
    P = [topology.matrix(t, run) for t in range(period or horizon or 0)]
    held = max(1, STACK // n**2)
    look, columns = 0, {0: 2.0}
    for low in range(0, starts, held):
        block = _lags(P, table, np.arange(low, min(low + held, starts)), horizon)
        for lag, (M, E, before) in enumerate(block):
            for norm in NORMS:
                if len(tops[norm]) == lag:
                    tops[norm].append(0.0)
            for norm, value in _norms(M, known or tops["spectral"][lag]).items():
                tops[norm][lag] = max(tops[norm][lag], value)
            tops["entry"][lag] = max(tops["entry"][lag], float(np.abs(E).max()))
            if low == 0 and 0 < lag < stop and tops["row"][lag] < DECAYED:
                if tops["row"][lag] < VANISHED:
                    stop = lag  # the other blocks go as far as this one
                elif lag >= look and lag * per_lag > CHEAP:
                    look = lag + lag // 8  # a look takes all lags seen so far
                    tail = _norms(M * before[:, None, :], known)
                    if _enough(tops, tail, wanted, lag, floor):
                        stop = lag
            if lag == stop or lag.bit_count() == 1:
                column = float(np.abs(E).sum(axis=1).max())
                columns[lag] = max(columns.get(lag, 0.0), column)
            if lag == stop:
                N = _norms(M * before[:, None, :], known or contraction["spectral"])
                N["entry"] = float(np.abs(E).sum(axis=2).max())
                for norm, value in N.items():
                    contraction[norm] = max(contraction[norm], value)
                break
    terms = row_terms(topology, table.rounds, run)
    factor = 1 + 4 * n**2 * float(np.finfo(float).eps)
    if table.endless:
        table.closer = table.drifted(columns, factor * (1 + LARGEST_ERROR))
    for_M, for_N = table.spread
    rho = rounding(2 * (terms + 1) * (table.rounds + 1)) + table.closer
    g = 4 * (rho + rounding(terms + n + 8))
    heaviest, lightest = float(table.table.max()), float(table.table.min())
    inflow = max(float(A.sum(axis=1).max()) for A in P)
    carry = heaviest * (1 + rho)
    return Lags(
        {norm: np.array(tops[norm][: stop + 1]) * (factor * for_M) for norm in wanted},
        {norm: contraction[norm] * (factor * for_N) for norm in wanted},
        stop == horizon,
        {"row": carry, "spectral": carry, "entry": float(n)},
        {
            "row": g,
            "spectral": g * float(np.sqrt(n * heaviest / lightest)),
            "entry": 2 * g * max(inflow, carry),
        },
    )


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


def _lags(
    P: list[csr_array], table: WeightTable, starts: NDArray[np.int64], horizon: int | None
) -> Iterator[tuple[Floats, Floats, Floats]]:
    """For lag 0, 1, ...: M(s + lag, s), E(s + lag, s) (b, n, n) and w(s) (b, n), s inside.

    One ``push_mix`` is one lag for every s: x = E, w = w(t), so x1 = E and z1 = M one round on.
    The arrays are overwritten by the next lag.
    """
    n = table.table.shape[1]
    before = table.table[table.rows(starts)]
    E, M = np.zeros((2, len(starts), n, n))
    M[:, np.arange(n), np.arange(n)] = 1 / before
    M -= 1 / n
    np.multiply(M, before[:, :, None], out=E)
    spare, there = np.empty_like(E), np.empty_like(before)
    shared = Mixing(P[0]) if len(P) == 1 else None
    held = max(1, CACHED // n**2)
    for lag in itertools.count():
        yield M, E, before
        m = len(starts)
        if horizon is not None:  # starts ascend: the first m stay
            m = int(np.count_nonzero(starts + lag < horizon))
        if not m:
            return
        t = starts[:m] + lag
        here = np.ascontiguousarray(table.table[table.rows(t)])
        starts, before, M, spare, there = starts[:m], before[:m], M[:m], spare[:m], there[:m]
        push_mix(shared or [P[k] for k in t % len(P)], E[:m], here, out=(spare, there, M))
        E, spare = spare, E[:m]
        mean = E.sum(axis=1) / n
        for k in range(0, m, held):
            part = slice(k, k + held)
            M[part] -= mean[part, None, :]
            E[part] -= there[part, :, None] * mean[part, None, :]


def _norms(M: Floats, known: float) -> dict[str, float]:
    """Largest row norm and 2-norm of M (b, n, n); 2-norms up to ``known`` are not looked for."""
    absolute = np.abs(M)
    scale = float(absolute.max())
    if scale == 0:
        return {"row": 0.0, "spectral": known}
    rows = absolute.sum(axis=2).max(axis=1)
    if known == math.inf:
        return {"row": float(rows.max()), "spectral": known}
    columns = absolute.sum(axis=1).max(axis=1)
    absolute /= scale  # or the squares of entries of 1e-200 would vanish
    bound = scale * np.sqrt(np.einsum("bij,bij->b", absolute, absolute))
    bound = np.minimum(bound, np.sqrt(rows) * np.sqrt(columns)) * (1 + 1e-12)
    top = float(rows.max())
    if M.shape[1] > EXACT:
        return {"row": top, "spectral": float(bound.max())}
    return {
        "row": top,
        "spectral": _largest_two_norm(M / scale, bound / scale, known / scale) * scale,
    }


def _largest_two_norm(M: Floats, bound: Floats, known: float) -> float:
    """max(known, largest 2-norm), too large by NEAR at most.

    Matrices that have all but settled are within a little of one whose norm was found.
    """
    open_ones = np.argsort(-bound)
    passed = known  # the largest bound of those that are close enough not to be looked at
    while len(open_ones) and bound[open_ones[0]] > known:
        part, open_ones = open_ones[:16], open_ones[16:]
        squares = np.linalg.eigvalsh(M[part] @ M[part].transpose(0, 2, 1))[:, -1]
        norms = np.sqrt(np.abs(squares))
        top = int(np.argmax(norms))
        known = max(known, float(norms[top]))
        if not len(open_ones):
            break
        away = M[open_ones] - M[part[top]]
        away *= away
        close = norms[top] + np.sqrt(away.sum(axis=(1, 2)))
        bound[open_ones] = np.minimum(bound[open_ones], close * (1 + 1e-12))
        left = bound[open_ones] > known * (1 + NEAR)
        passed = max(passed, float(bound[open_ones[~left]].max(initial=0.0)))
        open_ones = open_ones[left]
        open_ones = open_ones[np.argsort(-bound[open_ones])]
    return max(known, passed)
