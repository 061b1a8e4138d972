"""The sums behind mu_{alpha,beta} and mu_{1,0} (pdbo, Lemmas 7 and 9, Theorems 8 and 10)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from theorylab.experiments._base import Observation, Row, check_column
from theorylab.experiments._plain import Plain, Spot
from theorylab.experiments.pdbo._base import PdboExperiment, exacts
from theorylab.known import UNIT, Known

MOST = 10**6  # terms of a sum: a second
_BIAS_SUM = """
g, slow, power, measured = 1 - beta + beta * eta, 0.0, 1.0, 0.0
for _ in range(last):
    slow, power = alpha * slow + power, power * g  # (alpha^k - g^k) / (alpha - g), g^k
    measured += (1 - alpha) * beta * slow
"""


@dataclass(kw_only=True, eq=False)
class HgpSeries(PdboExperiment, name="hgp-series"):
    """For every eta_A of ``eta``, no randomness: two sums term by term, and what they tend to.

    With g = 1 - beta + beta eta_A, k = M - i and M = ``last``:

        vr_sum    8 sum_{k=0}^M ((1-alpha) alpha^k)^2 + 8 sum_{k=1}^M (eta_A s_k)^2,
                  s_k = (1-alpha) beta sum_{j=1}^k alpha^(k-j) g^(j-1): lines 734 to 736, without
                  what is dropped there as exp(-O(M)), over eta_B^2 S / (kappa (1-eta_A))^2
        hgp_sum   8 (1-eta_A)^2 sum_{i=0}^M (1 + eta_A^2/(1-eta_A)^2) eta_A^{2i}: Theorem 10's
        bias_sum  (1-alpha) beta sum_{k=1}^M (alpha^k - g^k) / (alpha - g): line 885 over L_y G
                  eta_B / (1-eta_A), without what is dropped there as exp(-O(M))
        ratio     mu_{alpha,beta} / mu_{1,0} of Appendix C.5, what Figure 1 compares: the closed
                  forms, the root of the limits' ratio (of partial sums the ratio may be smaller)

    The sums are partial sums of positive terms: they stay below their limits. Raises ValueError on
    numbers out of range.
    """

    columns = ("vr_sum", "hgp_sum", "bias_sum", "ratio")

    eta: Sequence[float] = (0.1, 0.5, 0.9)
    alpha: float = 0.9
    beta: float = 0.1
    last: int = 4000

    def __post_init__(self) -> None:
        eta, last = self.eta, self.last
        numbers = isinstance(eta, Sequence) and all(isinstance(each, float) for each in eta)
        inside = numbers and bool(eta) and all(0 < each < 1 for each in eta)
        self.need(inside, "eta", "numbers in (0, 1)")
        self.need(0 < self.alpha < 1 and 0 < self.beta < 1, "alpha beta", "numbers in (0, 1)")
        self.need(type(last) is int and 1 <= last <= MOST, "last", f"an integer in 1 .. {MOST}")

    def constants(self) -> dict[str, Known]:
        # All numbers are positive; the k-th power and the k-th s_k carry about 4 k roundings
        # each, twice that when squared.
        roundings = exacts("roundings of one summand", summands=8 * self.last + 64)
        return exacts("chosen", vr_alpha=self.alpha, vr_beta=self.beta) | roundings

    def observe(self, column: str, runs: range, seed: int) -> Observation:
        check_column(self, column)
        rows = []
        for eta in self.eta:
            if column == "ratio":
                value = math.sqrt(self._vr_limit(eta) / self._hgp_limit(eta))
            else:
                sums = {"vr_sum": self._vr_sum, "hgp_sum": self._hgp_sum}
                value = sums.get(column, self._bias_sum)(eta)
            # The closed forms have no cancellation: at most 32 operations on positive numbers.
            room = 32 * UNIT * value if column == "ratio" else 0.0
            rows.append(Row(np.array([value]), {"eta_A": eta}, f"eta_A={eta:g}", rounding=room))
        return Observation(tuple(rows), True, "eta_A")

    def plain(self, spot: Spot) -> Plain:
        """Line 885's sum, term by term."""
        etas = [eta for eta in self.eta if f"eta_A={eta:g}" == spot.result.place]
        if spot.column != "bias_sum" or len(etas) != 1:
            return super().plain(spot)
        numbers = {"alpha": self.alpha, "beta": self.beta, "eta": etas[0], "last": self.last}
        return Plain().of(_BIAS_SUM, **numbers)

    def _vr_limit(self, eta: float) -> float:
        """mu_{alpha,beta}^2, with 1 - g = beta (1 - eta_A) written out."""
        a, b, slow = self.alpha, self.beta, self.beta * (1 - eta)
        g = 1 - slow
        # b^2 / slow = b / (1 - eta): slow and b^2 leave float64 for small beta
        walk = (1 + a * g) / ((1 - a) + a * slow) * (b * eta**2) / ((1 - eta) * (1 + g))
        return 8 * (1 - a) / (1 + a) * (1 + walk)

    def _hgp_limit(self, eta: float) -> float:
        """mu_{1,0}^2."""
        return 8 * (eta**2 + (1 - eta) ** 2) / ((1 - eta) * (1 + eta))

    def _vr_sum(self, eta: float) -> float:
        a, b, g = self.alpha, self.beta, 1 - self.beta + self.beta * eta
        terms, slow, power = [(1 - a) ** 2], 0.0, 1.0
        for k in range(1, self.last + 1):
            slow = a * slow + power  # sum_{j=1}^k alpha^(k-j) g^(j-1)
            power *= g
            terms.append(((1 - a) * a**k) ** 2)
            terms.append((eta * (1 - a) * b * slow) ** 2)
        return 8 * math.fsum(terms)

    def _bias_sum(self, eta: float) -> float:
        a, g = self.alpha, 1 - self.beta + self.beta * eta
        terms, slow, power = [], 0.0, 1.0
        for _ in range(self.last):
            slow = a * slow + power  # (alpha^k - g^k) / (alpha - g), without its 0/0
            power *= g
            terms.append((1 - a) * self.beta * slow)
        return math.fsum(terms)

    def _hgp_sum(self, eta: float) -> float:
        each = [(1 - eta) ** 2 * eta ** (2 * i) for i in range(self.last + 1)]
        seen = [eta**2 * eta ** (2 * i) for i in range(self.last)]
        return 8 * math.fsum(each + seen)
