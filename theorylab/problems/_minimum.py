"""The least value of f and the place where f has it, enclosed by the function of one client."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.formulas import Box, Formula, FormulaError
from theorylab.known import EPS, How, Known

LEAST = 5e-324  # above 0
NARROW = 2.0**-20  # of 1 + |x|: a wider ball may hold many minimisers, and tells little
_MOST_DIM = 64  # of a Hessian that Newton's steps are made with
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Minimum:
    """Every minimiser of f is within ``off`` of ``point`` (d,); ``source`` says by what proof."""

    point: Floats
    off: float
    source: str


def least(formula: Formula, mu: Known | None) -> tuple[Known | None, Minimum | None]:
    """inf f, and x*; each None where nothing is proved.

    f* is at most f near a minimum, and at least 0 or what interval arithmetic gives. ``mu`` is that
    of f, from below. Of a convex f more is known. Let g = grad f(x) at any x, and m > 0 a strong
    convexity of f on a convex set that has x and x* in it: then |x - x*| <= |g| / m and
    f* >= f(x) - |g|^2 / (2 m). Where mu = 0 the set is a box around x on each face of which f falls
    inward: it has all minimisers in it, as f does not rise on the way between two of them.
    """
    low_x, high_x = np.full(formula.dim, -np.inf), np.full(formula.dim, np.inf)
    (values,) = formula.over(Box(low_x, high_x), formula.value)
    mean = values.sum(1) / float(values.shape[1])
    low, source = float(mean.low.ravel()[0]), "the losses by interval arithmetic over R^d"
    m = -math.inf if mu is None else mu.value
    if not m >= 0 and not math.isfinite(low):
        return None, None
    x, best = _minimiser(formula), None
    value, slopes = formula.over(Box(x, x), formula.value, formula.gradient)
    f, g = value.sum(1) / float(value.shape[1]), slopes.sum(1) / float(slopes.shape[1])
    high = float(f.high.ravel()[0])
    if m >= 0:
        most = float(g.size.max(initial=LEAST))  # that squares neither vanish nor overflow
        steep = float(most * np.sqrt(((g.size / most) ** 2).sum()) * (1 + (formula.dim + 4) * EPS))
        m, off = (m, math.inf) if m > 0 else _room(formula, x)
        less = steep * (min(steep / m / 2, off) if m > 0 else off) + LEAST
        off = min(off, steep / m * (1 + 4 * EPS) + LEAST) if m > 0 else off
        if off <= NARROW * (1 + float(np.abs(x).max())):
            best = Minimum(x, off, "|grad f(x)| / mu at a point near the minimum of a convex f")
        bottom = float(f.low.ravel()[0])
        if math.isfinite(less) and bottom - less > low:
            low = bottom - less - 4 * EPS * (abs(bottom) + less) - LEAST
            source = "the tangent of a convex f at a point near its minimum"
    if not math.isfinite(low) or not low <= high < math.inf:
        return (Known(low, How.LOWER, source) if math.isfinite(low) else None), best
    return Known(low, How.CERTIFIED, f"{source}; f there from above", lower=low, upper=high), best


def searched(both: Callable[[Any], tuple[float, Floats]], dim: int, **options: Any) -> Floats:
    """Where L-BFGS comes from 0, of a function that gives f and its gradient (d,)."""
    from scipy.optimize import minimize  # slow to import

    start, options = np.zeros(dim), {"ftol": 0, **options}
    return np.asarray(minimize(both, start, jac=True, method="L-BFGS-B", options=options).x)


def _minimiser(formula: Formula) -> Floats:
    """Near a minimiser: by L-BFGS, then by Newton's steps as long as they help."""
    n, d = formula.clients, formula.dim

    def both(x: Any) -> tuple[float, Floats]:
        value, g = formula.at(np.tile(x, (1, n, 1)), formula.value, formula.gradient)
        return float(value.mean()), np.asarray(g.mean(1)[0])

    x = searched(both, d, gtol=1e-14)
    if not np.isfinite(x).all():
        return np.zeros(d)
    g = both(x)[1]
    while d <= _MOST_DIM and g.any():
        every = np.tile(x, (d, n, 1))
        H = formula.hessian_product(every, np.repeat(np.eye(d)[:, None], n, axis=1)).mean(1)
        if not np.isfinite(H).all():
            break
        near = x - np.linalg.lstsq(H, g, rcond=None)[0]
        if not np.linalg.norm(less := both(near)[1]) < np.linalg.norm(g) / 2:
            break
        x, g = near, less
    return x


def _room(formula: Formula, x: Floats) -> tuple[float, float]:
    """(strong convexity of f in a box around x that has every minimiser in it, how far these are
    from x at most); (0, inf) where no box shows one."""
    for radius in 2.0 ** np.arange(-8, 12):
        low, high = x - radius, x + radius
        if all(_outward(formula, low, high, k) for k in range(formula.dim)):
            far = float(np.linalg.norm(np.maximum(x - low, high - x)))
            try:
                m = formula.curvature(Box(low, high)).mean.ends[0]
            except FormulaError:
                m = 0.0
            return max(m, 0.0), far * (1 + (formula.dim + 4) * EPS)
    return 0.0, math.inf


def _outward(formula: Formula, low: Floats, high: Floats, k: int) -> bool:
    """Whether f rises outward on both faces of the box across coordinate k."""
    for end, sign in ((low, -1.0), (high, 1.0)):
        one = np.arange(formula.dim) == k
        (g,) = formula.over(Box(np.where(one, end, low), np.where(one, end, high)),
                            formula.gradient)  # fmt: skip
        mean = g.sum(1) / float(g.shape[1])
        if not (mean.low[0, k] if sign > 0 else -mean.high[0, k]) > 0:
            return False
    return True
