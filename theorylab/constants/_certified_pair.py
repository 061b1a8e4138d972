"""Enclosures of the consensus envelope C q^l >= ||M(s + l, s)||, proven in ball arithmetic.

Phi(t, s) = P(t-1) ... P(s), w(t) = Phi(t, 0) 1, M(t, s) = diag(1/w(t)) Phi(t, s) - 11^T/n.

Phi is an exact integer matrix over an integer; w a ball. A static or periodic sequence has as many
starts as the horizon, but Phi(s + l, s) depends on the phase of s only, and w settles. With
w(s') = w(s) + eps for s' = s + k period, and since Phi w = w and 1^T eps = 0,

    M(s'+l, s') = diag(w(s+l) / w(s'+l)) M(s+l, s) (I - eps 1^T / n),

so all later starts cost a factor: with e = max |eps / w(s)|, W = max w, it is at most
spread(s + l) (1 + e W) in both norms, spread(t) = max over t' = t + k period of w(t) / w(t').
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import arb, arb_mat, ctx, fmpz_mat
from threadpoolctl import threadpool_limits

from theorylab.constants._certified_matrix import ExactSequence, above, below
from theorylab.constants._certified_norms import (
    Ends,
    RefusedError,
    identity,
    row_norm,
    row_norm_ends,
    two_norm,
)
from theorylab.constants._envelope import smallest_envelope

LARGEST = 32  # clients
ROUNDS = 20_000  # weights kept
BUDGET = 2000  # matrices whose 2-norm is enclosed, some 5 ms each
BITS = 256
DECAYS = (1e-12, 1e-6, 1e-3, 0.5)  # lags go on until the row norm is below; the first affordable
DIGITS = 40_000  # bits of the integers that Phi is made of
SETTLED = 1e-9  # later weights may differ by this, relative
NORMS = ("row", "spectral")


@dataclass(frozen=True)
class Envelope:
    """q (a float64, exact) and the enclosed smallest C for it: max over lags of height / q^l."""

    q: float
    lower: float
    upper: float
    lags: int
    whole: bool


class Weights:
    """w(0..horizon) in balls, and what later weights of the same phase can differ by.

    Attributes:
        settled: starts from here on stand for all later ones of their phase.
    """

    def __init__(self, sequence: ExactSequence, horizon: int, period: int | None) -> None:
        self.horizon, self.period = horizon, period
        n = sequence.at(0).clients
        # At a period's matrices only: a drawn sequence would be built twice for nothing.
        flat = period is not None and all(sequence.at(t).doubly_stochastic() for t in range(period))
        self.rows: list[list[Any]] = [[arb(1)] * n]
        w = arb_mat(n, 1, [1] * n)
        for t in range(0 if flat else horizon):
            P = sequence.at(t)
            w = arb_mat(P.numerators) * w / P.denominator
            self.rows.append(w.entries())
            if not all(v > 0 for v in self.rows[-1]):
                raise RefusedError(f"a client holds no weight at round {t + 1}")
        self.flat = flat
        self.floats = np.array([[float(v) for v in row] for row in self.rows])
        self.settled = horizon
        self._spread: dict[int, Any] = {}

    def at(self, t: int) -> list[Any]:
        """w(t), n balls."""
        return self.rows[0] if self.flat else self.rows[t]

    def settle(self, most: int) -> None:
        """Choose ``settled``: where the weights stay within ``SETTLED``, but at most ``most``."""
        self._spread = {}
        if self.period is None:
            return
        if self.flat:
            self.settled = 0
            return
        last, need = self.horizon, 0
        for phase in range(self.period):
            part = self.floats[phase :: self.period]
            high = np.maximum.accumulate(part[::-1])[::-1]
            low = np.minimum.accumulate(part[::-1])[::-1]
            wide = np.flatnonzero((high / low - 1).max(axis=1) > SETTLED)
            if len(wide):
                need = max(need, phase + self.period * (int(wide[-1]) + 1))
        self.settled = max(0, min(need, most, last))

    def spread(self, t: int) -> Any:
        """At least w_i(t) / w_i(t') and w_i(t') / w_i(t) for all t' = t + k period; 1 if alone."""
        if self.flat or self.period is None or t < self.settled:
            return arb(1)
        # Over the whole class t' >= settled, so that one number serves every t of it.
        first = self.settled + (t - self.settled) % self.period
        if first not in self._spread:
            found = arb(1)
            rows = self.rows[first :: self.period]
            for i in range(len(rows[0])):
                high, low = rows[0][i], rows[0][i]
                for row in rows[1:]:
                    high, low = high.max(row[i]), low.min(row[i])
                found = found.max(arb((high / low).abs_upper()))
            self._spread[first] = found
        return self._spread[first]

    def later(self, s: int, lag: int) -> tuple[Any, Any]:
        """Factors on ||M|| and ||N|| that cover all later starts of the phase of s; >= 1.

        N(t, r) = M(t, r) diag(w(r)) has diag(w(s') / w(s)) - (eps / w(s)) w(s')^T / n on its right
        side instead: at most 1 + 2 e in the row norm and 1 + e + e sqrt(W) in the 2-norm, since
        the w(s') sum up to n, so that ||w(s')||_2 <= sqrt(n W).
        """
        if self.flat or self.period is None or s < self.settled:
            return arb(1), arb(1)
        # |w(s') - w(s)| / w(s) is at most spread - 1 on both sides: 1 - 1/spread is smaller.
        e = self.spread(s) - 1
        W = max((v for v in self.at(s)), key=lambda v: above(v)) * self.spread(s)
        W = arb(max(1.0, above(W)))
        target = self.spread(s + lag)
        return target * (1 + e * W), target * (1 + e + e * W)


