"""Norms of the debiased products M(t, s), the largest for every lag t - s.

Phi(t, s) = P(t-1) ... P(s), w(t) = Phi(t, 0) 1, M(t, s) = diag(1/w(t)) Phi(t, s) - 11^T/n, and
before debiasing E(t, s) = diag(w(t)) M(t, s) = Phi(t, s) - phi(t) 1^T with phi(t) = w(t) / n.
"row" and "spectral" are norms of M, "entry" is the largest |E_ij|.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from threadpoolctl import threadpool_limits

from theorylab.constants._envelope import smallest_envelope
from theorylab.constants.sequence import rounding, row_terms, weights
from theorylab.kernels import Mixing, push_mix
from theorylab.topologies import Topology

Floats = NDArray[np.float64]

NORMS = ("row", "spectral", "entry")
EXACT = 128  # up to here the 2-norm is the largest singular value
DECAYED = 1e-8  # go on to here as long as BUDGET allows
VANISHED = 1e-250  # and on to here, for a sharper tail, as long as it costs less than CHEAP
CHEAP, BUDGET = 1e8, 4e9  # entries of M looked at: some 1 s, some 40 s
SLACK = 1.01  # the tail may cost the pair this factor, see ``_enough``
CACHED = 2**13  # entries of M and of E worked on together, 64 KB of each
STACK = 2**21  # entries held at once: 16 MB in each of four arrays


@dataclass(frozen=True)
class Lags:
    """What ``norms_by_lag`` found, as computed; ``error`` says how far off it can be.

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

    def error(self, norm: str, C: float, q: float) -> float:
        """kappa: if every computed ||M|| <= C q^lag, every true one is <= (1 + kappa) C q^lag.

        Let S be the true step and p = the error with its w-average removed. The average itself is
        projected away after every step, down to g ||M||. So p(t) = sum_k N(t, k+1) E(k) with
        ||E(k)|| <= g ||M(k)|| <= g C q^k. With ||N(k + l, k)|| <= X q^l for all l this gives
        ||p|| <= g H X C q^(l-1) at lag l. N is M diag(w), so X <= C max w (1 + g + g H X / q),
        that is, X <= 2 C max w if g and g H C max w / q are at most 1/4. If they are not, nothing
        is proven: inf.
        """
        g, H = self.step_error[norm], len(self.largest[norm]) - 1
        X = C * self.carry[norm]
        if q <= 0 or g * H * X / q > 0.25 or g > 0.25:
            return float("inf")
        return g * (1 + 2 * H * X / q)


class WeightTable:
    """w(0..horizon) of one run.

    Attributes:
        table: distinct weights, shape (rows, n). row: the row of every round, (horizon + 1,).
        closer: a round may have been given weights off by this, relative.
        settled: from this round on w(t + period) = w(t), up to ``closer``; horizon if never.
    """

    def __init__(self, topology: Topology, horizon: int, run: int) -> None:
        period = topology.period
        # Computed weights wander by their rounding error, so no closer match can be asked for.
        wander = rounding((row_terms(topology, horizon, run) + 1) * horizon)
        self.closer = 0.0 if period is None else 1e-13 + wander
        self.row = np.empty(horizon + 1, np.int64)
        rows: list[Floats] = []
        self.settled = 0
        before = np.empty(0)
        for t, w in enumerate(weights(topology, horizon, run)):
            if period is not None and t >= period:
                old = self.row[t - period]
                if np.all(np.abs(w - rows[old]) <= self.closer * rows[old]):
                    self.row[t] = old
                    if period == 1 and np.array_equal(w, before):
                        self.row[t:] = old  # the same bits: nothing changes any more
                        break
                    before = w
                    continue
                self.settled = t - period + 1
            self.row[t] = len(rows)
            rows.append(w)
        if period is None:
            self.settled = horizon
        self.table = np.array(rows)

    def empty(self) -> tuple[int, int] | None:
        """(client, first round) of a weight 0, which leaves no M; None if there is none."""
        if self.table.all():
            return None
        k, client = np.argwhere(self.table == 0)[0]
        return int(client), int(np.argmax(self.row == k))


def norms_by_lag(topology: Topology, table: WeightTable, horizon: int, run: int = 0) -> Lags:
    """The largest norms of M(s + l, s) over 0 <= s <= horizon - l, for l = 0, ..., H.

    M(t + 1, s) = S(t) M(t, s) with S(t) = diag(1/w(t+1)) P(t) diag(w(t)), and its w-average, zero
    but for rounding, is taken out after every step. So the errors shrink with M, and lags far
    below the float64 spacing at 1 still count. H is the horizon, or the lag where the constants
    at the head of this file stop it.

    One step costs: P and the weights are off by rho = gamma_{2 (m + 1) horizon} + closer relative
    (m the longest row of a P), the step by gamma_{m+3}, the average by gamma_{n+2}. In the row
    norm S has norm 1; in the 2-norm of |M| there is a factor sqrt(n max w / min w) more. The
    norm itself is off by 4 n^2 eps (n terms, or eigvalsh of M M^T, whose entries are n-term sums
    of size up to n ||M||^2).

    Args:
        table: the weights of the same topology, horizon and run, all positive.
    """
    # Small matrices gain nothing from BLAS threads, and lose much to them on a busy machine.
    with threadpool_limits(1, user_api="blas"):
        return _norms_by_lag(topology, table, horizon, run)


