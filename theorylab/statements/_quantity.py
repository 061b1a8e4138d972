"""Measured left-hand sides: what of a run, or of an experiment, is compared with a bound."""

from __future__ import annotations

from dataclasses import dataclass

import sympy as sp

from theorylab import symbols

OVER = ("average", "last", "max", "rows")


@dataclass(frozen=True)
class Quantity:
    """A measured left-hand side: a column of a trace and how it is reduced over the rounds, or a
    column of an experiment.

    ``pathwise`` quantities are claimed for every realisation, those with a ``chance`` eps with
    probability at least 1 - eps, the others in expectation. ``ceiling`` bounds every single
    realisation, whatever the algorithm does: it makes confidence limits finite-sample valid.
    """

    column: str
    over: str  # "average", "max" over t = 0..T-1; "last" (t = T, after T rounds); "rows"
    units: tuple[int, int]
    text: str
    pathwise: bool = False
    ceiling: sp.Expr | None = None
    chance: sp.Expr | None = None

    def __post_init__(self) -> None:
        if self.over not in OVER:
            raise ValueError(f"quantity: over is {self.over!r}; need one of {', '.join(OVER)}")
        if self.pathwise and self.chance is not None:
            raise ValueError("quantity: pathwise and chance came together; need one of them")


QUANTITIES: dict[str, Quantity] = {
    "mean_squared_gradient": Quantity(
        "squared_gradient",
        "average",
        (2, -2),
        r"\frac{1}{T}\sum_{t=0}^{T-1} E\|\nabla f(\bar{x}^t)\|^2",
        ceiling=symbols.B**2,
    ),
    "last_suboptimality": Quantity("suboptimality", "last", (1, 0), r"E f(\bar{x}^T) - f^*"),
    "last_consensus": Quantity(
        "consensus", "last", (0, 2), r"\frac{1}{n}\sum_i E\|z_i^T - \bar{x}^T\|^2"
    ),
    "mean_consensus": Quantity(
        "consensus", "average", (0, 2), r"\frac{1}{nT}\sum_{t,i} E\|z_i^t - \bar{x}^t\|^2"
    ),
    "update_residual_line9": Quantity(
        "update_residual_line9",
        "max",
        (0, 1),
        r"\max_{t,i} \|x_i^{t+1/2} - x_i^t + \eta_l \sum_k\sum_{s\leq k}"
        r" \alpha^{k-s} \breve{g}_{i,s}^t\|_\infty",
        pathwise=True,
    ),
}