@dataclass
class Heights:
    """Lag -> (lower, upper) of the largest norm, and the upper limit of ||N|| at the last lag."""

    ends: list[Ends]
    contraction: Any


def envelopes(
    sequence: ExactSequence, horizon: int, period: int | None, clients: int
) -> dict[str, Envelope]:
    """Norm -> envelope valid for all 0 <= s <= t <= horizon.

    Lags 0..H are enclosed one by one. Beyond, M(t, s) = N(t, r) M(r, s) (``consensus_pairs``), so
    q with ||N(r + H, r)|| <= q^H for all r carries on; for H = horizon there is nothing beyond.

    Raises:
        RefusedError: where that is too much work, or no q < 1 is found.
    """
    if clients > LARGEST:
        raise RefusedError(f"n is {clients}; need n <= {LARGEST}")
    if horizon > ROUNDS:
        raise RefusedError(f"horizon is {horizon}; need at most {ROUNDS}")
    # The approximate eigenvectors are small: BLAS threads cost more than they bring.
    with ctx.workprec(BITS), threadpool_limits(1, user_api="blas"):
        weights = Weights(sequence, horizon, period)
        last = _last_lag(sequence, weights)
        starts = min(horizon, weights.settled + (period or 1) - 1) + 1
        heights = _heights(sequence, weights, starts, last)
        return {norm: _envelope(heights[norm], last, horizon) for norm in NORMS}


