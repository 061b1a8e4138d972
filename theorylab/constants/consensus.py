"""The consensus envelope: the pair (C, q) with ||M(t, s)|| <= C q^(t - s), C / (1 - q) smallest.

Phi(t, s) = P(t-1) ... P(s), w(t) = Phi(t, 0) 1, M(t, s) = diag(1/w(t)) Phi(t, s) - 11^T/n: what
is left of a mass put in at round s when round t debiases it, less its average.

Norms: "row" is the largest row sum of absolute values, the inequality for each client;
"spectral" is the 2-norm, the inequality for the average over the clients; "entry" is
max_ij |Phi(t, s)_ij - phi_i(t)| with phi(t) = w(t) / n, the inequality before debiasing.
"""

from __future__ import annotations

import math

import numpy as np

from theorylab.constants._envelope import smallest_envelope
from theorylab.constants._products import EXACT, NORMS, Lags, WeightTable, norms_by_lag
from theorylab.constants.sequence import window
from theorylab.known import How, Known
from theorylab.topologies import Topology

Pair = tuple[Known, Known]
INFLATION = 1e-9
LARGEST_ERROR = 1e-3  # the tail's q allows for this much: its H-th root is nothing


def consensus_pairs(
    topology: Topology, horizon: int, run: int = 0, first_lag: int = 0
) -> dict[str, Pair]:
    """Norm -> (C, q), valid for all 0 <= s <= t <= horizon with t - s >= first_lag.

    Lags 0..H are computed. Beyond, S(t, r) = diag(1/w(t)) Phi(t, r) diag(w(r)) is row-stochastic,
    M(t, s) = S(t, r) M(r, s), and w(r)^T M(r, s) = 0. So

        M(t, s) = N(t, r) M(r, s),   N(t, r) = S(t, r) - 1 w(r)^T / n = M(t, r) diag(w(r)),

    and if ||N(r + H, r)|| <= q^H for every r, the envelope for lags below H carries over to all
    lags by induction. Where the horizon is not reached, q is taken at least that large.

    The same for "entry": with E(t, s) = Phi(t, s) - phi(t) 1^T = diag(w(t)) M(t, s), 1^T E = 0 and
    P(t) phi(t) = phi(t + 1), so E(t, s) = Phi(t, r) E(r, s) = E(t, r) E(r, s), and the largest
    entry of a product is at most the largest row sum of |E(t, r)| times that of E(r, s). (For a
    static P phi(t) tends to the Perron vector; no other phi makes the left side vanish.)

    C is larger than the minimum by the rounding error of the products (``Lags.error``) and by
    1e-9 for whoever evaluates C q^l: l multiplications, and logarithms good to 1e-14.

    Args:
        horizon: last round t.
        run: the run of a drawn topology.
        first_lag: 0, or 1 to leave out M(t, t) = diag(1/w(t)) - 11^T/n.

    Returns:
        Upper bounds; (inf, inf) with the reason in ``source`` where no q < 1 is found.

    Raises:
        ValueError: if ``horizon`` < 1 or ``first_lag`` is neither 0 nor 1.
    """
    if horizon < 1 or first_lag not in (0, 1):
        raise ValueError(
            f"consensus: horizon is {horizon}, first_lag {first_lag}; need >= 1 and 0 or 1"
        )
    if topology.period is not None:
        joined = window(topology, horizon, run)
        if not joined.finite:
            return _none(f"no q < 1: {joined.source}")
    table = WeightTable(topology, horizon, run)
    if (empty := table.empty()) is not None:
        return _none(f"no M: client {empty[0]} holds no weight at round {empty[1]}")
    lags = norms_by_lag(topology, table, horizon, run)
    return {norm: _pair(topology, lags, norm, horizon, run, first_lag) for norm in NORMS}


def consensus_pair(
    topology: Topology, horizon: int, run: int = 0, norm: str = "spectral", first_lag: int = 0
) -> Pair:
    """(C, q) in one norm; see ``consensus_pairs``. ValueError on an unknown norm."""
    if norm not in NORMS:
        raise ValueError(f"consensus: norm is {norm!r}; need one of {', '.join(NORMS)}")
    return consensus_pairs(topology, horizon, run, first_lag)[norm]


def consensus_sample(
    topology: Topology, horizon: int, runs: int, first_lag: int = 0
) -> dict[str, Pair]:
    """Norm -> the pair with the largest C / (1 - q) among runs 0..runs-1 of a drawn topology.

    An estimate: each run's pair is proven for that run alone, and an unseen run may need more.

    Raises:
        ValueError: if ``runs`` < 1, or as ``consensus_pairs``.
    """
    if runs < 1:
        raise ValueError(f"consensus_sample: runs is {runs}; need at least 1")
    seen = [consensus_pairs(topology, horizon, run, first_lag) for run in range(runs)]
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


def _pair(
    topology: Topology, lags: Lags, norm: str, horizon: int, run: int, first_lag: int
) -> Pair:
    heights = lags.largest[norm].copy()
    last = len(heights) - 1
    q_min, tail = 0.0, "all lags computed"
    at_once = _averages_at_once(topology, horizon, run)
    if at_once:  # a computed zero would not prove it
        heights[1:] = 0.0
        tail = "every P(t) has equal columns, so M = 0 from lag 1 on"
    elif not lags.whole:
        contraction = lags.contraction[norm] * (1 + LARGEST_ERROR)
        if contraction >= 1:
            return _none(
                f"no q < 1 found: ||N(r + {last}, r)|| is up to {contraction:.6g}, and < 1 is "
                "needed to go on",
                How.UPPER,
            )[norm]
        q_min = contraction ** (1 / last) * (1 + 1e-14)
        tail = f"lags 0..{last} computed, the rest from ||N|| <= {contraction:.3g} = q_min^{last}"
    C, q = smallest_envelope(
        np.arange(first_lag, last + 1, dtype=float), heights[first_lag:], q_min
    )
    # The error bound needs an envelope of M from lag 0 on: N(r, r) is part of its argument.
    error = 0.0 if at_once else lags.error(norm, max(C, float(heights[0])), q)
    if error > LARGEST_ERROR:
        return _none(f"rounding may have changed the products by {error:.3g}", How.UPPER)[norm]
    scope = f"0 <= s <= t <= {horizon}" + ("" if topology.period else f", run {run}")
    if first_lag:
        scope += ", t > s"
    what = {
        "row": "largest row sum of |M|",
        "spectral": "||M||_2"
        if topology.clients <= EXACT
        else "min(||M||_F, sqrt(||M||_1 ||M||_inf)) >= ||M||_2",
        "entry": "largest |Phi(t,s)_ij - w_i(t)/n|",
    }[norm]
    source = f"smallest C/(1-q) with {what} <= C q^(t-s), {scope}; {tail}; rounding included"
    return (
        Known(C * (1 + error) * (1 + INFLATION), How.UPPER, source),
        Known(q, How.UPPER, source),
    )


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