def _norms_by_lag(topology: Topology, table: WeightTable, horizon: int, run: int) -> Lags:
    n, period = topology.clients, topology.period
    starts = min(horizon, table.settled + (period or 1) - 1) + 1
    per_lag = float(starts * n**2)
    stop = min(horizon, max(1, int(BUDGET / per_lag)))
    tops = {norm: np.zeros(stop + 1) for norm in NORMS}
    contraction = dict.fromkeys(NORMS, 0.0)
    P = [topology.matrix(t, run) for t in range(period or horizon)]
    held = max(1, STACK // n**2)
    for low in range(0, starts, held):
        block = _lags(P, table, np.arange(low, min(low + held, starts)), horizon)
        for lag, (M, E, before) in enumerate(block):
            for norm, value in _norms(M, tops["spectral"][lag]).items():
                tops[norm][lag] = max(tops[norm][lag], value)
            tops["entry"][lag] = max(tops["entry"][lag], float(np.abs(E).max()))
            if low == 0 and lag > 0 and _enough(tops, M, before, lag, per_lag):
                stop = lag  # the other blocks go as far as this one
            if lag == stop:
                for norm, value in _norms(M * before[:, None, :], contraction["spectral"]).items():
                    contraction[norm] = max(contraction[norm], value)
                rows = float(np.abs(E).sum(axis=2).max())
                contraction["entry"] = max(contraction["entry"], rows)
                break
    terms = row_terms(topology, horizon, run)
    rho = rounding(2 * (terms + 1) * horizon) + table.closer
    g = 4 * (rho + rounding(terms + n + 8))
    heaviest, lightest = float(table.table.max()), float(table.table.min())
    inflow = max(float(A.sum(axis=1).max()) for A in P)
    factor = 1 + 4 * n**2 * float(np.finfo(float).eps)
    carry = heaviest * (1 + rho)
    return Lags(
        {norm: top[: stop + 1] * factor for norm, top in tops.items()},
        {norm: top * factor for norm, top in contraction.items()},
        stop == horizon,
        {"row": carry, "spectral": carry, "entry": float(n)},
        {
            "row": g,
            "spectral": g * float(np.sqrt(n * heaviest / lightest)),
            "entry": 2 * g * max(inflow, carry),
        },
    )


def _enough(tops: dict[str, Floats], M: Floats, before: Floats, lag: int, per_lag: float) -> bool:
    """True where later lags would cost more than they can sharpen the pair."""
    top = tops["row"][lag]
    if top < VANISHED:
        return True
    if lag * per_lag <= CHEAP or top >= DECAYED:
        return False
    # The tail asks for q >= q_min; what does that cost the pairs of the lags seen?
    N = _norms(M * before[:, None, :], 0.0)
    for norm in ("row", "spectral"):
        q_min = min(N[norm] ** (1 / lag), 1 - 1e-12)
        for first in (0, 1):
            seen = np.arange(first, lag + 1, dtype=float)
            heights = tops[norm][first : lag + 1]
            free, bound = smallest_envelope(seen, heights), smallest_envelope(seen, heights, q_min)
            if bound[0] / (1 - bound[1]) > SLACK * free[0] / (1 - free[1]):
                return False
    return True


def _lags(
    P: list[csr_array], table: WeightTable, starts: NDArray[np.int64], horizon: int
) -> Iterator[tuple[Floats, Floats, Floats]]:
    """For lag 0, 1, ...: M(s + lag, s), E(s + lag, s) (b, n, n) and w(s) (b, n), s inside.

    One ``push_mix`` is one lag for every s: x = E, w = w(t), so x1 = E and z1 = M one round on.
    The arrays are overwritten by the next lag.
    """
    n = table.table.shape[1]
    before = table.table[table.row[starts]]
    E, M = np.zeros((2, len(starts), n, n))
    M[:, np.arange(n), np.arange(n)] = 1 / before
    M -= 1 / n
    np.multiply(M, before[:, :, None], out=E)
    spare, there = np.empty_like(E), np.empty_like(before)
    shared = Mixing(P[0]) if len(P) == 1 else None
    held = max(1, CACHED // n**2)
    for lag in range(horizon - int(starts[0]) + 1):
        yield M, E, before
        m = int(np.count_nonzero(starts + lag < horizon))  # starts ascend: the first m stay
        if not m:
            return
        t = starts[:m] + lag
        here = np.ascontiguousarray(table.table[table.row[t]])
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
    columns = absolute.sum(axis=1).max(axis=1)
    absolute /= scale  # or the squares of entries of 1e-200 would vanish
    bound = scale * np.sqrt(np.einsum("bij,bij->b", absolute, absolute))
    bound = np.minimum(bound, np.sqrt(rows) * np.sqrt(columns)) * (1 + 1e-12)
    top = float(rows.max())
    if M.shape[1] > EXACT:
        return {"row": top, "spectral": float(bound.max())}
    order = np.argsort(-bound)
    for k in range(0, len(order), 16):
        part = order[k : k + 16]
        if bound[part[0]] <= known:
            break
        scaled = M[part] / scale
        squares = np.linalg.eigvalsh(scaled @ scaled.transpose(0, 2, 1))[:, -1]
        known = max(known, scale * float(np.sqrt(np.abs(squares).max())))
    return {"row": top, "spectral": known}