def _last_lag(sequence: ExactSequence, weights: Weights) -> int:
    horizon, period = weights.horizon, weights.period
    lags = dict.fromkeys(DECAYS, horizon)
    reach = max(1, DIGITS // max(1, sequence.at(0).denominator.bit_length()))
    for lag, product in _products(sequence, 0, min(horizon, BUDGET, reach)):
        size = above(row_norm(_debiased(product, weights.at(lag)))) if product else 0.0
        for decay in DECAYS:
            if size < decay and lag > 0:
                lags[decay] = min(lags[decay], lag)
        if size < DECAYS[0]:
            break
    else:
        if lag < horizon:
            lags = {decay: found for decay, found in lags.items() if found < horizon}
    for last in lags.values():
        allowed = BUDGET // (last + 1)
        if period is None:
            if horizon + 1 <= allowed:
                return last
            continue
        weights.settle(allowed - period)
        if weights.settled + period <= allowed and _close(weights):
            return last
    raise RefusedError(
        f"horizon {horizon}: more than {BUDGET} matrices to enclose before the products contract"
    )


def _close(weights: Weights) -> bool:
    period = weights.period or 1
    rounds = range(weights.settled, min(weights.settled + period, weights.horizon + 1))
    return all(above(weights.spread(t)) < 1.01 for t in rounds)


def _heights(
    sequence: ExactSequence, weights: Weights, starts: int, last: int
) -> dict[str, Heights]:
    zero = arb(0)
    found = {norm: Heights([(zero, zero)] * (last + 1), zero) for norm in NORMS}
    step = weights.period or starts
    for phase in range(min(step, starts)):
        for lag, product in _products(sequence, phase, min(last, weights.horizon - phase)):
            if product is None:
                continue  # M = 0 exactly
            for s in range(phase, min(starts, weights.horizon - lag + 1), step):
                M = _debiased(product, weights.at(s + lag))
                _raise(found, lag, M, weights.later(s, lag)[0])
                if lag == last and last < weights.horizon:
                    N = _scaled(M, weights.at(s))
                    factor = weights.later(s, lag)[1]
                    for norm, (_, high) in (("row", row_norm_ends(N)), ("spectral", two_norm(N))):
                        top = found[norm]
                        top.contraction = top.contraction.max((high * factor).upper())
    return found


def _raise(found: dict[str, Heights], lag: int, M: Any, factor: Any) -> None:
    for norm, (low, high) in (("row", row_norm_ends(M)), ("spectral", two_norm(M))):
        lower, upper = found[norm].ends[lag]
        found[norm].ends[lag] = (lower.max(low), upper.max((high * factor).upper()))


def _products(sequence: ExactSequence, start: int, last: int) -> Iterator[tuple[int, Any]]:
    """(lag, (integers, denominator)) of Phi(start + lag, start); None from where M = 0 for good.

    If the columns of Phi(t, s) are all equal to p, then w(t) = Phi w(s) = n p and M = 0, for this
    and all longer lags. That is decided in integers.
    """
    n = sequence.at(start).clients
    product, denominator = fmpz_mat(n, n, identity(n)), 1
    averaged = False
    for lag in range(last + 1):
        if lag and not averaged:
            P = sequence.at(start + lag - 1)
            product, denominator = P.numerators * product, denominator * P.denominator
        averaged = averaged or all(len(set(row)) == 1 for row in product.tolist())
        yield lag, None if averaged else (product, denominator)


def _debiased(product: tuple[Any, int], w: list[Any]) -> Any:
    integers, denominator = product
    n = len(w)
    share = arb(1) / n
    rows = []
    for weight, row in zip(w, integers.tolist(), strict=True):
        inverse = 1 / (weight * denominator)
        rows.append([v * inverse - share for v in row])
    return arb_mat(rows)


def _scaled(M: Any, w: list[Any]) -> Any:
    return arb_mat([[v * weight for v, weight in zip(row, w, strict=True)] for row in M.tolist()])


def _envelope(heights: Heights, last: int, horizon: int) -> Envelope:
    q_min = 0.0
    if last < horizon and heights.contraction > 0:
        if not heights.contraction < 1:
            raise RefusedError("no q < 1 found: ||N|| is not proven to be below 1")
        q_min = above((heights.contraction.log() / last).exp())
        if q_min >= 1:
            raise RefusedError("no q < 1 found: ||N|| is too close to 1")
    tops = np.array([above(high) for _, high in heights.ends])
    _, q = smallest_envelope(np.arange(last + 1, dtype=float), tops, q_min)
    if q == 0:
        if any(tops[1:]):
            raise RefusedError("q = 0, but M is not zero")
        low, high = heights.ends[0]
    else:
        powers = [arb(q) ** lag for lag in range(last + 1)]
        low = high = arb(0)
        for power, (lower, upper) in zip(powers, heights.ends, strict=True):
            low, high = low.max((lower / power).lower()), high.max((upper / power).upper())
    return Envelope(q, max(0.0, below(low)), above(high), last, last == horizon)
