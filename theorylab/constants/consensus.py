"""The consensus envelope: the pairs (C, q) with ||M(t, s)|| <= C q^(t - s).

Phi(t, s) = P(t-1) ... P(s), w(t) = Phi(t, 0) 1, M(t, s) = diag(1/w(t)) Phi(t, s) - 11^T/n: what
is left of a mass put in at round s when round t debiases it, less its average.

Norms: "row" is the largest row sum of absolute values, the inequality for each client;
"spectral" is the 2-norm, the inequality for the average over the clients; "entry" is
max_ij |Phi(t, s)_ij - phi_i(t)| with phi(t) = w(t) / n, the inequality before debiasing.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce

import numpy as np

from theorylab.constants._envelope import (
    LARGEST_ERROR,
    Pair,
    geometric_pair,
    upper_pair,
    which_lags,
    with_lags,
)
from theorylab.constants._graph import modulus_one
from theorylab.constants._products import EXACT, NORMS, Lags, norms_by_lag
from theorylab.constants._slow import WHAT, slow_envelope
from theorylab.constants._weight_table import UnsettledError, WeightTable
from theorylab.constants.sequence import window
from theorylab.known import How, Known
from theorylab.topologies import Topology

LAGS = ("all", "positive", "least")
_DENSE = 1024  # clients up to which eigenvalues of a dense matrix take no time


@dataclass(frozen=True)
class Envelope:
    """``consensus_pairs`` as a function of ``lags``, and delta where the same work gives it."""

    of: Callable[[str], dict[str, Pair]]
    least: Known | None = None

    def __call__(self, lags: str) -> dict[str, Pair]:
        if lags not in LAGS:
            raise ValueError(f"consensus: lags is {lags!r}; need one of {', '.join(LAGS)}")
        return self.of(lags)


def consensus_pairs(
    topology: Topology, horizon: int, run: int = 0, lags: str = "all"
) -> dict[str, Pair]:
    """Norm -> the pair (C, q) with the smallest C / (1 - q).

    Of a static or periodic topology it holds for all 0 <= s <= t, whatever ``horizon``; there is
    none where |lambda_2| of the product over a period is 1. Where no tail could be proven within
    the work that is allowed, and for a drawn topology, it holds for t <= ``horizon`` only, and
    ``within`` says so. ``pairs`` of both numbers is the curve of all valid pairs.

    Lags 0..H are computed. Beyond, S(t, r) = diag(1/w(t)) Phi(t, r) diag(w(r)) is row-stochastic,
    M(t, s) = S(t, r) M(r, s), and w(r)^T M(r, s) = 0. So

        M(t, s) = N(t, r) M(r, s),   N(t, r) = S(t, r) - 1 w(r)^T / n = M(t, r) diag(w(r)),

    and if ||N(r + H, r)|| <= q^H for every r, the envelope for lags below H carries over to all
    lags by induction. No q < |lambda_2| passes that, nor q = |lambda_2| with a defective block.

    The same for "entry": with E(t, s) = Phi(t, s) - phi(t) 1^T = diag(w(t)) M(t, s), 1^T E = 0 and
    P(t) phi(t) = phi(t + 1), so E(t, s) = Phi(t, r) E(r, s) = E(t, r) E(r, s), and the largest
    entry of a product is at most the largest row sum of |E(t, r)| times that of E(r, s). (For a
    static P phi(t) tends to the Perron vector; no other phi makes the left side vanish.)

    Of a static doubly stochastic P, M(t, s) = (P - 11^T/n)^(t-s), so the 2-norm has the pair
    (1, sigma_2); it is taken where it is the smallest up to 1 %, as for every normal P.

    Args:
        horizon: last round t of a drawn topology.
        run: the run of a drawn topology.
        lags: "all"; "positive" leaves out M(t, t) = diag(1/w(t)) - 11^T/n; "least" leaves it out
            for t > 0 only, where M(0, 0) = I - 11^T/n is what starting models meet.

    Returns:
        Upper bounds; (inf, inf) with the reason in ``source`` where no q < 1 is found.

    Raises:
        ValueError: if ``horizon`` < 1 or ``lags`` is unknown.
    """
    return envelope(topology, horizon, run)(lags)


def envelope(topology: Topology, horizon: int, run: int = 0) -> Envelope:
    """The products are made once, for every ``lags``."""
    if horizon < 1:
        raise ValueError(f"consensus: horizon is {horizon}; need >= 1")
    if topology.period is None:
        return Envelope(_inside(topology, horizon, run))
    if reason := never(topology, horizon, run):
        return Envelope(lambda lags: _none(reason))
    forever = _forever(topology, run)
    if all(q.finite for _, q in forever("all").values()):
        return forever
    return Envelope(_else(forever, _inside(topology, horizon, run)), forever.least)


def consensus_pair(
    topology: Topology, horizon: int, run: int = 0, norm: str = "spectral", lags: str = "all"
) -> Pair:
    """(C, q): |Phi(t, s) - w(t) 1^T / n| <= C q^(t - s) for all lags, in one norm.

    Args:
        topology: the network.
        horizon: the last round of a drawn one; the pair of a static or periodic one holds for all.
        run: the run of a drawn topology.
        norm: "spectral", "row" or "entry".
        lags: "all", "positive" or "least", see ``consensus_pairs``.

    Returns:
        C and q, each with how it is known; see ``consensus_pairs``.

    Raises:
        ValueError: on an unknown norm.

    >>> from theorylab.topologies import topology
    >>> C, q = consensus_pair(topology("directed-ring", 4), horizon=10)
    >>> 0.7 < q.value < 0.8, C.how.value
    (True, 'upper')
    """
    if norm not in NORMS:
        raise ValueError(f"consensus: norm is {norm!r}; need one of {', '.join(NORMS)}")
    return consensus_pairs(topology, horizon, run, lags)[norm]


def consensus_sample(
    topology: Topology, horizon: int, runs: int, lags: str = "all"
) -> dict[str, Pair]:
    """Norm -> the pair with the largest C / (1 - q) among runs 0..runs-1 of a drawn topology.

    An estimate: each run's pair is proven for that run alone, and an unseen run may need more.

    Raises:
        ValueError: if ``runs`` < 1, or as ``consensus_pairs``.
    """
    if runs < 1:
        raise ValueError(f"consensus_sample: runs is {runs}; need at least 1")
    seen = [consensus_pairs(topology, horizon, run, lags) for run in range(runs)]
    found: dict[str, Pair] = {}
    for norm in NORMS:
        slack = [
            C.value / (1 - q.value) if q.finite else math.inf
            for C, q in (pairs[norm] for pairs in seen)
        ]
        worst = slack.index(max(slack))
        C, q = seen[worst][norm]
        note = f"worst of {runs} runs, run {worst}, no bound for others: "
        found[norm] = (
            Known(C.value, How.ESTIMATE, note + C.source),
            Known(q.value, How.ESTIMATE, note + q.source),
        )
    return found


def _else(
    first: Callable[[str], dict[str, Pair]], second: Callable[[str], dict[str, Pair]]
) -> Callable[[str], dict[str, Pair]]:
    """Norm by norm, the pairs of ``second`` where ``first`` has none."""

    def pairs(lags: str) -> dict[str, Pair]:
        mine, other = first(lags), second(lags)
        return {norm: mine[norm] if mine[norm][1].finite else other[norm] for norm in NORMS}

    return pairs


def never(topology: Topology, horizon: int, run: int) -> str:
    """Why M of a static or periodic topology does not vanish; empty if it does."""
    joined = window(topology, horizon, run)
    if not joined.finite:
        return f"no q < 1: {joined.source}"
    product = reduce(
        lambda P, Q: Q @ P, (topology.matrix(t, run) for t in range(topology.period or 0))
    )
    reason = modulus_one(product)
    return f"no q < 1: |lambda_2| = 1: {reason}" if reason else ""


def _forever(topology: Topology, run: int) -> Envelope:
    """Pairs for all lags of a static or periodic topology."""
    if _averages_at_once(topology, 1, run):
        return Envelope(_inside(topology, topology.period or 1, run, "0 <= s <= t"))
    second = _second(topology)
    gain = _normal(topology, second)
    norms = NORMS if gain is None else ("row", "entry")

    def walked(lags: str) -> dict[str, Pair]:
        return {norm: _of_lags(topology, found, norm, lags, "0 <= s <= t", "") for norm in norms}

    try:
        slow = slow_envelope(topology, second)
        if slow is None:
            table = WeightTable(topology, None, run)
            if (empty := table.empty()) is not None:
                reason = f"no M: client {empty[0]} holds no weight at {empty[1]}"
                return Envelope(lambda lags: _none(reason))
            found = norms_by_lag(topology, table, None, run, norms, second or 0.0)
            if not all(q.finite for _, q in walked("all").values()):
                slow = slow_envelope(topology, second, walked=True)
    except UnsettledError as error:
        reason = str(error)
        return Envelope(lambda lags: _none(reason, How.UPPER))

    def pairs(lags: str) -> dict[str, Pair]:
        each = slow(lags) if slow else walked(lags)
        if gain is not None:
            each["spectral"] = geometric_pair(gain, lags)
        return each

    return Envelope(pairs, None if slow is None else slow.least())


def _inside(
    topology: Topology, horizon: int, run: int, scope: str = ""
) -> Callable[[str], dict[str, Pair]]:
    """Pairs for 0 <= s <= t <= horizon; ``scope``: where that is no restriction."""
    table = WeightTable(topology, horizon, run)
    if (empty := table.empty()) is not None:
        return lambda lags: _none(f"no M: client {empty[0]} holds no weight at round {empty[1]}")
    found = norms_by_lag(topology, table, horizon, run)
    within = "" if scope else f"rounds 0..{horizon}" + ("" if topology.period else f", run {run}")
    at_once = _averages_at_once(topology, horizon, run)  # a computed zero would not prove it
    text = scope or f"0 <= s <= t <= {horizon}" + ("" if topology.period else f", run {run}")
    return lambda lags: {
        norm: _of_lags(topology, found, norm, lags, text, within, at_once) for norm in NORMS
    }


def _of_lags(
    topology: Topology,
    found: Lags,
    norm: str,
    lags: str,
    scope: str,
    within: str,
    at_once: bool = False,
) -> Pair:
    heights = found.largest[norm].copy()
    last, n = len(heights) - 1, topology.clients
    q_min, tail = 0.0, "all lags computed"
    if at_once:
        heights[1:] = 0.0
        tail = "every P(t) has equal columns, so M = 0 from lag 1 on"
    elif not found.whole:
        contraction = found.contraction[norm] * (1 + LARGEST_ERROR)
        if contraction >= 1:
            return _none(
                f"no q < 1 found: ||N(r + {last}, r)|| is up to {contraction:.6g}, and < 1 is "
                "needed to go on",
                How.UPPER,
            )[norm]
        q_min = contraction ** (1 / last) * (1 + 1e-14)
        tail = f"lags 0..{last} computed, the rest from ||N|| <= {contraction:.3g} = q_min^{last}"
    if not all(np.isfinite(each).all() for each in found.largest.values()):
        return _none("a norm of M is beyond float64", How.UPPER)[norm]
    heights = with_lags(heights, lags, norm, n)
    pairs = found.pairs(norm, heights, q_min, exact=at_once)
    if not math.isfinite(pairs.smallest[0]):
        return _none("rounding may have changed the products by more than 0.1 %", How.UPPER)[norm]
    what = WHAT[norm]
    if norm == "spectral" and n > EXACT:
        what = "min(||M||_F, sqrt(||M||_1 ||M||_inf)) >= ||M||_2"
    source = f"smallest C/(1-q) with {what} <= C q^(t-s), {scope}{which_lags(lags)}; {tail}; "
    return upper_pair(pairs, f"{source}rounding included", within)


def _second(topology: Topology) -> float | None:
    """|lambda_2| for one round, as float64 has it; None where that takes long."""
    period = topology.period or 1
    if topology.clients > _DENSE or topology.clients == 1:
        return None
    product = reduce(lambda P, Q: Q @ P, (topology.matrix(t) for t in range(period)))
    moduli = np.sort(np.abs(np.linalg.eigvals(product.toarray())))
    return math.pow(float(moduli[-2]), 1 / period)


def _normal(topology: Topology, second: float | None) -> float | None:
    """sigma_2 of a static doubly stochastic P where it is |lambda_2| but for 1 % of 1 - it.

    From above: singular values of an (n, n) matrix of norm at most 1 are right to 4 n eps.
    """
    n = topology.clients
    if topology.period != 1 or second is None:
        return None
    P = topology.matrix(0).toarray()
    if np.abs(P.sum(axis=1) - 1).max() > n * np.finfo(float).eps:
        return None
    gain: float = float(np.linalg.norm(P - 1 / n, 2)) + 4 * n * float(np.finfo(float).eps)
    return gain if gain < 1 and 1 - gain >= 0.99 * (1 - second) else None


def _averages_at_once(topology: Topology, horizon: int, run: int) -> bool:
    """Every P(t) is p 1^T, so Phi(t, s) = w(t) 1^T / n for t > s, whatever was before."""
    n = topology.clients
    for t in range(topology.period or horizon):
        P = topology.matrix(t, run)
        if P.nnz < n * n or not np.all(P.data.reshape(n, n) == P.data.reshape(n, n)[:, :1]):
            return False
    return True


def _none(reason: str, how: How = How.EXACT) -> dict[str, Pair]:
    inf = Known(math.inf, how, reason)
    return dict.fromkeys(NORMS, (inf, inf))
