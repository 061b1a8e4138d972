"""The sums behind mu_{alpha,beta} and mu_{1,0} (pdbo, Lemmas 7 and 9, Theorems 8 and 10)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from theorylab.experiments._base import Experiment, Observation, Row, check_column
from theorylab.known import How, Known

MOST = 10**6  # terms of a sum: a second


class HgpSeries(Experiment):
    """For every eta_A of ``eta``, no randomness: two sums term by term, and what they tend to.

    With g = 1 - beta + beta eta_A, k = M - i and M = ``last``:

        vr_sum    8 sum_{k=0}^M ((1-alpha) alpha^k)^2 + 8 sum_{k=1}^M (eta_A s_k)^2,
                  s_k = (1-alpha) beta sum_{j=1}^k alpha^(k-j) g^(j-1): lines 734 to 736, without
                  what is dropped there as exp(-O(M)), over eta_B^2 S / (kappa (1-eta_A))^2
        hgp_sum   8 (1-eta_A)^2 sum_{i=0}^M (1 + eta_A^2/(1-eta_A)^2) eta_A^{2i}: Theorem 10's
        ratio     mu_{alpha,beta} / mu_{1,0} of Appendix C.5, what Figure 1 compares: the closed
                  forms, the root of the limits' ratio (of partial sums the ratio may be smaller)

    The sums are partial sums of positive terms: they stay below their limits. Raises ValueError on
    numbers out of range.
    """

    name = "hgp-series"
    columns = ("vr_sum", "hgp_sum", "ratio")

    def __init__(
        self,
        eta: Sequence[float] = (0.1, 0.5, 0.9),
        alpha: float = 0.9,
        beta: float = 0.1,
        last: int = 4000,
    ) -> None:
        numbers = isinstance(eta, Sequence) and all(isinstance(value, float) for value in eta)
        if not numbers or not eta or any(not 0 < value < 1 for value in eta):
            raise ValueError(f"hgp-series: eta is {eta!r}; need numbers in (0, 1)")
        if not (0 < alpha < 1 and 0 < beta < 1) or type(last) is not int or not 1 <= last <= MOST:
            raise ValueError(
                f"hgp-series: alpha is {alpha!r}, beta {beta!r}, last {last!r}; need 0 < alpha < 1,"
                f" 0 < beta < 1, last 1 .. {MOST}"
            )
        self.eta, self.alpha, self.beta, self.last = tuple(eta), alpha, beta, last

    def describe(self) -> dict[str, Any]:
        return {
            **{"eta": list(self.eta), "alpha": self.alpha, "beta": self.beta},
            "last": self.last,
        }

    def constants(self) -> dict[str, Known]:
        return {
            "vr_alpha": Known(self.alpha, How.EXACT, "chosen"),
            "vr_beta": Known(self.beta, How.EXACT, "chosen"),
            # All numbers are positive; the k-th power and the k-th s_k carry about 4 k roundings
            # each, twice that when squared.
            "summands": Known(8.0 * self.last + 64, How.EXACT, "roundings of one summand"),
        }

    def observe(self, column: str, runs: range, seed: int) -> Observation:
        check_column(self, column)
        rows = []
        for eta in self.eta:
            if column == "ratio":
                value = math.sqrt(self._vr_limit(eta) / self._hgp_limit(eta))
            else:
                value = self._vr_sum(eta) if column == "vr_sum" else self._hgp_sum(eta)
            # The closed forms have no cancellation: at most 32 operations on positive numbers.
            room = 32 * 2.0**-53 * value if column == "ratio" else 0.0
            rows.append(Row(np.array([value]), {"eta_A": eta}, f"eta_A={eta:g}", rounding=room))
        return Observation(tuple(rows), True, "eta_A")

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

    def _hgp_sum(self, eta: float) -> float:
        each = [(1 - eta) ** 2 * eta ** (2 * i) for i in range(self.last + 1)]
        seen = [eta**2 * eta ** (2 * i) for i in range(self.last)]
        return 8 * math.fsum(each + seen)
