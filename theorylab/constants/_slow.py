"""Envelopes of one matrix whose lags are too many to walk, or whose weights lie too far apart.

The lags of a walk are some 1 / gap, and so are its starts, and float64 loses a matrix whose Perron
vector spans many powers of ten. See ``_recurrence`` for what is done in place of that.
"""

from __future__ import annotations

import math

import numpy as np

from theorylab.constants._certified_matrix import exact_matrix
from theorylab.constants._envelope import Floats, Pair, upper_pair, which_lags, with_lags
from theorylab.constants._powers import WORK, Powers, UnresolvedError
from theorylab.constants._products import CALLS, DECAYED
from theorylab.constants._recurrence import NORMS, Recurrence
from theorylab.constants._weight_table import SETTLED, UnsettledError
from theorylab.known import EPS, How, Known
from theorylab.topologies import Topology

LARGEST = 64  # clients
LONG = 2e6  # entries of M that a walk would look at until they are ``DECAYED``
APART = 100.0  # the largest entry of pi over the smallest, as far as float64 has them

WHAT = {
    "row": "largest row sum of |M|",
    "spectral": "||M||_2",
    "entry": "largest |Phi(t,s)_ij - w_i(t)/n|",
}


def slow_envelope(
    topology: Topology, second: float | None, walked: bool = False
) -> SlowEnvelope | None:
    """Of a strongly connected, aperiodic topology; None where a walk does as well.

    Args:
        second: |lambda_2| for one round as float64 has it; None where it was not looked for.
        walked: a walk was tried in vain.

    Raises:
        UnsettledError: no tail is found, and a walk would be too long to find one.
    """
    n = topology.clients
    if topology.period != 1 or second is None or not 1 < n <= LARGEST:
        return None
    P = topology.matrix(0)
    starts = _starts(P.toarray(), second)
    if not walked and _rounds(DECAYED, second) * (starts * n**2 + CALLS) <= LONG:
        return None
    exact = exact_matrix(P)
    try:
        norms = Recurrence(Powers(exact), second)
    except UnresolvedError as error:
        raise UnsettledError(str(error)) from error
    if norms.tail is not None and (norms.sharp or starts > 1 or walked):
        return SlowEnvelope(norms, n, exact.rule)
    if starts == 1:  # the walk of one start is long, but not dear
        return None
    raise UnsettledError(f"no q < 1 found within {WORK:,} multiplications of balls")


def _starts(P: Floats, second: float) -> float:
    """How many starts a walk takes; inf where float64 may lose the weights."""
    n = len(P)
    if np.abs(P.sum(axis=1) - 1).max() <= n * EPS:
        return 1.0
    pi = np.linalg.solve(np.eye(n) - P + 1 / n, np.full(n, 1 / n))
    return _rounds(SETTLED, second) if pi.min() * APART > pi.max() else math.inf


def _rounds(share: float, second: float) -> float:
    """After how many rounds second^rounds = share."""
    if second <= 0:
        return 1.0
    return math.log(share) / math.log(second) if second < 1 else math.inf


class SlowEnvelope:
    """The pairs of all lags, for every choice of ``lags``, and delta."""

    def __init__(self, norms: Recurrence, n: int, rule: str) -> None:
        self._norms, self._n, self._rule = norms, n, rule
        self._heights: dict[str, Floats] = norms.heights()
        self._refined: set[int] = set()

    def __call__(self, lags: str) -> dict[str, Pair]:
        return {norm: self._pair(norm, lags) for norm in NORMS}

    def _pair(self, norm: str, lags: str) -> Pair:
        heights = with_lags(self._heights[norm], lags, norm, self._n)
        known = self._refined | ({0} if lags == "least" else set())  # 0 for these ``lags`` alone
        pairs = self._norms.pairs(norm, heights, refined := {*known})
        for lag in refined - known if norm == "spectral" else ():
            self._heights[norm][lag] = heights[lag]
            self._refined.add(lag)
        return upper_pair(
            pairs,
            f"smallest C/(1-q) with {WHAT[norm]} <= C q^(t-s), 0 <= s <= t{which_lags(lags)}; "
            f"{self._norms.tail_text(norm)}; in balls; {self._rule}",
        )

    def least(self) -> Known:
        """delta: the infimum of all weights."""
        low, high, where = self._norms.least_weight()
        return Known(
            max(0.0, low),
            How.LOWER,
            f"min of P(t-1)...P(0) 1 over all t, {where}, less rounding",
            lower=max(0.0, low),
            upper=high,
        )
