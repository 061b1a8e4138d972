"""Which (alpha, beta) of VR-HGP is best: the least exact RMSE after M terms, not the least bound.

The bound's factor mu has infimum 0, approached as alpha -> 1, where the terms it leaves out stay
(pdbo, footnote 2). The RMSE of ``moments`` leaves nothing out and has a minimum.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from theorylab.hypergradients._bilevel import Floats
from theorylab.hypergradients.coefficient_law import CoefficientLaw
from theorylab.hypergradients.linear import Linear
from theorylab.hypergradients.moments import moments

ALPHAS = (0.0, 0.5, 0.8, 0.9, 0.95, 0.98, 1.0)
BETAS = (0.0, 0.05, 0.15, 0.4, 1.0)


@dataclass(frozen=True)
class Tuned:
    """The best pair found and its cost; no pair of the grid costs less."""

    alpha: float
    beta: float
    cost: float


def least(
    cost: Callable[[float, float], float],
    alphas: Sequence[float] = ALPHAS,
    betas: Sequence[float] = BETAS,
) -> Tuned:
    """The least of ``cost(alpha, beta)`` over a grid in [0, 1]^2, then by Nelder-Mead from there.

    A local search: on a cost with several valleys narrower than the grid it may miss the lowest.
    """
    value, alpha, beta = min((cost(a, b), a, b) for a in alphas for b in betas)
    if not np.isfinite(value):
        return Tuned(alpha, beta, value)

    inwards = [1 if start < 0.5 else -1 for start in (alpha, beta)]
    simplex = np.array([alpha, beta]) + 0.02 * np.diag([0, *inwards])[:, 1:]
    options = {"maxfev": 60, "xatol": 1e-3, "fatol": 1e-6, "initial_simplex": simplex}
    from scipy.optimize import minimize  # slow to import

    found = minimize(
        lambda p: cost(float(p[0]), float(p[1])), simplex[0], method="Nelder-Mead",
        bounds=[(0.0, 1.0)] * 2, options=options,
    )  # fmt: skip
    return Tuned(float(found.x[0]), float(found.x[1]), float(found.fun))  # the start, or better


def tuned(at: Linear, law: CoefficientLaw, truth: Floats, terms: int) -> Tuned:
    """The pair with the least sqrt E|v^(M) + c^lambda - truth|^2 of Appendix B, truth (n, dlam).

    Pairs whose second moment leaves float64 count as infinitely bad.

    Raises:
        ValueError: where that is so for every pair of the grid, or as ``moments`` for its kind of
            problem.
    """

    def error(alpha: float, beta: float) -> float:
        try:
            found = moments(at, law, terms, reading="appendix-b", alpha=alpha, beta=beta)
        except ValueError as refused:
            if "left float64" not in str(refused):
                raise
            return np.inf
        return float(found.rmse(truth)[-1])

    best = least(error)
    if not np.isfinite(best.cost):
        raise ValueError(f"tuned: the second moment left float64 for every pair at M = {terms}")
    return best
