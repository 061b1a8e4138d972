"""Numbers that proofs of dfedsgpsm and dfedpgp use of K, alpha and eta, added from definitions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from theorylab.experiments._base import Experiment, Observation, Row, check_column
from theorylab.experiments._plain import Plain, Spot
from theorylab.known import How, Known

_MEASURED = {
    "sum": "total",
    "inverse": "1 / total",
    "step": "share / K * total  # L eta total, at the step size eta = share / (K L)",
    "powers": "sum((1 + 2 / (K - 1)) ** k for k in range(K))",
}


class MomentumSums(Experiment, name="momentum-sums"):
    """One row for every K of ``steps`` and every alpha of ``alphas``, in exact fractions.

    Columns:
        sum            a~ = sum_{k=1}^K sum_{s=1}^k alpha^{k-s} (Lemma 4)
        inverse        1 / a~
        step           L eta a~, eta = share / (K L)
        growth         (1 + 1/(K-1))^K, K > 1 (the last line of Proof 3)
        factor         1/(2K-1) + 16 K L^2 eta^2 / delta^2, eta = share delta / (8 L K), K > 1
        powers         sum_{k=0}^{K-1} (1 + 2/(K-1))^k, K > 1 (dfedpgp, (8))
        mean_powers    2/(K-1) sum_{k=0}^{K-2} (1 + 2/(K-1))^k, K > 1
        sam_share      sqrt(T) (1/T + 1/(T^2 K delta)), T = ``horizon`` (Remark 2)

    Args:
        steps: the K. alphas: in [0, 1). share: of the largest step size. deltas: for sam_share.
    """

    columns = ("sum", "inverse", "step", "growth", "factor", "powers", "mean_powers", "sam_share")

    def __init__(
        self,
        *,
        steps: Sequence[int] = (1, 2, 3, 10, 100),
        alphas: Sequence[float] = (0.0, 0.5, 0.9, 0.99),
        share: float = 0.99,
        deltas: Sequence[float] = (1.0, 1e-3),
        horizons: Sequence[float] = (1.0, 1e2, 1e4, 1e6, 1e8),
    ) -> None:
        where = self.name
        if not steps or any(type(k) is not int or k < 1 for k in steps):
            raise ValueError(f"{where}: steps is {steps!r}; need integers >= 1")
        if not alphas or any(not 0 <= a < 1 for a in alphas):
            raise ValueError(f"{where}: alphas is {alphas!r}; need numbers in [0, 1)")
        if not share > 0:
            raise ValueError(f"{where}: share is {share!r}; need > 0")
        if not all(0 < x <= 1 for x in deltas) or not all(t >= 1 for t in horizons):
            raise ValueError(f"{where}: deltas or horizons out of range; need (0, 1] and >= 1")
        self.options: dict[str, Any] = {
            **{"steps": [*steps], "alphas": [*alphas], "share": share},
            **{"deltas": [*deltas], "horizons": [*horizons]},
        }

    def describe(self) -> dict[str, Any]:
        return self.options

    def constants(self) -> dict[str, Known]:
        """``step_share``: the step size as a share of its cap."""
        return {"step_share": Known(float(self.options["share"]), How.EXACT, "option share")}

    def observe(self, column: str, runs: range, seed: int) -> Observation:
        check_column(self, column)
        rows, share = [], Fraction(self.options["share"])
        for K in self.options["steps"]:
            if column == "sam_share":
                rows += self._sam(K)
                continue
            if column in _OF_K:
                if K > 1:
                    rows.append(_row(_OF_K[column](K, share), {"K": K}, f"K={K}"))
                continue
            for alpha in self.options["alphas"]:
                total = momentum_sum(K, Fraction(alpha))
                value = {"sum": total, "inverse": 1 / total, "step": share / K * total}[column]
                # L = 1: the product L eta is all that the claim depends on
                at = {"K": K, "alpha": alpha, "eta": float(share) / K, "L": 1.0}
                rows.append(_row(value, at, f"K={K}, alpha={alpha:g}"))
        axis = "alpha" if column in ("sum", "inverse", "step") else "K"
        return Observation(tuple(rows), True, "T" if column == "sam_share" else axis)

    def plain(self, spot: Spot) -> Plain:
        """a~ = sum_{k=1}^K sum_{s=1}^k alpha^{k-s}, 1/a~, and L eta a~ at L = 1; the sum of the
        powers of 1 + 2/(K-1)."""
        if spot.column not in _MEASURED:
            return super().plain(spot)
        alphas = [a for a in self.options["alphas"] if spot.result.place.endswith(f"alpha={a:g}")]
        known = spot.result.constants.get("alpha")
        alpha = known["value"] if known is not None else next(iter(alphas), None)
        numbers = {"K": spot.at("K"), "alpha": alpha, "share": self.options["share"]}
        total = "total = sum(alpha ** (k - s) for k in range(1, K + 1) for s in range(1, k + 1))"
        return Plain().of(f"measured = {_MEASURED[spot.column]}", total, **numbers)

    def _sam(self, K: int) -> list[Row]:
        rows = []
        for delta in self.options["deltas"]:
            for T in self.options["horizons"]:
                value = T**-0.5 + T**-1.5 / (K * delta)
                at = {"K": float(K), "delta": delta, "T": T}
                label = f"K={K}, delta={delta:g}, T={T:g}"
                rows.append(Row(np.array([value]), at, label, rounding=0.0))
        return rows


def _powers(K: int, count: int) -> Fraction:
    """The first ``count`` powers of 1 + 2/(K-1), added."""
    return sum((Fraction(K + 1, K - 1) ** k for k in range(count)), Fraction(0))


_OF_K: dict[str, Callable[[int, Fraction], Fraction]] = {  # of K > 1 and the share of a step
    "growth": lambda K, share: Fraction(K, K - 1) ** K,
    "factor": lambda K, share: Fraction(1, 2 * K - 1) + 16 * K * (share / (8 * K)) ** 2,
    "powers": lambda K, share: _powers(K, K),
    "mean_powers": lambda K, share: Fraction(2, K - 1) * _powers(K, K - 1),
}


def momentum_sum(steps: int, alpha: Fraction) -> Fraction:
    """sum_{k=1}^K sum_{s=1}^k alpha^{k-s}, added literally (by Horner's rule: inner is sum_s)."""
    total = inner = Fraction(0)
    for _ in range(steps):
        inner = alpha * inner + 1
        total += inner
    return total


def _row(value: Fraction, at: dict[str, float], label: str) -> Row:
    number = float(value)  # rounded once
    rounding = 0.0 if Fraction(number) == value else abs(number) * 2.0**-53
    places = {name: float(x) for name, x in at.items()}
    return Row(np.array([number]), places, label, rounding=rounding)
