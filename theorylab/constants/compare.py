"""Formula vs tight vs |lambda_2|: how many orders of magnitude a printed formula gives away.

An envelope C q^lag stands above ||M(s + lag, s)||, see ``consensus``. What a bound pays for it is
C / (1 - q), and a mass put in at round s is averaged to 1e-3 after ln(1000 C) / -ln q rounds.

The norms are not all the same: the tight pair is for the 2-norm, the lemma of ``sgp`` for a
client's distance, DePRL for single entries. An entry is at most the 2-norm, so DePRL's slack is
at least the one given here.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import mpmath
import numpy as np
from numpy.typing import NDArray

from theorylab.constants._printed import DIGITS
from theorylab.constants._products import EXACT, norms_by_lag
from theorylab.constants._weight_table import WeightTable
from theorylab.known import How, Known
from theorylab.topologies import Topology

TIGHT, SPECTRUM = "tight", "|lambda_2|"
_PAIRS = ((TIGHT, "C", "q"), ("SGP lemma", "C_sgp", "q_sgp"), ("DePRL", "C_deprl", "q_deprl"))
TARGET = 1e-3
_NEGLIGIBLE = 1e-12  # of the height at lag 0: what a plot need not show


@dataclass(frozen=True)
class Slack:
    """One envelope C q^lag of a topology. Where there is none all numbers are None.

    Attributes:
        envelope: "tight", "|lambda_2|" (C = 1: a rate, no bound), "SGP lemma" or "DePRL".
        log10_c, log10_q: q = 0 has a log10_q of -inf.
        log10_gap: of 1 - q.
        log10_ratio: of C / (1 - q).
        log10_rounds: of the lag, not rounded to an integer, where C q^lag = 1e-3; -inf for lag 0.
        orders: log10_ratio less that of the tight pair.
        how: of C, for |lambda_2| of the eigenvalue.
        source: where C, or the eigenvalue, comes from; why there is none.
    """

    envelope: str
    log10_c: float | None
    log10_q: float | None
    log10_gap: float | None
    log10_ratio: float | None
    log10_rounds: float | None
    orders: float | None
    how: How
    source: str

    def heights(self, lags: NDArray[np.float64]) -> NDArray[np.float64] | None:
        """log10 of C q^lag, shape of ``lags``, with 0^0 = 1; None if there is no envelope."""
        if self.log10_c is None or self.log10_q is None:
            return None
        if self.log10_q == -math.inf:
            return np.where(lags == 0, self.log10_c, -math.inf)
        return np.asarray(self.log10_c + lags * self.log10_q)


@dataclass(frozen=True)
class Contraction:
    """max over s of ||M(s + lag, s)|| as computed.

    Attributes:
        lags: 0, 1, ..., shape (k,). log10: of the norm, shape (k,), -inf where it is 0.
        norm: which one.
    """

    lags: NDArray[np.float64]
    log10: NDArray[np.float64]
    norm: str


def slack_table(topology: Topology, known: Mapping[str, Known]) -> list[Slack]:
    """One row an envelope: tight, |lambda_2|, SGP lemma, DePRL.

    Args:
        known: of ``topology_constants``, or what replaces it: C, q, lambda2, spectral_gap,
            C_sgp, q_sgp, gap_sgp, C_deprl, q_deprl, gap_deprl.
    """
    with mpmath.workdps(DIGITS):
        rows = [_pair(name, known, C, q) for name, C, q in _PAIRS]
        tight = rows[0].log10_ratio
        rows.insert(1, _spectral(topology, known))
    return [_against(row, tight) for row in rows]


def contraction(topology: Topology, horizon: int, run: int = 0) -> Contraction:
    """The measured side, up to the lag where the norm is 1e-12 of that at lag 0.

    Raises:
        ValueError: if ``horizon`` < 1, or a client holds no weight, so that there is no M.
    """
    if horizon < 1:
        raise ValueError(f"contraction: horizon is {horizon}; need at least 1")
    table = WeightTable(topology, horizon, run)
    if (empty := table.empty()) is not None:
        client, t = empty
        raise ValueError(f"contraction: client {client} has weight 0 at round {t}; need w > 0")
    heights = norms_by_lag(topology, table, horizon, run).largest["spectral"]
    small = np.flatnonzero(heights <= _NEGLIGIBLE * heights[0])
    heights = heights[: small[0] + 1] if len(small) else heights
    with np.errstate(divide="ignore"):
        log10 = np.log10(heights)
    norm = "2-norm" if topology.clients <= EXACT else "bound on the 2-norm"
    return Contraction(np.arange(len(heights), dtype=float), log10, norm)


def _pair(name: str, known: Mapping[str, Known], C: str, q: str) -> Slack:
    if not (known[C].finite and known[q].finite):
        return _nothing(name, known[C])
    gap_known = known.get(q.replace("q", "gap", 1)) if q != "q" else None
    log_C, value = known[C].log10, known[q].value
    if gap_known is not None and gap_known.log10 is not None:
        gap = mpmath.mpf(10) ** gap_known.log10
    else:
        gap = 1 - mpmath.mpf(value)
    if log_C is None:  # C = 0: one client
        return _nothing(name, known[C])
    return _row(name, mpmath.mpf(10) ** log_C, gap, known[C])


def _spectral(topology: Topology, known: Mapping[str, Known]) -> Slack:
    second = known["lambda2"]
    value, n = second.value, topology.clients
    if value >= 1 or not second.finite:
        return _nothing(SPECTRUM, second)
    source = second.source
    if value <= n * np.finfo(float).eps and second.how is How.UPPER:
        value, source = 0.0, f"0 within rounding; {source}"
    gap = mpmath.mpf(known["spectral_gap"].value) if value else mpmath.mpf(1)
    period = topology.period or 1
    if period > 1:  # a rate for one round
        gap = -mpmath.expm1(mpmath.log1p(-gap) / period) if gap < 1 else gap
    # With C = 1 a bound on the rate bounds no product.
    how = How.ESTIMATE if second.how is How.UPPER else second.how
    return _row(SPECTRUM, mpmath.mpf(1), gap, Known(second.value, how, source))


def _row(name: str, C: mpmath.mpf, gap: mpmath.mpf, known: Known) -> Slack:
    if gap <= 0:
        return _nothing(name, known)
    log_q = mpmath.log1p(-gap) if gap < 1 else -mpmath.inf
    excess = mpmath.log(C) - mpmath.log(TARGET)
    rounds = mpmath.mpf(1) if gap == 1 else excess / -log_q  # q = 0: nothing is left at lag 1
    log10_rounds = float(mpmath.log10(rounds)) if excess > 0 else -math.inf
    return Slack(
        name,
        float(mpmath.log10(C)),
        float(log_q / mpmath.log(10)) if gap < 1 else -math.inf,
        float(mpmath.log10(gap)),
        float(mpmath.log10(C / gap)),
        log10_rounds,
        None,
        known.how,
        known.source,
    )


def _nothing(name: str, known: Known) -> Slack:
    return Slack(name, None, None, None, None, None, None, known.how, known.source)


def _against(row: Slack, tight: float | None) -> Slack:
    if row.log10_ratio is None or tight is None:
        return row
    return replace(row, orders=row.log10_ratio - tight)
